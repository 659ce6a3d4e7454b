import { formatDuration } from '../../lib/duration.ts';
import type { Explained } from '../../lib/failure.ts';
import { fenced, shortCode } from '../../lib/markdown.ts';
import type { AgentOutcome } from '../../lib/outcome.ts';
import type { RunContext } from '../../runner/context.ts';
import { isFollowUp, jobIdOf, jobOf, type Known, shownPrompt, type Tellable } from '../known.ts';
import { pullRequestOf } from './ending.ts';

/*
 * What people read of a run: the same words in the status comment, in the job summary and in the log. Everything that
 * comes from outside is shown as code.
 */

const minuteMs = 60_000;

/** The state a run is in or has ended in. */
export interface State {
  readonly outcome: AgentOutcome | 'starting' | 'working';
  readonly reason: string;
  /** Why a change was skipped. */
  readonly because?: string | undefined;
  /** What ended the run, where that was an error. */
  readonly error?: Omit<Explained, 'reason'> | undefined;
  /** Whether the job was never seen to take up the message that it was sent. */
  readonly isUnseen?: boolean | undefined;
  /** How long the job was at it, or was watched, in milliseconds, where that is known. */
  readonly tookMs?: number | undefined;
}

export interface Words {
  /** Tells the state at a glance. */
  readonly sign: '⏳' | '✅' | '☑️' | '❌' | '⚠️' | '🚫';
  /** The most important words, as Markdown. */
  readonly headline: string;
  /** What follows it on the same line, as Markdown; may be empty. */
  readonly more: string;
  /** What to do now, as Markdown lines; may be empty. */
  readonly next: readonly string[];
}

/** The one line that tells the state, without its sign. */
export function lineOf({ headline, more }: Words): string {
  return more === '' ? headline : `${headline} ${more}`;
}

/** The one line that tells the state, behind its sign. */
export function lineWithSign(words: Words): string {
  return `${words.sign} ${lineOf(words)}`;
}

