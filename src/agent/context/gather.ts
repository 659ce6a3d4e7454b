import { createHash } from 'node:crypto';
import type { Clock } from '../../core/clock.ts';
import { InputError } from '../../core/errors.ts';
import type { ChangedFile, Comparison, FileList, Issue, PullRequest } from '../../github/changes.ts';
import type { GitHub } from '../../github/client.ts';
import { GitHubError } from '../../github/errors.ts';
import type { PushEvent } from '../../github/event.ts';
import type { RunContext } from '../../runner/context.ts';
import { shortCode } from '../../text/markdown.ts';
import type { About, Change } from '../request/about.ts';
import { type MergedIn, mergedIn, type Pushed } from './push.ts';
import type { ChangeSeen, SeenPullRequest } from './relevance.ts';
import type { Happening, Subject } from './subject.ts';

const dayMs = 86_400_000;
/** Releases before the one at hand that are tried for being its ancestor. */
const mostReleases = 5;
/** How often a pull request is read that moves meanwhile. */
const mostReads = 3;

/** What it means that GitHub shows no such thread. */
const mayBeHidden = 'Or the token can’t read it: check `thread`, and the `permissions:` of this job.';

/** What a request is about, read: the words for the prompt, and what decides whether it is asked at all. */
export interface Gathered {
  readonly subject: Subject;
  readonly seen: ChangeSeen;
  /** Names the state that was read, all of it: a pull request's head, or a digest of an issue's words. */
  readonly head: string | undefined;
  /** What kept the rest from being read, where nobody named it. */
  readonly unread?: GitHubError;
}

export interface Gathering {
  readonly github: GitHub;
  readonly clock: Clock;
  readonly context: RunContext;
  readonly signal: AbortSignal;
  /** The push at hand, as it was read already. */
  readonly pushed: Pushed | undefined;
  /** Whether a pull request is one that the agent made. */
  readonly isOwn: (pullRequest: PullRequest) => Promise<boolean>;
  /** Lets go of patches that cannot be sent. */
  readonly lighten: (files: readonly ChangedFile[]) => readonly ChangedFile[];
  /** Whether enough is known to skip the change: then its files are not read. */
  readonly isSettled: (seen: ChangeSeen) => boolean;
}

/**
 * Reads what a request is about.
 *
 * @throws GitHubError where it cannot be read; InputError where the inputs name what is not there.
 */
export async function gather(about: About, gathering: Gathering): Promise<Gathered> {
  const { change } = about;
  switch (change?.kind) {
    case 'pull-request':
      return ofPullRequest(about, change.number, gathering);
    case 'push':
      return ofPush(about, change.push, gathering);
    case 'release':
      return ofRelease(about, change.tag, gathering);
    case 'since':
      return ofRange(about, change, gathering);
    case undefined:
      return ofThread(about, gathering);
  }
}

/**
 * What the event itself tells of a thread that cannot be read: its title. Its description is not as its readers see it;
 * `undefined` where the event tells nothing.
 */
export function gatherFromEvent({ thread }: About, context: RunContext): Gathered | undefined {
  if (thread?.written === undefined) return undefined;
  const { number, written } = thread;
  const { title, author, isFromOutside } = written;
  const body = { source: '', rendered: '' };
  const url = `${context.repositoryUrl}/issues/${number}`;
  const issue = { number, url, title, body, author, isFromOutside, labels: [] };
  const more = { thread: { issue, isBodyEdited: false } };
  return {
    subject: subjectOf({ kind: 'issue', number }, { context }, more),
    seen: nothingSeen,
    head: undefined,
  };
}

/** A pull request as it stands. One that moves while it is read is read again; one that never stands still cannot be read. */
async function ofPullRequest(about: About, number: number, gathering: Gathering): Promise<Gathered> {
  let pull = await readPullRequest(number, gathering);
  for (let reads = 0; reads < mostReads; reads += 1) {
    const read = await withFiles(about, pull, undefined, gathering);
    if (!pull.isOpen || read.subject.files === undefined) return read;
    const now = await readPullRequest(number, gathering);
    if (now.headSha === pull.headSha) return read;
    pull = now;
  }
  throw new GitHubError(`Pull request ${number} got new commits each time it was read`, {
    hint: 'Run it again once the pull request stands still.',
  });
}

