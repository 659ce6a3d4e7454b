import type { ModeResult } from '../../core/mode-result.ts';
import type { Reaction } from '../../github/threads.ts';
import { type Asked, isFollowUp, jobIdOf, jobOf, type Known } from '../known.ts';
import type { AgentResult } from '../result-schema.ts';
import type { Session } from '../session.ts';
import { bestEffort } from '../thread/best-effort.ts';
import { lookAtThread, takeBack } from '../thread/look.ts';
import { markerFacts } from '../thread/marker-facts.ts';
import { type Ending, isOfTheJob, pullRequestOf } from './ending.ts';
import { react } from './react.ts';
import { headed, jobSummary, skippedSummary, statusComment, type View } from './render.ts';
import { lineOf, wordsFor } from './words.ts';

const title = 'Docs Agent';

/** A cancelled run is killed 10 s after its cancellation; it ends by itself in well under half of that. */
const cancelledCloseMs = 3_500;
const shortestCloseMs = 1_000;
const closeMs = 300_000;
/** How long a write that nobody waits for any more may take to land. */
const landingMs = 5_000;

/**
 * The last act of every run: tells the thread how it ended, and gives the result with its outputs and summary. The outputs
 * come first, for whoever kills the run while it tells the thread.
 *
 * @param endingFrom the ending, by what was asked: a last look at the thread may tell of what a run before has asked.
 */
export async function conclude(endingFrom: (asked: Asked) => Ending, session: Session): Promise<ModeResult> {
  const { learn, deps } = session;
  const within = closingSignal(session);
  const speaks = speaksInThread(endingFrom(session.known.asked), session);
  const isThreadKnown = !speaks || (await lookIfUnsure(session, within));
  const ending = endingFrom(session.known.asked);
  learn({ ending, endedAtMs: session.known.endedAtMs ?? deps.clock.now() });
  for (const [name, value] of Object.entries(outputsOf(session))) deps.runner.setOutput(name, value);
  // While it is not known what stands in the thread, another comment could be one too many.
  const isTold = !speaks || (isThreadKnown && (await tellThread(ending, session, within)));
  // A cancelled run has no time to wait for what may still land: `post` has.
  learn({ isOver: isTold && !(deps.signal.aborted && session.known.status.openSinceMs !== undefined) });
  return resultOf(ending, session);
}

/** The result of a run that came to an ending, with all that is known of it. */
export function resultOf(ending: Ending, session: Session): ModeResult<AgentResult> {
  const { config, deps } = session;
  const { outcome, reason, error } = ending;
  const isError = outcome === 'failed' && reason !== 'job-failed';
  // The runner marks a cancelled job itself.
  const red = !deps.signal.aborted && (isError || config.failOn.has(outcome));
  const view = viewOf(ending, session);
  return {
    result: {
      outcome,
      reason,
      ...detailsOf(session),
      ...(error === undefined ? {} : { error: error.text }),
    },
    outputs: outputsOf(session),
    summary: summaryOf(view),
    message: {
      level: error === undefined ? levelOf(ending, red) : 'error',
      title,
      text: lastWords(view),
    },
    red,
  };
}

/** The job summary; none for what was not for us. */
function summaryOf(view: View): string | undefined {
  const { outcome, because } = view.state;
  if (outcome !== 'skipped') return jobSummary(view);
  return because === undefined ? undefined : skippedSummary(because);
}

/** Ends with what is left of a run's time for its end, which is less once it is cancelled, be it now or before. */
function closingSignal({ deps: { clock, signal }, cancelledAtMs }: Session): AbortSignal {
  const closing = new AbortController();
  const closeIn = (ms: number) => {
    const over = AbortSignal.timeout(Math.ceil(ms));
    over.addEventListener('abort', () => closing.abort(over.reason), { once: true });
  };
  if (cancelledAtMs === undefined) {
    closeIn(closeMs);
    signal.addEventListener('abort', () => closeIn(cancelledCloseMs), { once: true });
  } else {
    closeIn(Math.max(shortestCloseMs, cancelledCloseMs - (clock.monotonic() - cancelledAtMs)));
  }
  return closing.signal;
}

/** Whether the thread is told of this end at all: not of what is none of its business, nor before anybody was let in. */
function speaksInThread({ outcome }: Ending, { config, known }: Session): boolean {
  return known.isLetIn && !config.dryRun && outcome !== 'skipped' && outcome !== 'denied';
}

/**
 * What was sent and not answered may be there, or come in a moment: beside the comment, over it, or as one that has lost to
 * another run's. Gives whether it is known now what stands in the thread.
 */
async function lookIfUnsure(session: Session, within: AbortSignal): Promise<boolean> {
  const { thread, deps } = session;
  if (thread === undefined) return true;
  const { told, openSinceMs } = thread.status;
  const mayWait = openSinceMs !== undefined && !deps.signal.aborted;
  if (told !== 'unknown' && !mayWait) return true;
  if (mayWait) {
    const leftMs = Math.max(0, openSinceMs + landingMs - deps.clock.now());
    // Cancelled meanwhile, it goes on at once.
    await deps.clock.sleep(leftMs, deps.signal).catch(() => undefined);
  }
  const look = await bestEffort('Looking for the status comment', session, () =>
    lookAtThread(thread, session, { reach: 'own comment', within }),
  );
  // What was written by this run it can still edit.
  const isOwnKnown = thread.status.comment !== undefined;
  if (look === 'forbidden' && !isOwnKnown) session.leaveThread();
  return look !== 'failed' || isOwnKnown;
}

