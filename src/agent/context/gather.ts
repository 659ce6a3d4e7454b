import { createHash } from 'node:crypto';
import { InputError } from '../../core/errors.ts';
import type { Comparison, Issue, PullRequest, ReviewComment } from '../../github/changes.ts';
import { GitHubError } from '../../github/errors.ts';
import type { PushEvent } from '../../github/event.ts';
import { hasFailed, isNamed } from '../../requests/card/pull.ts';
import type { RunContext } from '../../runner/context.ts';
import { counted } from '../../text/counts.ts';
import { dayMs } from '../../text/duration.ts';
import { joined, shortCode } from '../../text/markdown.ts';
import type { About, ReviewWords, SinceRef } from '../about.ts';
import type { Change } from './change.ts';
import { mergedIn, type Pushed, type PushReading } from './push.ts';

/** How many earlier releases are checked for one that is in the history of the new release. */
const maxReleases = 5;
const maxChecks = 3;
const maxAnnotations = 20;

export interface Gathering extends PushReading {
  readonly about: About;
  /** The push, if it was already read. */
  readonly pushed: Pushed | undefined;
  readonly isOwn: (url: string) => Promise<boolean>;
}

/** Reads what a request is about. @throws GitHubError if that fails; InputError if `changes-since` is wrong. */
export async function gather(gathering: Gathering): Promise<Change> {
  return { ...(await readChange(gathering)), review: await readReview(gathering) };
}

async function readChange(gathering: Gathering): Promise<Change> {
  const { change } = gathering.about;
  if (change === undefined) return readThread(gathering);
  if (change.kind === 'pull-request') return readUnmoved(change.number, gathering);
  if (change.kind === 'push') return readPushed(change.push, gathering);
  if (change.kind === 'release') return readRelease(change.tag, gathering);
  return readRange(change, gathering);
}

/** Only the title of a thread that can't be read: the source of its description may contain text that readers don't see. */
export function gatherFromEvent(
  { thread, review }: About,
  context: RunContext,
): Change | undefined {
  if (thread?.written === undefined) return undefined;
  const { number, written, isPullRequest } = thread;
  const url = `${context.repositoryUrl}/${isPullRequest ? 'pull' : 'issues'}/${number}`;
  const unread = { body: { source: '', rendered: '' }, labels: [], isBodyEdited: false };
  return {
    topic: topicOf(thread),
    thread: { ...written, ...unread, number, isPullRequest, url },
    review: review?.place && { place: review.place, comments: [] },
  };
}

/** The comments in the review that is the request. For a single comment, the earlier comments in its conversation. */
async function readReview({ about, github }: Gathering): Promise<ReviewWords | undefined> {
  if (about.review === undefined) return undefined;
  const { number, id: review, place, postedAtMs = Number.POSITIVE_INFINITY } = about.review;
  // The comment begins its conversation, so there are no earlier comments.
  if (place !== undefined && place.conversation === place.id) return { place, comments: [] };
  const comments = await github.readReviewComments(number);
  const isPart = ({ id, reviewId, conversation }: ReviewComment) =>
    place === undefined
      ? reviewId === review
      : conversation === place.conversation && id < place.id;
  const parts = comments.filter(isPart);
  // The author of a review wrote all its comments, and GitHub may date them to the moment when the review was submitted.
  const read =
    place === undefined ? parts : parts.filter(({ editedAtMs }) => editedAtMs <= postedAtMs);
  return { place, comments: read, edited: parts.length - read.length };
}

/** Reads a pull request and its files. If the head moves in the meantime, reads both again. */
async function readUnmoved(number: number, gathering: Gathering): Promise<Change> {
  const { about, github } = gathering;
  const read = async () => expected(await github.readPullRequest(number), `pull request ${number}`);
  const pull = await read();
  const change = await withFiles(pull, gathering);
  const now = pull.state === 'open' && change.files.isOfHead !== true ? await read() : pull;
  const { headSha = now.headSha } = about.review ?? {};
  const last = now.headSha === pull.headSha ? change : await withFiles(now, gathering);
  return { ...last, hasNewCommits: headSha !== last.head };
}

function expected<T>(found: T | undefined, what: string): T {
  if (found !== undefined) return found;
  const hint = 'Check `thread`, and the `permissions` of this job.';
  throw new GitHubError(`There is no ${what}, or the token can’t read it`, { hint });
}

async function readPushed(push: PushEvent, gathering: Gathering): Promise<Change> {
  const { comparison, pullRequest } = gathering.pushed ?? {};
  const { before, after, message, actor } = push;
  if (pullRequest !== undefined) return withFiles(pullRequest, gathering, message);
  const { pullRequests, isAll } = await mergedIn(comparison, gathering);
  return {
    ...rangeOf(comparison),
    topic: `the push of ${before}...${after} to ${push.ref.replace(/^refs\/heads\//, '')}`,
    head: after,
    pullRequests,
    consistsOf: await Array.fromAsync(isAll ? pullRequests : [], (pull) => judged(pull, gathering)),
    // A merge queue is a bot, but the changes that it pushes were written by other people.
    pusher: pullRequests.length === 0 ? actor : undefined,
    headMessage: message,
  };
}

/** Reads a release, and the changes since the latest earlier release in its history. */
async function readRelease(tag: string, gathering: Gathering): Promise<Change> {
  const { github } = gathering;
  const release = expected(await github.readRelease(tag), `published release ${shortCode(tag)}`);
  const earlier = (await github.readReleases()).filter(
    (other) => other.tag !== tag && other.publishedAtMs <= release.publishedAtMs,
  );
  for (const { tag: since } of earlier.slice(0, maxReleases)) {
    const comparison = await github.compare(since, tag);
    if (comparison?.status !== 'ahead' && comparison?.status !== 'identical') continue;
    const topic = `release ${tag}, which follows ${since}`;
    return { ...rangeOf(comparison), topic, head: tag, thread: await threadOf(gathering), release };
  }
  return { topic: `release ${tag}`, head: tag, release, hasBase: false };
}

