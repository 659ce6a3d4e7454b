import { serviceInputs } from '../__tests__/support/usual.ts';
import { BOT_LOGIN } from '../simulator/github/store.ts';
import type { WebhookEvent } from '../simulator/github/types.ts';
import { startSimulator } from '../simulator/index.ts';
import { type RunOptions, type RunResult, runAction, runPost } from '../simulator/runner/runner.ts';

/** Runs a bundle in a simulated repository, and keeps every card that it wrote. */
export async function startRecording(distDir: string) {
  const simulator = await startSimulator();
  const { faults, github, service, url: baseUrl } = simulator;
  const states: { state: string }[] = [];
  let seen: ReadonlySet<string> = new Set();
  let names = 0;

  /** Completes a run with its post phase. */
  async function finish(running: Promise<RunResult>): Promise<RunResult> {
    const main = await running;
    for (const { saved } of [main, await runPost(main)])
      states.push(
        ...saved.flatMap(([name, state]) => (name === 'run' && state !== '' ? [{ state }] : [])),
      );
    faults.clear();
    return main;
  }

  /** Keeps and names an entry if its card has a new state, ending, or field. */
  function named<T extends object>(entry: T, json: string): (T & { readonly name: string })[] {
    const { project: _, ...card } = JSON.parse(json);
    const { ask, state, stop, pull } = card;
    const facts = [ask, state.is, state.how, stop?.outcome, stop?.reason, pull?.state].filter(
      Boolean,
    );
    const [fields, ...parts] = [card, state, pull ?? {}].map((part) => Object.keys(part).sort());
    const traits = fields?.map((field) => `${state.is} ${state.how} ${field}`);
    const after = seen.union(new Set(traits).add(JSON.stringify([facts, parts])));
    if (after.size === seen.size) return [];
    seen = after;
    names += 1;
    return [{ name: `${names}. ${facts.join(', ')}`, ...entry }];
  }

  return {
    simulator,
    finish,
    run: (event: WebhookEvent, given = {}, options: Partial<RunOptions> = {}) => {
      const inputs = { ...serviceInputs(simulator), ...given };
      return finish(runAction({ simulator, distDir, event, ...options, inputs }));
    },
    /** A card of each kind: from all versions of all comments and, if not in a comment, from what was saved for `post`. */
    cards: () => {
      const ours = github.comments.filter(({ login }) => login === BOT_LOGIN);
      const comments = ours.flatMap((comment) => {
        const { id, number: thread, login, createdAt: createdAtMs, history } = comment;
        const about = {
          id,
          thread,
          login,
          url: `${github.json.comment(comment).html_url}`,
          createdAtMs,
        };
        return history.flatMap(({ body }, version) => {
          const [, payload = ''] = body.match(/^<!-- \S+ ([\w-]+)\./) ?? [];
          const entry = { ...about, unedited: version === 0, body };
          return named(entry, Buffer.from(payload, 'base64url').toString());
        });
      });
      const { apiKey, projectId } = service;
      const scope = { apiKey, baseUrl, projectId, repositoryId: `${github.repository.id}` };
      return { scope, comments, states: states.flatMap((entry) => named(entry, entry.state)) };
    },
  };
}
