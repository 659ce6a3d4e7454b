import { randomBytes } from 'node:crypto';
import { ActionError, InputError } from '../../core/errors.ts';
import type { GitHub } from '../../github/client.ts';
import { GitHubError, missingReadPermission } from '../../github/errors.ts';
import type { PushEvent } from '../../github/event.ts';
import type { Job } from '../../service/schemas.ts';
import { shortCode } from '../../text/markdown.ts';
import type { About } from '../request/about.ts';
import type { Ask } from '../request/trigger.ts';
import type { Session } from '../session.ts';
import { readRepository } from '../thread/repository.ts';
import { describeLeftOut } from './block/left-out.ts';
import { promptWithData } from './block/prompt.ts';
import { type Gathered, gather, gatherFromEvent } from './gather.ts';
import { lighten } from './lighten.ts';
import { fileFilter } from './paths.ts';
import { readPush } from './push.ts';
import { type ChangeSeen, whyIrrelevant } from './relevance.ts';

/** Learns what a push brought; the pull request that it merged is where it is told. */
export async function learnPush(push: PushEvent, session: Session): Promise<void> {
  const { config, deps, learn } = session;
  const { clock, signal } = deps;
  const github = githubFor(session);
  const pushed = await asNamed(() => readPush(push, { github, clock, signal }));
  learn({ pushed });
  const number = pushed.pullRequest?.number;
  if (number !== undefined && config.thread.kind === 'auto')
    session.enterThread({ number, comments: undefined });
}

/** Learns what a request is about, or that the docs need not follow it. Nothing is asked before. */
export async function learnAbout(about: About, session: Session): Promise<void> {
  const { config, deps, known, learn } = session;
  const { clock, context, signal } = deps;
  const isChosen = fileFilter(config.paths);
  const options = { allowUsers: config.allowUsers, isChosen };
  const whySkipped = (seen: ChangeSeen) => (about.maySkip ? whyIrrelevant(seen, options) : undefined);
  const read = async () =>
    gather(about, {
      github: githubFor(session),
      clock,
      context,
      signal,
      pushed: known.pushed,
      isOwn: async ({ url }) => (await readRepository(session)).some((marker) => marker.pullRequest === url),
      lighten: (files) => lighten(files, config.contextLimit, isChosen),
      isSettled: (seen) => whySkipped(seen) !== undefined,
    });
  if (!about.isNamed) return learnReadable(about, read, session);
  const gathered = await asNamed(read);
  const why = whySkipped(gathered.seen);
  if (why !== undefined) learn({ ending: { outcome: 'skipped', reason: why.reason, because: why.text } });
  else learn({ gathered });
}

/** A prompt as it is sent, and a smaller one for a service that refuses its size. */
export interface Composed {
  readonly prompt: string;
  readonly smaller: string | undefined;
}

/** The prompt with what it is about behind it. A job that was told of the same state before is not told again. */
export function compose(ask: Ask, target: Job | undefined, session: Session): Composed {
  const { config, deps, known, learn } = session;
  const { prompt = '' } = ask;
  const { gathered, memory = [] } = known;
  if (gathered == null) return { prompt, smaller: undefined };
  const { subject, head } = gathered;
  const knows = memory.some(({ marker }) => marker.job === target?.id && marker.head === head);
  if (target !== undefined && knows) return { prompt, smaller: undefined };
  const options = {
    limitBytes: config.contextLimit,
    isChosen: fileFilter(config.paths),
    scrub: deps.scrub,
    makeToken: () => randomBytes(12).toString('hex'),
  };
  const { prompt: whole, leftOut } = promptWithData(prompt, subject, { ...options, withPatches: true });
  const told = describeLeftOut(leftOut);
  learn({ head, notes: told === undefined ? known.notes : [...known.notes, told] });
  const hasPatches = subject.files !== undefined;
  const smaller = hasPatches
    ? promptWithData(prompt, subject, { ...options, withPatches: false }).prompt
    : undefined;
  return { prompt: whole, smaller };
}

/** GitHub, which whatever happened is read from. @throws InputError without a token. */
function githubFor({ deps: { github } }: Session): GitHub {
  if (github !== undefined) return github;
  const takes = 'missing. What the agent is to be told (`context`) is read from GitHub.';
  throw new InputError([{ input: 'github-token', got: undefined, takes }]);
}

/** What the inputs name has to be readable: nothing is asked of the agent without it. */
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

/** What nobody named may be missing, if the people who read the answer are told so. */
async function learnReadable(about: About, read: () => Promise<Gathered>, session: Session): Promise<void> {
  const { deps, known, learn } = session;
  const gathered = await read().catch((error: unknown): Gathered | null => {
    if (!(error instanceof GitHubError)) throw error;
    const told = gatherFromEvent(about, deps.context);
    if (told === undefined)
      learn({ notes: [...known.notes, `The agent was sent the command alone. ${why(error)}`] });
    return told === undefined ? null : { ...told, unread: error };
  });
  learn({ gathered });
  const unread = gathered?.unread;
  if (unread === undefined) return;
  const what =
    gathered?.subject.happened.kind === 'pull-request' ? 'without its changes' : 'by its title alone';
  learn({ notes: [...session.known.notes, `The agent was told what this is about ${what}. ${why(unread)}`] });
}

/** Why something could not be read, and what it takes, as Markdown. */
function why(error: GitHubError): string {
  const needs = missingReadPermission(error);
  const remedy = needs === undefined ? '' : ` It takes \`${needs}\` under \`permissions:\` of the job.`;
  return `The rest could not be read (${shortCode(error.message)}).${remedy}`;
}
