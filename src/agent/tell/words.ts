import { formatDuration } from '../../lib/duration.ts';
import { fenced, shortCode } from '../../lib/markdown.ts';
import type { Outcome } from '../../lib/outcome.ts';
import type { RunContext } from '../../runner/context.ts';
import { isFollowUp, jobIdOf, jobOf, type Known, shownPrompt, type Tellable } from '../known.ts';
import { pullRequestOf } from './ending.ts';

/*
 * What people read of a run: the same words in the status comment, in the job summary and in the log. Everything that
 * comes from outside is shown as code.
 */

/** The state a run is in or has ended in. */
export interface State {
  readonly outcome: Outcome | 'starting' | 'working';
  readonly reason: string;
  /** Why a change was skipped. */
  readonly because?: string | undefined;
  /** What ended the run, where that was an error. */
  readonly error?: { readonly text: string } | undefined;
}

/** Where a message was sent to a job whose end may be from before it. */
export const followUpUnseen =
  'The job was not seen to take up the message: what it shows may be from before it.';

interface Words {
  /** One line of Markdown. */
  readonly headline: string;
  /** What to do now, as Markdown lines; may be empty. */
  readonly next: readonly string[];
}

/** Headline and next steps of a state. */
export function wordsFor(state: State, known: Tellable): Words {
  const { command, threadNumber } = known;
  const jobId = jobIdOf(known);
  // Only a run that a command started is known to have commands listened to in its thread.
  const listens = known.sourceCommentId !== undefined && threadNumber !== undefined;
  const goOn = listens ? `continue with \`${command} …\`` : 'run with its `job-id` and a new prompt';
  const lookLater = listens
    ? `\`${command} status\` tells how it stands; running the workflow run again follows it to its end.`
    : threadNumber === undefined
      ? 'Pick it up by running with this `job-id`.'
      : 'Running the workflow run again follows it to its end.';
  switch (state.outcome) {
    case 'starting':
      return { headline: 'Asking the writing agent …', next: [] };
    case 'working':
      return {
        headline: isFollowUp(known)
          ? 'The writing agent is at work on the follow-up.'
          : 'The writing agent is at work.',
        next: ['This comment will carry the link of the pull request.'],
      };
    case 'pr-created':
      return {
        headline: `${link(known)} is ready.`,
        next: [`For changes to it, ${goOn}${listens ? `; for a new job, \`${command} --new …\`` : ''}.`],
      };
    case 'no-changes':
      return {
        headline: 'The agent finished without a pull request.',
        next: [`Nothing had to change, or the project is set to commit directly. To ask for more, ${goOn}.`],
      };
    case 'archived':
      return {
        headline: 'The job was archived.',
        next: [
          `${listens ? `\`${command} …\`` : 'A run without `job-id`'} starts a new one.`,
          ...leftLink(known),
        ],
      };
    case 'timed-out':
      return {
        headline: stoppedWatching(state.reason),
        next: [state.reason === 'given-up' ? 'The service’s dashboard tells how it ended.' : lookLater],
      };
    case 'detached':
      if (state.reason !== 'not-waited')
        return { headline: 'Watching stopped; the job goes on.', next: [lookLater] };
      return {
        headline: 'The agent was asked; this run does not wait for it.',
        // Run again, it does not wait either.
        next:
          threadNumber === undefined
            ? [lookLater]
            : [
                listens
                  ? `\`${command} status\` tells how it stands, and where its pull request is. That, or a run with \`mode: collect\`, brings its end into the thread.`
                  : 'A run with `mode: collect` brings its end into the thread once there is one, and so does running this one again.',
              ],
      };
    case 'failed':
      return failedWords(state, known);
    case 'answered':
    case 'skipped':
    case 'denied':
    case 'reported':
    case 'collected':
      return {
        headline: jobId === undefined ? 'Nothing was asked of the agent.' : `Job ${shortCode(jobId)}.`,
        next: [],
      };
  }
}

function stoppedWatching(reason: string): string {
  switch (reason) {
    case 'given-up':
      return 'The job was still at work when it was last looked at; its end is no longer looked for.';
    case 'never-seen':
      return 'This run has stopped watching; it could never see how the job stands.';
    default:
      return 'This run has stopped watching; when it last looked, the job was still at work.';
  }
}

function failedWords({ reason }: State, known: Tellable): Words {
  const { command, sourceCommentId } = known;
  if (reason === 'key-changed') {
    const again = sourceCommentId === undefined ? 'Start a new run' : `\`${command} --new …\``;
    return {
      headline:
        'It cannot be known whether this was asked before: the thread was written with another API key.',
      next: [`Nothing is sent a second time by itself. ${again} asks anew.`],
    };
  }
  if (reason === 'unconfirmed' || known.asked.is === 'maybe') {
    const how = sourceCommentId === undefined ? 'running again' : `asking again with \`${command} --new …\``;
    return {
      headline: `It cannot be known whether the service has taken the request: ${isFollowUp(known) ? 'the message may have arrived' : 'a job may exist'}.`,
      next: [`Nothing is sent a second time by itself. Look into the service’s dashboard before ${how}.`],
    };
  }
  if (reason === 'job-failed') {
    return {
      headline: 'The job failed.',
      next: ['The service gives no reason; its dashboard may. Running again asks anew.', ...leftLink(known)],
    };
  }
  if (jobIdOf(known) !== undefined)
    return { headline: 'The job can no longer be followed; how it ended is not known.', next: [] };
  return {
    headline:
      reason === 'cancelled' ? 'Cancelled before the agent was asked.' : 'The agent could not be asked.',
    next: ['Nothing was created. Running again is safe.'],
  };
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
export function facts(known: Known, context: RunContext, nowMs: number, over: boolean): [string, string][] {
  const { asker, askedAtMs } = known;
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
    ['Time taken', over && askedAtMs !== undefined ? formatDuration(nowMs - askedAtMs) : undefined],
    ['Run', context.runId === '' ? undefined : `[${context.runId}](<${context.runUrl}>)`],
  ];
  return rows.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as [string, string]]));
}

/** What else there is to say of the run, as Markdown. */
export function remarks({ removed, notes }: Tellable): string[] {
  if (removed === 0) return notes;
  const were = removed === 1 ? 'character was' : 'characters were';
  return [...notes, `${removed} invisible ${were} removed from the prompt.`];
}

/** The prompt as it was sent, as a block that can do nothing. */
export function promptBlock({ prompt }: Known): string[] {
  return prompt === undefined ? [] : [fenced(shownPrompt(prompt))];
}
