import { randomBytes } from 'node:crypto';
import { ActionError, InputError } from '../../core/errors.ts';
import type { Deps } from '../../deps.ts';
import type { GitHub } from '../../github/client.ts';
import { GitHubError, missingReadPermission } from '../../github/errors.ts';
import type { Composed, ContextRead, ContextReader, PromptContext } from '../../requests/next.ts';
import { shortCode } from '../../text/markdown.ts';
import type { AgentConfig } from '../inputs.ts';
import type { About } from '../request/about.ts';
import { describeLeftOut } from './block/left-out.ts';
import { promptWithData } from './block/prompt.ts';
import { type Gathered, gather, gatherFromEvent } from './gather.ts';
import { lighten } from './lighten.ts';
import { fileFilter } from './paths.ts';
import { type Pushed, readPush } from './push.ts';
import { type ChangeSeen, whyIrrelevant } from './relevance.ts';

/** Reads what a prompt is about, once. */
export function createContextReader(
  prompt: string,
  about: About,
  config: AgentConfig,
  deps: Deps,
): ContextReader {
  const { clock, context, signal } = deps;
  const isChosen = fileFilter(config.paths);
  const whySkipped = (seen: ChangeSeen) =>
    about.maySkip ? whyIrrelevant(seen, { allowUsers: config.allowUsers, isChosen }) : undefined;
  let pushed: Pushed | undefined;

  const compose = (gathered: Gathered): Composed => {
    const options = {
      limitBytes: config.contextLimit,
      isChosen,
      scrub: deps.scrub,
      makeToken: () => randomBytes(12).toString('hex'),
    };
    const { subject } = gathered;
    const { prompt: whole, leftOut } = promptWithData(prompt, subject, { ...options, withPatches: true });
    const smaller =
      subject.files === undefined
        ? undefined
        : promptWithData(prompt, subject, { ...options, withPatches: false }).prompt;
    return { prompt: whole, smaller, note: describeLeftOut(leftOut) };
  };
  const contextOf = (gathered: Gathered) => ({ head: gathered.head, compose: () => compose(gathered) });

  return {
    async findThread() {
      const { change } = about;
      if (change?.kind !== 'push') return undefined;
      const github = githubOf(deps);
      pushed = await asNamed(() => readPush(change.push, { github, clock, signal }));
      return config.thread.kind === 'auto' ? pushed.pullRequest?.number : undefined;
    },

    async read(isOwn): Promise<ContextRead> {
      const readAll = async () =>
        gather(about, {
          github: githubOf(deps),
          clock,
          context,
          signal,
          pushed,
          isOwn: ({ url }) => isOwn(url),
          lighten: (files) => lighten(files, config.contextLimit, isChosen),
          isSettled: (seen) => whySkipped(seen) !== undefined,
        });
      if (!about.isNamed) return readable(about, readAll, contextOf, deps);
      const gathered = await asNamed(readAll);
      const why = whySkipped(gathered.seen);
      return why === undefined
        ? { kind: 'read', context: contextOf(gathered), note: undefined }
        : { kind: 'skip', ending: { outcome: 'skipped', reason: why.reason, because: why.text } };
    },
  };
}

/** GitHub, where everything that happened is read. @throws InputError without a token. */
function githubOf({ github }: Deps): GitHub {
  if (github !== undefined) return github;
  const takes = 'missing. What the agent is to be told (`context`) is read from GitHub.';
  throw new InputError([{ input: 'github-token', got: undefined, takes }]);
}

/** What the inputs name must be readable: nothing is asked of the agent without it. */
async function asNamed<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    const needs = missingReadPermission(error);
    if (!(error instanceof GitHubError) || needs === undefined) throw error;
    throw new ActionError('github-error', error.what, {
      said: error.said,
      hint: `It is needed to know what this request is about, so nothing was asked of the agent: add \`${needs}\` under \`permissions:\` of this job.`,
      cause: error,
    });
  }
}

/** What nobody named may be missing, as long as readers learn of it. */
async function readable(
  about: About,
  read: () => Promise<Gathered>,
  contextOf: (gathered: Gathered) => PromptContext,
  deps: Deps,
): Promise<ContextRead> {
  try {
    const gathered = await read();
    const { unread } = gathered;
    return { kind: 'read', context: contextOf(gathered), note: unread && partNote(gathered, unread) };
  } catch (error) {
    if (!(error instanceof GitHubError)) throw error;
    const fromEvent = gatherFromEvent(about, deps.context);
    return fromEvent === undefined
      ? { kind: 'read', context: null, note: `The agent was sent the command alone. ${why(error)}` }
      : { kind: 'read', context: contextOf(fromEvent), note: partNote(fromEvent, error) };
  }
}

function partNote({ subject }: Gathered, error: GitHubError): string {
  const what = subject.happened.kind === 'pull-request' ? 'without its changes' : 'by its title alone';
  return `The agent was told what this is about ${what}. ${why(error)}`;
}

/** Why something could not be read, and what it takes, as Markdown. */
function why(error: GitHubError): string {
  const needs = missingReadPermission(error);
  const remedy = needs === undefined ? '' : ` It takes \`${needs}\` under \`permissions:\` of the job.`;
  return `The rest could not be read (${shortCode(error.message)}).${remedy}`;
}