/** What a state is called, and what to do in it. */
export function wordsFor(state: State, known: Tellable): Words {
  const { command } = known;
  const took = state.tookMs === undefined ? '' : `after ${formatDuration(state.tookMs)}`;
  if (state.isUnseen) return unseenWords(state.outcome, known);
  switch (state.outcome) {
    case 'starting':
      return words('⏳', 'Asking the writing agent …');
    case 'working':
      return words(
        '⏳',
        isFollowUp(known)
          ? 'The writing agent is working on the follow-up.'
          : 'The writing agent is working on it.',
        '',
        ['The pull request will be linked here.'],
      );
    case 'pr-created':
      return timedWords(
        '✅',
        isFollowUp(known) ? `The follow-up is done: ${link(known)}` : `${link(known)} is ready`,
        took,
        [
          `Ask for changes with ${goOn(known)}${isHeard(known) ? `; start over with \`${command} --new …\`` : ''}.`,
        ],
      );
    case 'no-changes':
      return words(
        '☑️',
        'The agent finished without a pull request:',
        'nothing had to change, or it is set to commit directly.',
        [`Ask for more with ${goOn(known)}.`],
      );
    case 'archived':
      return timedWords('⚠️', 'The job was archived', took, [
        `${isHeard(known) ? `\`${command} …\`` : 'A run without `job-id`'} starts a new one.`,
        ...leftLink(known),
      ]);
    case 'timed-out':
      return timedOutWords(state, known);
    case 'detached':
      if (state.reason === 'not-waited') return leftRunningWords(known);
      return words('⏳', 'This run was stopped; the job goes on.', '', [whereToLook(known)]);
    case 'failed':
      return failedWords(state, took, known);
    case 'denied':
      return words('🚫', 'Nothing was asked of the agent.');
    case 'answered':
    case 'skipped': {
      const jobId = jobIdOf(known);
      return words('☑️', jobId === undefined ? 'Nothing was asked of the agent.' : `Job ${shortCode(jobId)}.`);
    }
  }
}

function words(sign: Words['sign'], headline: string, more = '', next: readonly string[] = []): Words {
  return { sign, headline, more, next };
}

/** A headline without its full stop, and behind it how long it took, where that is known. */
function timedWords(sign: Words['sign'], headline: string, took: string, next: readonly string[]): Words {
  return took === '' ? words(sign, `${headline}.`, '', next) : words(sign, headline, `${took}.`, next);
}

/** Whether commands are listened to in the thread: only a run that one has started knows. */
function isHeard({ sourceCommentId, threadNumber }: Tellable): boolean {
  return sourceCommentId !== undefined && threadNumber !== undefined;
}

/** How a job is sent more. */
function goOn(known: Tellable): string {
  return isHeard(known) ? `\`${known.command} …\`` : 'a run that has its `job-id` and a new `prompt`';
}

/** How to learn how a job stands that this run leaves. */
function whereToLook(known: Tellable): string {
  if (isHeard(known)) {
    return `\`${known.command} status\` shows how it stands; running the workflow run again follows it to its end.`;
  }
  return known.threadNumber === undefined
    ? 'A run with its `job-id` follows it to its end.'
    : 'Running the workflow run again follows it to its end.';
}

/** How long a run has waited, in whole minutes: the seconds of its last look tell nothing. */
function lasted(tookMs: number | undefined): string {
  return tookMs === undefined ? '' : ` after ${formatDuration(Math.floor(tookMs / minuteMs) * minuteMs)}`;
}

function timedOutWords({ reason, tookMs }: State, known: Tellable): Words {
  switch (reason) {
    case 'given-up':
      return words(
        '⚠️',
        'The job was still running when it was last looked at.',
        'Its end is no longer looked for.',
        ['The service’s dashboard tells how it ended.'],
      );
    case 'never-seen':
      return words('⚠️', 'This run stopped waiting; it could never see how the job stands.', '', [
        whereToLook(known),
      ]);
    default:
      return words('⏳', `Still running${lasted(tookMs)}; this run stopped waiting.`, '', [
        whereToLook(known),
      ]);
  }
}

function leftRunningWords(known: Tellable): Words {
  const headline = isFollowUp(known)
    ? 'Sent to the agent; this run does not wait.'
    : 'Started; this run does not wait.';
  if (known.threadNumber === undefined) return words('⏳', headline, '', [whereToLook(known)]);
  const collecting = 'a run with `mode: collect` brings its end into the thread';
  // Run again, it does not wait either.
  const next = isHeard(known)
    ? `\`${known.command} status\` shows how it stands. That, or ${collecting}.`
    : `Once it has ended, ${collecting}, and so does running this one again.`;
  return words('⏳', headline, '', [next]);
}

/** A message was sent to a job whose end may be from before it. */
function unseenWords(outcome: State['outcome'], known: Tellable): Words {
  return words(
    '⚠️',
    'The job was not seen to take up the follow-up.',
    `It shows ${shownEnd(outcome, known)}, which may be from before it.`,
    [`If it is, ask again with ${goOn(known)}.`],
  );
}

function shownEnd(outcome: State['outcome'], known: Tellable): string {
  switch (outcome) {
    case 'pr-created':
      return link(known);
    case 'failed':
      return 'that it failed';
    case 'archived':
      return 'that it was archived';
    default:
      return 'no pull request';
  }
}

function failedWords({ reason, error }: State, took: string, known: Tellable): Words {
  const { command } = known;
  const again = isHeard(known) ? `\`${command} --new …\`` : 'a new run';
  if (reason === 'key-changed') {
    return words(
      '⚠️',
      'We can’t tell whether this was asked before:',
      'the thread was written with another API key.',
      [`Nothing is sent again by itself: ask with ${again}.`],
    );
  }
  if (reason === 'unconfirmed' || known.asked.is === 'maybe') {
    return words(
      '⚠️',
      'We can’t tell whether the service accepted the request.',
      isFollowUp(known) ? 'The message may have arrived.' : 'A job may exist.',
      [`Nothing is sent again by itself: look into the service’s dashboard, then ask with ${again}.`],
    );
  }
  if (reason === 'job-failed') {
    const { headline, more } = timedWords('❌', 'The job failed', took, []);
    return words('❌', headline, `${more} The service gives no reason; its dashboard may.`.trimStart(), [
      'Re-running starts a new job.',
      ...leftLink(known),
    ]);
  }
  if (jobIdOf(known) !== undefined)
    return words('⚠️', 'The job can no longer be followed.', 'How it ended is not known.');
  switch (reason) {
    case 'cancelled':
    case 'interrupted':
      return words('⚠️', 'Stopped before the agent was asked.', 'Running again is safe.');
    case 'rate-limited':
      return words('⚠️', 'The service’s hourly limit is reached.', 'Nothing was asked of the agent.');
    case 'bad-input':
      return words('❌', `${error?.title ?? 'An input is wrong'}.`, 'Nothing was asked of the agent.');
    default:
      return words('❌', 'The agent could not be asked.', 'Nothing was created; running again is safe.');
  }
}

/** The pull request that a job has left though it came to nothing. */
function leftLink(known: Tellable): string[] {
  return pullRequestOf(jobOf(known)) === undefined ? [] : [`It has left a pull request: ${link(known)}.`];
}

/** The pull request as a link; what is no usable address is only named. */
function link(known: Tellable): string {
  const pullRequest = pullRequestOf(jobOf(known));
  if (pullRequest === undefined) return 'A pull request (the service gave no usable link to it)';
  const name = pullRequest.number === '' ? 'The pull request' : `Pull request #${pullRequest.number}`;
  // In a link's destination a backslash escapes and an ampersand may begin an entity (CommonMark §2.4, §2.5).
  const destination = pullRequest.url.replaceAll('\\', '%5C').replaceAll('&', '&amp;');
  return `[${name}](<${destination}>)`;
}

/** What is known of the run, as pairs of a name and Markdown. */
export function facts(known: Known, context: RunContext): [string, string][] {
  const { asker } = known;
  const job = jobOf(known);
  const jobId = jobIdOf(known);
  const source = [job?.source?.repository, job?.source?.ref]
    .filter((part) => part != null && part !== '')
    .join('@');
  const rows: [string, string | undefined][] = [
    ['Asked by', asker === undefined ? undefined : shortCode(asker)],
    ['Job', jobId === undefined ? undefined : shortCode(jobId)],
    ['Model', job?.model == null ? undefined : shortCode(job.model)],
    ['Source', source === '' ? undefined : shortCode(source)],
    ['Run', context.runId === '' ? undefined : `[${context.runId}](<${context.runUrl}>)`],
  ];
  return rows.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as [string, string]]));
}

/** What else there is to say of the run, as Markdown. */
export function remarks({ removed, notes }: Known): string[] {
  if (removed === 0) return notes;
  const were = removed === 1 ? 'character was' : 'characters were';
  return [...notes, `${removed} invisible ${were} removed from the prompt.`];
}

/** The prompt as it was sent, as a block that can do nothing. */
export function promptBlock({ prompt }: Known): string[] {
  return prompt === undefined ? [] : [fenced(shownPrompt(prompt))];
}
