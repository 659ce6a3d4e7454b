import { branchOf } from '../../core/address.ts';
import { InputError } from '../../core/errors.ts';
import { shortHash } from '../../core/hash.ts';
import type {
  ChangedFile,
  Comparison,
  FileList,
  Issue,
  PullRequest,
} from '../../github/changes.ts';
import { requireFound } from '../../github/errors.ts';
import type { PushEvent } from '../../github/event.ts';
import type { CardSearch } from '../../requests/run/plan.ts';
import type { RunContext } from '../../runner/context.ts';
import { dayMs } from '../../text/duration.ts';
import { code } from '../../text/markdown.ts';
import type { Scrub } from '../../text/scrub.ts';
import type { About, ChangeRef, ReviewWords, SinceRef } from '../about.ts';
import type { Change } from './change.ts';
import { readFailedChecks } from './failed-checks.ts';
import { describeLeftOut, findPathsLeftOut, type Parts, readParts } from './parts.ts';
import { findMergedIn, type Pushed, type PushReading } from './push.ts';
import { compareWithEarlier } from './releases.ts';

/** What was read of a push; nothing if the change isn't one. */
export interface PushRead {
  readonly pushed?: Pushed | undefined;
  /** The pull requests of the push, if it merged several, or perhaps more than one. */
  readonly parts?: Parts | undefined;
}

export interface Gathering extends PushReading, PushRead, Pick<CardSearch, 'findOwn'> {
  readonly about: About;
  readonly scrub: Scrub;
}

/**
 * Reads what a request is about. @throws GitHubError if that fails; InputError if `changes-since`
 * is wrong.
 */
export async function gather(gathering: Gathering): Promise<Change> {
  const change = await readChange(gathering);
  return { ...change, review: await readReview(gathering) };
}

async function readChange(gathering: Gathering): Promise<Change> {
  const { change } = gathering.about;
  if (!change) return readThread(gathering);
  if (change.kind === 'pull-request') return readUnmoved(change.number, gathering);
  if (change.kind === 'push') return readPushed(change.push, gathering);
  if (change.kind === 'release') return readRelease(change, gathering);
  return readRange(change, gathering);
}

/**
 * Only the title of a thread that can't be read: the source of its description may contain text
 * that readers don't see.
 */
export function gatherFromEvent(about: About, context: RunContext): Change | undefined {
  const { thread } = about;
  if (!thread?.written) return undefined;
  const { number, isPullRequest } = thread;
  const url = `${context.repositoryUrl}/${isPullRequest ? 'pull' : 'issues'}/${number}`;
  const body = { source: '', rendered: '' };
  const unread = { body, labels: [], commentCount: 0, isBodyEdited: false };
  const place = about.request?.review?.place;
  return {
    topic: topicOf(thread),
    thread: { ...thread.written, ...unread, number, isPullRequest, url },
    review: place && { place, comments: [] },
  };
}

/**
 * The comments in the review that is the request. For a single comment, the earlier comments in its
 * conversation.
 */
async function readReview({ about, github }: Gathering): Promise<ReviewWords | undefined> {
  const { review, postedAtMs = Number.POSITIVE_INFINITY } = about.request ?? {};
  if (!review) return undefined;
  const { place } = review;
  // The comment begins its conversation, so there are no earlier comments.
  if (place && place.conversation === place.id) return { place, comments: [] };
  const comments = await github.readReviewComments(review.number);
  // The author of a review wrote all its comments, and GitHub may date them to the moment when the
  // review was submitted, so none counts as edited.
  if (!place) return { place, comments: comments.filter((part) => part.reviewId === review.id) };
  const earlier = comments.filter(
    ({ id, conversation }) => conversation === place.conversation && id < place.id,
  );
  const unedited = earlier.filter((comment) => comment.editedAtMs <= postedAtMs);
  return { place, comments: unedited, editedCount: earlier.length - unedited.length };
}

/** Reads a pull request and its files. If the head moves in the meantime, reads both again. */
async function readUnmoved(number: number, gathering: Gathering) {
  const { about, github } = gathering;
  const readPull = async () => {
    const pull = await github.readPullRequest(number);
    return requireFound(pull, `pull request ${number}`, '`pull-requests: read`');
  };
  const pull = await readPull();
  let change = await readFiles(pull, gathering);
  if (pull.state === 'open' && change.files.isOfHead !== true) {
    const newer = await readPull();
    if (newer.headSha !== pull.headSha) change = await readFiles(newer, gathering);
  }
  const headOfReview = about.request?.review?.headSha;
  const hasNewCommits = headOfReview !== undefined && headOfReview !== change.head;
  return { ...change, hasNewCommits };
}

async function readPushed(push: PushEvent, gathering: Gathering) {
  const { comparison, pullRequest, merged } = gathering.pushed ?? {};
  if (pullRequest) return readFiles(pullRequest, gathering, push.message);
  const branch = branchOf(push.ref);
  const change = {
    ...rangeOf(comparison),
    topic: `the push of ${push.before}...${push.after} to ${branch}`,
    head: push.after,
  };
  const { parts } = gathering;
  if (parts) return { ...change, ...(await readSeveral(parts, change.files, gathering)) };
  const pullRequests = merged?.pullRequests ?? [];
  // A merge queue is a bot, but the changes that it pushes were written by other people.
  const pusher = pullRequests.length === 0 ? push.actor : undefined;
  return { ...change, pullRequests, pusher, headMessage: push.message };
}