/** Tells the thread the end; gives whether there is nothing left to tell it. */
async function tellThread(ending: Ending, session: Session, within: AbortSignal): Promise<boolean> {
  const { deps, known } = session;
  if (known.standing?.is === 'elsewhere') return true;
  // The end of a job that was told once is only put right by what the job itself says.
  const isEndTold = known.status.told === 'the end';
  const isJobsEnd = isEndTold && !mayBeOverwritten(known);
  if (isJobsEnd && known.answer === undefined && !isOfTheJob(ending) && known.asked.is !== 'maybe')
    return true;

  if (session.thread !== undefined) await takeBack(session.thread, session, within);
  const done: string[] = [];
  const isToldAlready = isEndTold && known.status.outcome === ending.outcome && !mayBeOverwritten(known);
  // What was signed with another key stands there still, and cannot be edited as ours.
  const isOthers = known.isKeyChanged === true;
  if (known.answer === undefined && !isToldAlready && !isOthers) {
    const facts = markerFacts(known, deps.context, deps.clock.now());
    done.push(
      await bestEffort('Editing the status comment', session, async () =>
        session.thread?.show(facts, statusComment(viewOf(ending, session)), within),
      ),
    );
  }
  const reaction = reactionTo(ending);
  if (reaction !== undefined) done.push(await react(reaction, session, within));
  return !done.includes('failed');
}

/** Whether what stands as the status comment may be overwritten by a late write of this run; another run's may not. */
function mayBeOverwritten({ status, standing, nonce }: Known): boolean {
  const by = standing?.last?.marker.nonce ?? nonce;
  return status.openSinceMs !== undefined && by === nonce;
}

/** The verdict that is put under the comment that asked. */
export function reactionTo({
  outcome,
  isUnseen = false,
}: {
  readonly outcome: string;
  readonly isUnseen?: boolean | undefined;
}): Reaction | undefined {
  if (isUnseen) return 'confused';
  switch (outcome) {
    case 'pr-created':
      return 'rocket';
    case 'no-changes':
    case 'answered':
      return '+1';
    case 'archived':
    case 'failed':
    case 'timed-out':
      return 'confused';
    default:
      return undefined;
  }
}

function outputsOf({ known }: Session): Record<string, string> {
  const job = jobOf(known);
  const pullRequest = pullRequestOf(job);
  return {
    'job-id': jobIdOf(known) ?? '',
    'job-status': job?.status ?? '',
    'pr-link': pullRequest?.url ?? '',
    'pr-number': pullRequest?.number ?? '',
    'comment-url': known.status.comment?.url ?? '',
  };
}

/** What `result` says besides how it ended; `null` for what is not known. */
function detailsOf({ known, deps }: Session): Omit<AgentResult, 'outcome' | 'reason'> {
  const [jobId, job] = [jobIdOf(known), jobOf(known)];
  const pullRequest = pullRequestOf(job);
  return {
    mode: 'agent',
    job:
      jobId === undefined
        ? null
        : { id: jobId, status: job?.status ?? null, model: job?.model ?? null, source: job?.source ?? null },
    pullRequest: pullRequest === undefined ? null : { url: pullRequest.url, number: pullRequest.number },
    commentUrl: known.status.comment?.url ?? null,
    followUp: isFollowUp(known),
    durationMs: Math.round(deps.clock.now() - known.beganAtMs),
  };
}

/** An ending as people see it. */
function viewOf(ending: Ending, { known, deps }: Session): View {
  const { askedAtMs, endedAtMs = deps.clock.now() } = known;
  const isTimed = isOfTheJob(ending) || ending.outcome === 'timed-out';
  const tookMs = isTimed && askedAtMs !== undefined ? endedAtMs - askedAtMs : undefined;
  return { state: { ...ending, tookMs }, known, context: deps.context };
}

/** The last lines of the log. */
function lastWords({ state, known }: View): string {
  if (state.because !== undefined) return `Skipped: ${state.because}`;
  if (known.answer !== undefined && state.error === undefined) return inPlainWords(headed(known.answer)[0]);
  const words = wordsFor(state, known);
  const pullRequest = pullRequestOf(jobOf(known));
  const link = pullRequest === undefined ? [] : [`Pull request: ${pullRequest.url}`];
  const lines = [lineOf(words), ...words.next].map(inPlainWords);
  const [first = '', ...next] = lines;
  return [first, ...(state.error === undefined ? [] : [state.error.text]), ...next, ...link].join('\n');
}

/** Markdown as a log shows it: links by their names, and nothing bold. */
function inPlainWords(markdown: string): string {
  return markdown.replace(/\[(.*?)\]\(<.*?>\)/g, '$1').replaceAll('**', '');
}

function levelOf({ outcome, isUnseen }: Ending, red: boolean): ModeResult['message']['level'] {
  if (red) return 'error';
  if (isUnseen) return 'warning';
  switch (outcome) {
    case 'failed':
    case 'archived':
    case 'timed-out':
      return 'warning';
    case 'pr-created':
    case 'no-changes':
    case 'detached':
      return 'notice';
    default:
      return 'info';
  }
}