async function ofPush(about: About, push: PushEvent, gathering: Gathering): Promise<Gathered> {
  const { comparison, pullRequest } = gathering.pushed ?? {};
  if (pullRequest !== undefined) return withFiles(about, pullRequest, push.message, gathering);
  const { before, after, message, pusher } = push;
  const happened: Happening = { kind: 'push', branch: push.ref.replace(/^refs\/heads\//, ''), before, after };
  const { pullRequests, isAll } = await mergedWithin(comparison, gathering);
  const seenPullRequests: SeenPullRequest[] = [];
  for (const pull of isAll ? pullRequests : []) seenPullRequests.push(await seenAs(pull, about, gathering));
  return {
    subject: subjectOf(happened, gathering, { pullRequests, ...rangeOf(comparison) }),
    seen: {
      ...nothingSeen,
      pullRequests: seenPullRequests,
      // A merge queue pushes what people have written.
      pusher: pullRequests.length === 0 ? pusher : undefined,
      headMessage: message,
      hasBase: comparison !== undefined,
      files: comparison,
    },
    head: after,
  };
}

/** A release, and what came since the nearest one before it that it grew from. */
async function ofRelease(about: About, tag: string, gathering: Gathering): Promise<Gathered> {
  const { github, signal } = gathering;
  const release = await github.readRelease(tag, signal);
  if (release === undefined)
    throw new GitHubError(`There is no published release ${shortCode(tag)}`, {
      hint: 'It may have been deleted, or turned into a draft again.',
    });
  const earlier = (await github.readReleases(signal)).filter(
    (one) => one.tag !== tag && one.publishedAtMs <= release.publishedAtMs,
  );
  for (const { tag: since } of earlier.slice(0, mostReleases)) {
    const comparison = await github.compare(since, tag, signal);
    if (comparison?.status !== 'ahead' && comparison?.status !== 'identical') continue;
    const more = { release, thread: await threadOf(about, gathering), ...rangeOf(comparison) };
    return {
      subject: subjectOf({ kind: 'release', tag, since }, gathering, more),
      seen: { ...nothingSeen, files: comparison },
      head: tag,
    };
  }
  const subject = subjectOf({ kind: 'release', tag, since: undefined }, gathering, { release });
  return { subject, seen: { ...nothingSeen, hasBase: false }, head: tag };
}

/** What came since a point that the inputs name. */
async function ofRange(
  about: About,
  { since, head }: Extract<Change, { kind: 'since' }>,
  gathering: Gathering,
): Promise<Gathered> {
  const { github, clock, signal } = gathering;
  const isDays = since.kind === 'days';
  const base = isDays
    ? (await github.lastCommitBefore(head, clock.now() - since.days * dayMs, signal))?.sha
    : since.ref;
  const named = isDays ? `${since.days} days` : since.ref;
  const happened: Happening = { kind: 'since', since: named, head };
  const comparison = base === undefined ? undefined : await github.compare(base, head, signal);
  if (comparison === undefined && !isDays) {
    const takes = 'a tag, branch or commit of this repository that shares its history with the run’s commit';
    throw new InputError([{ input: 'changes-since', got: named, takes }]);
  }
  const { pullRequests } = await mergedWithin(comparison, gathering);
  const more = { pullRequests, thread: await threadOf(about, gathering), ...rangeOf(comparison) };
  return {
    subject: subjectOf(happened, gathering, more),
    seen: { ...nothingSeen, hasBase: comparison !== undefined, files: comparison },
    head,
  };
}

/** An issue, or a pull request without its changes. */
async function ofThread(about: About, gathering: Gathering): Promise<Gathered> {
  const number = about.thread?.number ?? 0;
  const thread = await threadOf(about, gathering);
  if (thread === undefined)
    throw new GitHubError(`There is no issue or pull request ${number}`, { hint: mayBeHidden });
  const { title, body } = thread.issue;
  return {
    subject: subjectOf({ kind: 'issue', number }, gathering, { thread }),
    seen: nothingSeen,
    head: createHash('sha256')
      .update(JSON.stringify([title, body.source]))
      .digest('base64url')
      .slice(0, 12),
  };
}

/** A pull request with its files. */
async function withFiles(
  about: About,
  pull: PullRequest,
  headMessage: string | undefined,
  gathering: Gathering,
): Promise<Gathered> {
  const { github, signal, isSettled, lighten } = gathering;
  const seen: ChangeSeen = {
    ...nothingSeen,
    pullRequests: [await seenAs(pull, about, gathering)],
    headMessage: about.maySkip ? (headMessage ?? (await messageOf(pull, gathering))) : undefined,
  };
  const thread = about.tellsThread ? wordsOf(pull, about) : undefined;
  const toldOf = (files?: FileList) => ({
    subject: subjectOf({ kind: 'pull-request', pullRequest: pull }, gathering, { thread, files }),
    seen: { ...seen, files },
    head: files === undefined ? undefined : pull.headSha,
  });
  if (isSettled(seen)) return toldOf();
  try {
    return toldOf(await github.readPullRequestFiles(pull, signal, lighten));
  } catch (error) {
    if (about.isNamed || !(error instanceof GitHubError)) throw error;
    return { ...toldOf(), unread: error };
  }
}

async function seenAs(pull: PullRequest, about: About, { isOwn }: Gathering): Promise<SeenPullRequest> {
  return { ...pull, isOwn: about.maySkip && (await isOwn(pull)) };
}

async function mergedWithin(comparison: Comparison | undefined, gathering: Gathering): Promise<MergedIn> {
  return comparison === undefined ? { pullRequests: [], isAll: false } : mergedIn(comparison, gathering);
}

async function readPullRequest(number: number, { github, signal }: Gathering): Promise<PullRequest> {
  const pull = await github.readPullRequest(number, signal);
  if (pull === undefined) throw new GitHubError(`There is no pull request ${number}`, { hint: mayBeHidden });
  return pull;
}

/** The message of the commit that a pull request stands for. */
async function messageOf(
  { mergeCommitSha, headSha }: PullRequest,
  { github, signal }: Gathering,
): Promise<string | undefined> {
  return (await github.readCommit(mergeCommitSha ?? headSha, signal))?.message;
}

async function threadOf(about: About, { github, signal }: Gathering): Promise<Subject['thread']> {
  if (about.thread === undefined) return undefined;
  const issue = await github.readIssue(about.thread.number, signal);
  return issue === undefined ? undefined : wordsOf(issue, about);
}

/** The words of a thread as they were when the event was sent: what was written later, whoever asked has not read. */
function wordsOf(issue: Issue, { thread }: About): Subject['thread'] {
  const { title = issue.title, body = issue.body.source } = thread?.written ?? {};
  return { issue: { ...issue, title }, isBodyEdited: body !== issue.body.source };
}

/** What every kind of subject begins from. */
function subjectOf(
  happened: Happening,
  { context }: Pick<Gathering, 'context'>,
  more: Partial<Subject>,
): Subject {
  const repository = { name: context.repository, url: context.repositoryUrl };
  const none = { thread: undefined, release: undefined, files: undefined, pullRequests: [] };
  return { repository, happened, commits: { known: [], total: 0 }, ...none, ...more };
}

function rangeOf(comparison: Comparison | undefined): Partial<Subject> {
  if (comparison === undefined) return {};
  const { commits, totalCommits } = comparison;
  return { commits: { known: commits, total: totalCommits }, files: comparison };
}

const nothingSeen: ChangeSeen = {
  pullRequests: [],
  pusher: undefined,
  headMessage: undefined,
  hasBase: true,
  files: undefined,
};