async function readRange({ since, head }: SinceRef, gathering: Gathering): Promise<Change> {
  const { github, clock } = gathering;
  const isDays = typeof since === 'number';
  const lastBefore = async (ms: number) => (await github.lastCommitBefore(head, ms))?.sha;
  const base = isDays ? await lastBefore(clock.now() - since * dayMs) : since;
  const comparison = base === undefined ? undefined : await github.compare(base, head);
  if (comparison === undefined && !isDays) {
    const problem = 'must be a tag, branch, or commit that shares history with the run’s commit';
    throw new InputError([{ input: 'changes-since', got: since, problem }]);
  }
  const { pullRequests } = await mergedIn(comparison, gathering);
  const range = isDays ? `of the last ${since} days` : `since ${since}`;
  const topic = `the changes ${range}, up to ${head}`;
  return { ...rangeOf(comparison), topic, head, thread: await threadOf(gathering), pullRequests };
}

/** Reads an issue, or a pull request without its changes. */
async function readThread(gathering: Gathering): Promise<Change> {
  const number = gathering.about.thread?.number ?? 0;
  const thread = expected(await threadOf(gathering), `issue or pull request ${number}`);
  const words = JSON.stringify([thread.title, thread.body.source]);
  const head = createHash('sha256').update(words).digest('base64url').slice(0, 12);
  return { topic: topicOf(thread), head, thread };
}

function topicOf({ number, isPullRequest }: Pick<Issue, 'number' | 'isPullRequest'>): string {
  return `${isPullRequest ? 'pull request' : 'issue'} #${number}`;
}

/** Reads the files of a pull request. @param headMessage the message of the newest commit, if it is known. */
async function withFiles(pull: PullRequest, gathering: Gathering, headMessage?: string) {
  const { about, github } = gathering;
  const { number, headSha, baseRef, state: pullState, mergeCommitSha } = pull;
  const state = pullState === 'closed' ? 'closed without merging' : pullState;
  const readMessage = async () => (await github.readCommit(mergeCommitSha ?? headSha))?.message;
  return {
    pullState,
    topic: `pull request #${number} (${state}), from commit ${headSha} into ${baseRef}`,
    head: headSha,
    thread: about.sendsThread ? wordsOf(pull, about) : undefined,
    consistsOf: [await judged(pull, gathering)],
    headMessage: about.maySkip ? (headMessage ?? (await readMessage())) : undefined,
    files: await github.readPullRequestFiles(pull),
    ...(await readFailedChecks(pull, gathering)),
  };
}

/** What the failed checks of a bot's open pull request say. `unread`: what couldn't be read, in Markdown. */
async function readFailedChecks({ author, state, headSha }: PullRequest, gathering: Gathering) {
  const { about, github } = gathering;
  if (!author.isBot || state !== 'open' || about.checks.length === 0) return {};
  const unread: string[] = [];
  const asFarAsReadable = async <T>(what: string, read: () => Promise<T>): Promise<T | undefined> =>
    read().catch((error: unknown) => {
      if (!(error instanceof GitHubError)) throw error;
      unread.push(`${what} couldn’t be read, so they weren’t sent.`);
      return undefined;
    });
  const read = await asFarAsReadable('The failed checks', () => github.readChecks(headSha));
  const failed =
    read?.checks.filter((check) => hasFailed(check) && isNamed(check, about.checks)) ?? [];
  const lines: string[] = [];
  let remaining = maxAnnotations;
  for (const { id, app, name, output } of failed.slice(0, maxChecks)) {
    const { title, annotations_count: count = 0, summary } = output ?? {};
    const most = Math.min(count, remaining);
    const readMost = async () => (most === 0 ? [] : github.readAnnotations(id, most));
    const annotations = await asFarAsReadable(
      `The annotations of ${shortCode(`${app}/${name}`)}`,
      readMost,
    );
    remaining -= annotations === undefined ? 0 : most;
    const more = annotations && count > most ? `(${counted(count - most, 'more annotation')})` : '';
    lines.push(`${app}/${name}`, title ?? '', ...(annotations ?? []), more, summary ?? '');
  }
  if (failed.length > maxChecks)
    lines.push(`(${counted(failed.length - maxChecks, 'more check')})`);
  return { failedChecks: joined(lines, '\n'), unread: joined(unread) };
}

async function judged(pull: PullRequest, { about, isOwn }: Gathering) {
  return { ...pull, isOwn: about.maySkip && (await isOwn(pull.url)) };
}

async function threadOf({ about, github }: Gathering): Promise<Change['thread']> {
  if (about.thread === undefined) return undefined;
  const issue = await github.readIssue(about.thread.number);
  return issue && wordsOf(issue, about);
}

/** The text of a thread at the time of the event, because the author of the request hasn't read later edits. */
function wordsOf(issue: Issue, { thread }: About) {
  const { title = issue.title, body = issue.body.source } = thread?.written ?? {};
  return { ...issue, title, isBodyEdited: body !== issue.body.source };
}

function rangeOf(comparison: Comparison | undefined) {
  if (comparison === undefined) return { hasBase: false };
  const { commits, totalCommits } = comparison;
  return { commits, totalCommits, files: comparison };
}
