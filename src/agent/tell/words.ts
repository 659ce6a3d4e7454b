import type { Explained } from '../../core/failure.ts';
import type { AgentOutcome } from '../../core/outcome.ts';
import { formatDuration } from '../../text/duration.ts';
import { isFollowUp, jobIdOf, type Tellable } from '../known.ts';
import { askAnew, goOn, isHeard, leftLink, link, startsAnew, whereItIs, whereToLook } from './next-steps.ts';

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
export function lineOf({ headline, more }: Pick<Words, 'headline' | 'more'>): string {
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
    case 'working': {
      const it = isFollowUp(known) && isHeard(known) ? 'the follow-up' : 'it';
      return words('⏳', `The writing agent is working on ${it}.`, '', [
        'The pull request will be linked here.',
      ]);
    }
    case 'pr-created': {
      const startOver = isHeard(known) ? `; start over with \`${command} --new …\`` : '';
      // Whoever has merged into a job's open pull request asked for no follow-up.
      const isAskedFor = isFollowUp(known) && isHeard(known);
      const headline = isAskedFor ? `The follow-up is done: ${link(known)}` : `${link(known)} is ready`;
      return timedWords('✅', headline, took, [
        ...whereItIs(known),
        `Ask for changes with ${goOn(known)}${startOver}.`,
      ]);
    }
    case 'no-changes':
      return words(
        '☑️',
        'The agent finished without a pull request:',
        'nothing had to change, or it is set to commit directly.',
        [`Ask for more with ${goOn(known)}.`],
      );
    case 'archived':
      return timedWords('⚠️', 'The job was archived', took, [startsAnew(known), ...leftLink(known)]);
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
    case 'skipped':
      return words('☑️', 'Nothing was asked of the agent.');
  }
}

function words(sign: Words['sign'], headline: string, more = '', next: readonly string[] = []): Words {
  return { sign, headline, more, next };
}

/** A headline without its full stop, and behind it how long it took, where that is known. */
function timedWords(sign: Words['sign'], headline: string, took: string, next: readonly string[]): Words {
  return took === '' ? words(sign, `${headline}.`, '', next) : words(sign, headline, `${took}.`, next);
}

/** How long a run has waited, in whole minutes: the seconds of its last look tell nothing. */
function lasted(tookMs: number | undefined): string {
  return tookMs === undefined ? '' : ` after ${formatDuration(Math.floor(tookMs / minuteMs) * minuteMs)}`;
}

function timedOutWords({ reason, tookMs }: State, known: Tellable): Words {
  const next = [whereToLook(known)];
  switch (reason) {
    case 'given-up':
      return words(
        '⚠️',
        'The job was still running when it was last looked at.',
        'Its end is no longer looked for.',
        ['The service’s dashboard tells how it ended.'],
      );
    case 'never-seen':
      return words('⚠️', 'This run stopped waiting; it could never see how the job stands.', '', next);
    default:
      return words('⏳', `Still running${lasted(tookMs)}; this run stopped waiting.`, '', next);
  }
}

function leftRunningWords(known: Tellable): Words {
  const headline = `${whatWasDone(known)}; this run does not wait.`;
  if (known.threadNumber === undefined) return words('⏳', headline, '', [whereToLook(known)]);
  const collecting = 'a run with `mode: collect` brings its end into the thread';
  // Run again, it does not wait either.
  const next = isHeard(known)
    ? `\`${known.command} status\` shows how it stands. That, or ${collecting}.`
    : `Once it has ended, ${collecting}, and so does running this one again.`;
  return words('⏳', headline, '', [next]);
}

function whatWasDone({ asked }: Tellable): string {
  if (asked.is !== 'yes') return 'Asked';
  switch (asked.by) {
    case 'creating':
      return 'Started';
    case 'messaging':
      return 'Sent to the agent';
    case 'attaching':
      return 'The job goes on';
  }
}

/** A message was sent to a job whose end may be from before it. */
function unseenWords(outcome: State['outcome'], known: Tellable): Words {
  return words(
    '⚠️',
    'The job was not seen to take up the follow-up.',
    `It shows ${shownEnd(outcome, known)}; that may be from before.`,
    [
      outcome === 'archived' || outcome === 'failed'
        ? startsAnew(known)
        : `If it is, ask again with ${goOn(known)}.`,
    ],
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
  const nothingSent = 'Nothing is sent again by itself.';
  if (reason === 'key-changed') {
    return words(
      '⚠️',
      'We can’t tell whether this was asked before:',
      'the thread was written with another API key.',
      [`${nothingSent} If the service’s dashboard does not show it, ${askAnew(known)}.`],
    );
  }
  if (reason === 'unconfirmed' || known.asked.is === 'maybe') {
    return words(
      '⚠️',
      'We can’t tell whether the service accepted the request.',
      isFollowUp(known) ? 'The message may have arrived.' : 'A job may exist.',
      [`${nothingSent} If the service’s dashboard does not show it, ${askAnew(known)}.`],
    );
  }
  if (reason === 'job-failed') {
    const { headline, more } = timedWords('❌', 'The job failed', took, []);
    return words('❌', headline, `${more} The service gives no reason; its dashboard may.`.trimStart(), [
      ...(isFollowUp(known) || known.prompt === undefined
        ? [startsAnew(known)]
        : ['Re-running starts a new job.']),
      ...leftLink(known),
    ]);
  }
  if (jobIdOf(known) !== undefined)
    return words('⚠️', 'The job can no longer be followed.', 'How it ended is not known.', [
      startsAnew(known),
    ]);
  return unaskedWords(reason, error?.title, known);
}

/** An error before anything was asked of the agent. */
function unaskedWords(reason: string, title: string | undefined, { prompt }: Tellable): Words {
  const nothing = 'Nothing was asked of the agent.';
  switch (reason) {
    case 'cancelled':
    case 'interrupted':
      return words('⚠️', 'Stopped before the agent was asked.', 'Re-running the workflow is safe.');
    case 'rate-limited':
      return words('⚠️', 'The service’s hourly limit is reached.', nothing);
    case 'bad-input':
      return words('❌', `${title ?? 'An input is wrong'}.`, nothing);
    default:
      return prompt === undefined
        ? words('❌', 'The job could not be looked at.', nothing)
        : words('❌', 'The agent could not be asked.', 'Nothing was created.');
  }
}
