import { hasGitHub } from '../deps.ts';
import {
  type Card,
  howEnded,
  isTerminal,
  isTooEarly,
  isUnanswered,
  jobOf,
  pullRequestOf,
} from '../requests/card/card.ts';
import { openText, restOfText } from '../requests/card/comment.ts';
import { isFollowed } from '../requests/card/pull.ts';
import { wordsFor } from '../requests/card/situation.ts';
import { endWithReply, markWorking, observe } from '../requests/card/transitions.ts';
import { findJob } from '../requests/follow/observed-job.ts';
import { settle } from '../requests/follow/settle.ts';
import { findMaker } from '../requests/run/find-job.ts';
import type { LiveRun } from '../requests/run/live.ts';
import {
  isAbandoned,
  isUnreadable,
  statusCommentOf,
  wasDenied,
} from '../requests/thread/claims.ts';
import { findCards, type PostedCard } from '../requests/thread/find.ts';
import { newestJob } from '../requests/thread/jobs.ts';
import { isUnwatched, requestsIn } from '../requests/thread/requests.ts';
import type { Job } from '../service/schemas.ts';
import { paragraphs } from '../text/markdown.ts';
import { linkTo, type Phrase, say, toMarkdown } from '../text/phrase.ts';
import type { PreparedRequest } from './prepare.ts';
import { describeMissingJob, describeRunningJob, helpText, noJob } from './texts.ts';

/** The most requests to the service for the unfinished jobs of one thread. */
const maxRequests = 40;
/** How many pages of a thread are searched for an earlier reply to the same person. */
const maxPages = 4;

/** Answers `help`, and commands that can't be parsed because of a `mistake`. */
export async function replyWithHelp(mistake: string | undefined, run: LiveRun): Promise<void> {
  await run.readThread('own comment');
  const { line, rest } = helpText(run.card.command, mistake);
  await reply('help', line, run, rest);
}

/**
 * Answers `status` with the state of the thread's newest job. Then finishes the thread's requests
 * that no process watches.
 */
export async function replyWithStatus(run: LiveRun): Promise<void> {
  await run.readThread('all');
  if (isUnreadable(run.found?.newer ?? [], run.card.key))
    return reply('status', newerVersionLine(run.card), run);
  const { jobId, askedAt } = newestJob(run.cards) ?? (await findMaker(run));
  if (jobId === undefined) {
    await replyWithoutJob(run);
    return settleThread(run);
  }
  // Without the time of the request, no one waits minutes for a new job to appear.
  const job = await findJob(jobId, undefined, run.deps, { awaitsLink: true });
  if (job === undefined) {
    const isNew = isTooEarly(askedAt, run.deps.clock.now());
    await reply('status', describeMissingJob(jobId, isNew), run);
    return settleThread(run);
  }
  await replyWithJob(job, run);
  return settleThread(run);
}

/** What to do if a newer version wrote the thread's cards, on one line. */
function newerVersionLine(card: Card): Phrase {
  const words = wordsFor({ ...card, stop: { outcome: 'failed', reason: 'newer-version' } });
  return [...words.signed, ...words.next.flatMap((phrase) => [' ', ...phrase])];
}

/** Updates the status comments of unfinished requests in the thread, as collect mode does. */
async function settleThread(run: LiveRun) {
  const { deps } = run;
  const { checks, publishBranch } = run.plan;
  if (!hasGitHub(deps) || run.card.thread === undefined) return;
  const nowMs = deps.clock.now();
  const open = requestsIn(run.cards).filter(({ card }) => isUnwatched(card, nowMs));
  const options = { checks, publishBranch, maxRequests };
  const act = () => settle(open, options, deps);
  await run.tryTo(act, 'A later run tries again.');
}

/**
 * Replies to a person who isn't allowed to use commands, once in a thread. A person who wrote no
 * command expects no reply.
 */
export async function postDenial(run: LiveRun): Promise<void> {
  const { card } = run;
  if (!card.isCommand || card.stop?.outcome !== 'denied') return;
  await run.tryTo(async () => {
    if (await hasReply(run)) return;
    const saved = await run.store?.save(card);
    if (saved !== undefined) run.become(saved);
  });
  await run.react('confused');
}

