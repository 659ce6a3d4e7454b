import type { Dispatcher } from 'undici';
import { finishKilled } from './agent/finish.ts';
import { parseConfig } from './config.ts';
import { systemClock } from './core/clock.ts';
import type { RawInputs } from './core/inputs/given.ts';
import { accessTo } from './core/inputs/projects.ts';
import { type Skipped, skipped } from './core/mode-result.ts';
import type { Deps } from './deps.ts';
import type { GitHub } from './github/client.ts';
import {
  comesWithoutSecrets,
  type GitHubEvent,
  isCommentEvent,
  isSomebodysAct,
  parseEvent,
} from './github/event.ts';
import { createDispatcher } from './http/dispatcher.ts';
import { proxiesOf } from './http/proxies.ts';
import { type Config, runMode } from './modes.ts';
import { type RunOptions, run, toldState } from './run.ts';
import { type RunContext, readContext } from './runner/context.ts';
import { directoryProblem, diskFiles, fileProblem } from './runner/files.ts';
import { actionsRunner, guarded, maskSecret, type Runner, readInputs } from './runner/runner.ts';
import { cancellation } from './runner/signals.ts';
import { readPromptFile } from './runner/workspace.ts';
import { createDocsService } from './service/client.ts';
import { createScrub, type Scrub } from './text/scrub.ts';

/** The main phase; gives the exit code. */
export function main(env: NodeJS.ProcessEnv): Promise<0 | 1> {
  const needsPrompt = !isCommentEvent(env.GITHUB_EVENT_NAME ?? '');
  return play(readInputs(env), { env, needsPrompt, mode: runMode, isTold: false });
}

/** Ends the process once its log is out: a connection that is still being made would hold it for ten seconds. */
export function exit(code: 0 | 1): void {
  process.stdout.write('', () => process.exit(code));
}

/** The post phase of a main phase that was killed, from what it saved. */
export async function finish(saved: string, env: NodeJS.ProcessEnv): Promise<void> {
  // What was asked is asked already: a prompt file may be gone by now, and nothing may take its place.
  const { prompt: _, 'prompt-file': __, ...inputs } = readInputs(env);
  const mode: RunOptions['mode'] = async (config, deps) =>
    config.mode === 'agent' ? finishKilled(saved, config, deps) : skipped(nothingLeft);
  await play(inputs, { env, needsPrompt: false, mode, isTold: env[`STATE_${toldState}`] === 'true' });
}

/** Other modes leave nothing behind. */
const nothingLeft: Skipped = { reason: 'nothing-left', text: 'Nothing was left to finish.' };

interface Phase {
  readonly env: NodeJS.ProcessEnv;
  readonly needsPrompt: boolean;
  readonly mode: RunOptions['mode'];
  readonly isTold: boolean;
}

/** Builds the real edges and plays one run with them. */
async function play(raw: RawInputs, { env, needsPrompt, mode, isTold }: Phase): Promise<0 | 1> {
  maskSecret(raw['api-key'] ?? '');
  maskSecret(raw['github-token'] ?? '');
  const signal = cancellation();
  const scrub = createScrub([raw['api-key'] ?? '', raw['github-token'] ?? '']);
  const runner = guarded(actionsRunner, scrub);
  let dispatcher: Dispatcher | undefined;
  try {
    return await run({
      runner,
      mode,
      isTold,
      whySkipped: () => whyWithoutSecrets(raw, env),
      readConfig: async () =>
        parseConfig(raw, {
          now: systemClock.now,
          needsPrompt,
          judgesAuthor: isSomebodysAct(eventOf(readContext(env))),
          readFile: (path) => readPromptFile(path, env.RUNNER_TEMP),
          directoryProblem,
          fileProblem,
        }),
      connect: async (config) => {
        const context = readContext(env);
        dispatcher = createDispatcher(proxiesOf(env, [config.baseUrl, context.apiUrl]));
        return connect(config, { context, runner, scrub, signal, dispatcher });
      },
    });
  } finally {
    await dispatcher?.destroy();
  }
}

/** A run of a fork, or of Dependabot, gets no secrets from GitHub, and so no key: that is nobody's mistake. */
function whyWithoutSecrets(raw: RawInputs, env: NodeJS.ProcessEnv): Skipped | undefined {
  if ((raw['api-key'] ?? '').trim() !== '') return undefined;
  if (!comesWithoutSecrets(readContext(env).payload, env.GITHUB_ACTOR ?? '')) return undefined;
  const text =
    'Skipped: GitHub gives no secrets to runs of forks and of Dependabot, and so there is no `api-key`.';
  return { reason: 'no-secrets', text };
}

/** What the edges of one process share. */
interface Shared {
  readonly context: RunContext;
  readonly runner: Runner;
  readonly scrub: Scrub;
  readonly signal: AbortSignal;
  readonly dispatcher: Dispatcher;
}

async function connect(config: Config, shared: Shared): Promise<Deps> {
  const { context, runner, scrub, signal, dispatcher } = shared;
  const clock = systemClock;
  const event = eventOf(context);
  return {
    service: createDocsService({ ...accessTo(config), clock, dispatcher, scrub }),
    github: speaksToGitHub(config, event) ? await connectGitHub(config.githubToken, shared) : undefined,
    runner,
    clock,
    files: diskFiles,
    context,
    event,
    scrub,
    signal,
  };
}

/**
 * Whether there is a thread to write in, somebody to be let in, something to be told of, a report that has to know when its
 * run was created, or threads to look through; a prompt in a plain step starts without GitHub's part of the bundle.
 */
function speaksToGitHub(config: Config, event: GitHubEvent): boolean {
  if (config.mode !== 'agent') return true;
  const { thread } = config;
  if (thread.kind === 'number' || isSomebodysAct(event)) return true;
  return config.context.kind === 'named' || config.continue === 'repository';
}

function eventOf({ eventName, payload }: RunContext): GitHubEvent {
  return parseEvent(eventName, payload);
}

async function connectGitHub(
  token: string | undefined,
  { context: { apiUrl, repository }, scrub, dispatcher }: Shared,
): Promise<GitHub | undefined> {
  if (token === undefined || repository === '') return undefined;
  const { createGitHub } = await import('./github/client.ts');
  return createGitHub({ apiUrl, token, repository, clock: systemClock, dispatcher, scrub });
}