/** The pull requests of a push, without those that would be skipped alone. */
async function readSeveral(parts: Parts, list: FileList | undefined, gathering: Gathering) {
  const { about, github } = gathering;
  const consistsOf = parts.rest === 'nothing' ? parts.all : [];
  const found = { consistsOf, pullRequests: parts.kept };
  if (!parts.main) return found;
  const pull = about.sendsThread ? await github.readPullRequest(parts.main.number) : undefined;
  const several = { ...found, thread: pull && toThread(pull, gathering) };
  if (parts.leftOut.length === 0) return several;
  const paths = (await findPathsLeftOut(parts, github)) ?? new Set();
  const isLeftOut = ({ path, oldPath = path }: ChangedFile) =>
    paths.has(path) && paths.has(oldPath);
  if (!list?.files.some(isLeftOut)) return { ...several, leftOut: describeLeftOut(parts, false) };
  const files = list.files.filter((file) => !isLeftOut(file));
  const leftOut = describeLeftOut(parts, true);
  // The commits of those that are left out can't always be told from the others.
  return { ...several, files: { ...list, files }, commits: [], totalCommits: 0, leftOut };
}

/** Reads a release, and the changes since the nearest earlier one of its package. */
async function readRelease(
  { tag, isPrerelease }: Extract<ChangeRef, { kind: 'release' }>,
  gathering: Gathering,
) {
  const { github } = gathering;
  const name = `published release ${code(tag)}`;
  const release = requireFound(await github.readRelease(tag), name, '`contents: read`');
  const thread = await readOwnThread(gathering);
  // Since the event, the prerelease may have become a full release.
  const earlier = await compareWithEarlier({ ...release, isPrerelease }, github);
  const known = { head: tag, thread, release };
  if ('whyNone' in earlier)
    return { ...known, topic: `release ${tag}`, hasBase: false, leftOut: earlier.whyNone };
  const topic = `release ${tag}, which follows ${earlier.since}`;
  return { ...known, topic, ...rangeOf(earlier.comparison) };
}

async function readRange({ since, head }: SinceRef, gathering: Gathering) {
  const { github, clock } = gathering;
  if (typeof since === 'number') {
    const base = await github.lastCommitBefore(head, clock.now() - since * dayMs);
    const comparison = base && (await github.compare(base.sha, head));
    return readChangesIn(comparison, `of the last ${since} days`, head, gathering);
  }
  const comparison = await github.compare(since, head);
  if (comparison) return readChangesIn(comparison, `since ${since}`, head, gathering);
  // Either the input is wrong, or the token can't see the repository. Then this throws.
  await github.readCommit(head);
  const problem = 'must be a tag, branch, or commit that shares history with the run’s commit';
  throw new InputError([{ inputs: ['changes-since'], got: since, problem }]);
}

async function readChangesIn(
  comparison: Comparison | undefined,
  range: string,
  head: string,
  gathering: Gathering,
) {
  const merged = comparison && (await findMergedIn(comparison, gathering));
  const thread = await readOwnThread(gathering);
  const topic = `the changes ${range}, up to ${head}`;
  const pullRequests = merged?.pullRequests ?? [];
  return { ...rangeOf(comparison), topic, head, thread, pullRequests };
}

/** Reads an issue, or a pull request without its changes. */
async function readThread(gathering: Gathering) {
  const number = gathering.about.thread?.number;
  const permission = '`issues: read` (for a pull request, `pull-requests: read`)';
  const name = `issue or pull request ${number}`;
  const thread = requireFound(await readOwnThread(gathering), name, permission);
  const head = shortHash(JSON.stringify([thread.title, thread.body.source]));
  return { topic: topicOf(thread), head, thread };
}

function topicOf({ number, isPullRequest }: Pick<Issue, 'number' | 'isPullRequest'>) {
  return `${isPullRequest ? 'pull request' : 'issue'} #${number}`;
}

/**
 * Reads the files of a pull request. @param knownMessage the message of the newest commit, if it is
 * known
 */
async function readFiles(pull: PullRequest, gathering: Gathering, knownMessage?: string) {
  const { about, github } = gathering;
  const { headSha } = pull;
  const state = pull.state === 'closed' ? 'closed without merging' : pull.state;
  let headMessage = knownMessage;
  if (headMessage === undefined && about.maySkip) {
    const commit = await github.readCommit(pull.mergeCommitSha ?? headSha);
    headMessage = commit?.message;
  }
  return {
    pull,
    topic: `pull request #${pull.number} (${state}), from commit ${headSha} into ${pull.baseRef}`,
    head: headSha,
    thread: about.sendsThread ? toThread(pull, gathering) : undefined,
    consistsOf: await readParts([pull], gathering),
    headMessage,
    files: await github.readPullRequestFiles(pull),
    ...(await readFailedChecks(pull, about.checks, gathering)),
  };
}

/** Reads the thread that a request belongs to, if it is sent. */
async function readOwnThread(gathering: Gathering) {
  const { about, github } = gathering;
  if (!about.thread) return undefined;
  const issue = await github.readIssue(about.thread.number);
  return issue && toThread(issue, gathering);
}

/**
 * The text of a thread at the time of the event, because the author of the request hasn't read
 * later edits.
 */
function toThread(issue: Issue, { about, scrub }: Gathering) {
  const { title = issue.title, body = issue.body.source } = about.thread?.written ?? {};
  // The request is the description, so it isn't sent twice.
  if (about.request?.source.kind === 'issue')
    return { ...issue, title, body: { ...issue.body, rendered: '' }, isBodyEdited: false };
  // What GitHub returned is scrubbed.
  return { ...issue, title, isBodyEdited: scrub(body) !== issue.body.source };
}

/** The commits and files of a comparison. */
function rangeOf(comparison: Comparison | undefined) {
  if (!comparison) return { hasBase: false };
  const { commits, totalCommits } = comparison;
  return { commits, totalCommits, files: comparison };
}