/** Whether the thread has a reply to this person, or can't have one. */
async function hasReply(run: LiveRun) {
  const { requester = '', thread } = run.card;
  if (thread === undefined) return true;
  let pages = 0;
  // Only a few pages are read, so that a stranger can't cause many requests. In a long thread, they
  // may get a second reply.
  const isEnough = (cards: readonly PostedCard[]) => {
    pages += 1;
    return pages === maxPages || wasDenied(cards, requester);
  };
  const { ours } = await findCards({ thread, isEnough }, [run.plan.owner], run.deps);
  return statusCommentOf(ours, run.card) !== undefined || wasDenied(ours, requester);
}

/**
 * Tells a commenter about bad inputs, if no status comment can: without a key and a project, no
 * comment can be signed.
 */
export async function replyIfUnsigned(request: PreparedRequest, run: LiveRun): Promise<void> {
  const { card } = run;
  const { thread } = request;
  if (!card.isCommand || card.stop?.reason !== 'bad-input' || card.attempt !== 1) return;
  const canSign = request.card.thread !== undefined;
  if (canSign || thread === undefined) return;
  await run.tryTo(async () => run.deps.github?.createComment(thread, openText(card)));
}

/**
 * Posts the answer to a command: its first line, and the rest as Markdown. A re-run edits the same
 * comment.
 */
async function reply(reason: 'help' | 'status', line: Phrase, run: LiveRun, rest = '', job?: Job) {
  run.answer = line;
  const text = paragraphs([toMarkdown(line), rest]);
  run.become(endWithReply(run.card, { outcome: 'answered', reason }, text, job));
  await run.show();
}

/** Says why no job is known. */
async function replyWithoutJob(run: LiveRun) {
  const { command } = run.card;
  const line = whyNoJob(run);
  if (line !== noJob.none && line !== noJob.notStarted) return reply('status', line, run);
  const rest = `Ask with \`${command} …\`, for example \`${command} document this\`.`;
  await reply('status', line, run, rest);
}

function whyNoJob({ found, card: { thread }, deps }: LiveRun): Phrase {
  if (found === undefined || thread === undefined) return noJob.unreadable;
  const nowMs = deps.clock.now();
  const requests = found.ours.filter(({ card }) => card.ask !== 'reply');
  const isBeingSent = (posted: PostedCard) =>
    isUnanswered(posted.card) && !isAbandoned(posted, nowMs);
  if (requests.some(isBeingSent)) return noJob.sending;
  const mayHaveJob = ({ card }: PostedCard) =>
    card.state.is === 'sending' || howEnded(card) === 'unconfirmed';
  if (requests.some(mayHaveJob)) return noJob.unconfirmed;
  if (found.ofOtherKeys.length > 0) return noJob.otherKey;
  return requests.length > 0 ? noJob.notStarted : noJob.none;
}

/** Whether a later run updates a status comment. It doesn't once a run has given up on the job. */
function isOpen(card: Card, nowMs: number): boolean {
  if (card.stop?.reason === 'given-up') return false;
  return card.state.is !== 'ended' || isFollowed(card, nowMs);
}

/** Describes the thread's newest job in the words of its status comment. */
async function replyWithJob(job: Job, run: LiveRun) {
  const { card } = run;
  const nowMs = run.deps.clock.now();
  const last = run.cards.findLast((posted) => jobOf(posted.card)?.id === job.id);
  const asked = markWorking({ ...card, ask: 'attach', pull: last?.card.pull }, job);
  const observed = observe(asked, { job, isLinkFinal: true }, nowMs);
  const { card: after } = await run.lookAtPull(observed);
  run.become({ ...card, pull: after.pull, remarks: after.remarks });
  const kept = last && isOpen(last.card, nowMs) ? last : undefined;
  if (isTerminal(job.status)) {
    const words = wordsFor(after);
    let where = '';
    // No one edits the answer when the pull request is merged.
    if (kept !== undefined && pullRequestOf(job) !== undefined)
      where = toMarkdown(say`${linkTo('The status comment', kept.comment.url)} stays up to date.`);
    return reply('status', words.signed, run, paragraphs([restOfText(after, words), where]), job);
  }
  const where = kept && linkTo('the status comment', kept.comment.url);
  const rest = where && toMarkdown(say`The pull request will be linked in ${where}.`);
  return reply('status', describeRunningJob(job, nowMs), run, rest, job);
}
