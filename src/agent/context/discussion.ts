import { startsWithMarker } from '../../core/sign.ts';
import type { DepsWithGitHub } from '../../deps.ts';
import type { DiscussionComment, Issue } from '../../github/changes.ts';
import type { CommentEvent } from '../../github/event.ts';
import { joinWithAnd, pluralize } from '../../text/counts.ts';
import { restOfCommand } from '../command.ts';
import type { AgentConfig } from '../inputs.ts';

/**
 * How many pages of 100 comments are read, unless the search for status comments has already read
 * more.
 */
const minPages = 2;

type LeftOut = 'by others' | 'hidden' | 'edited after the request';

/** What people said in a thread before a request. */
export interface Discussion {
  /** Oldest first. Those by bots, and commands, aren't counted. `leftOut`: why one isn't sent. */
  readonly comments: readonly (DiscussionComment & { readonly leftOut: LeftOut | undefined })[];
  /** How many comments come before these, at most. */
  readonly older: number;
  /** The ID of the oldest comment that was read. */
  readonly oldestId: number;
}

type DiscussionReading = Pick<DepsWithGitHub, 'context' | 'github'> & Pick<AgentConfig, 'command'>;

/**
 * Reads the newest comments in a thread, with at most two requests. `undefined` if no one said
 * anything before the request.
 */
export async function readDiscussion(
  thread: Pick<Issue, 'number' | 'author' | 'commentCount'>,
  request: CommentEvent | undefined,
  { command, context, github }: DiscussionReading,
): Promise<Discussion | undefined> {
  const read = await github.readDiscussion(thread.number, thread.commentCount, minPages);
  const atMs = request?.postedAtMs ?? Number.POSITIVE_INFINITY;
  const maxId = request?.source.kind === 'comment' ? request.id : Number.POSITIVE_INFINITY;
  const said = read.comments.filter(({ id, createdAtMs, author, body, text }) => {
    if (id >= maxId || createdAtMs > atMs || author.isBot) return false;
    if (startsWithMarker(body) || restOfCommand(body, command) !== undefined) return false;
    return text.trim() !== '';
  });

  const heard = [thread.author.login, request?.actor.login];
  const whyLeftOut = (comment: DiscussionComment): LeftOut | undefined => {
    const isHeard = context.isPrivate || comment.isByContributor || heard.includes(comment.login);
    if (!isHeard) return 'by others';
    if (comment.isHidden) return 'hidden';
    return comment.updatedAtMs > atMs ? 'edited after the request' : undefined;
  };
  const comments = said.map((comment) => ({ ...comment, leftOut: whyLeftOut(comment) }));
  const { older } = read;
  const oldestId = read.comments[0]?.id ?? 0;
  return comments.length === 0 && older === 0 ? undefined : { comments, older, oldestId };
}

/** The part of a discussion that followed an earlier request, which is a comment with this ID. */
export function newerThan(
  discussion: Discussion | undefined,
  requestId: number,
): Discussion | undefined {
  if (discussion === undefined || requestId === 0) return discussion;
  const comments = discussion.comments.filter(({ id }) => id > requestId);
  // Some of the comments that weren't read may be newer than the earlier request.
  const older = requestId < discussion.oldestId ? discussion.older : 0;
  return comments.length === 0 && older === 0 ? undefined : { ...discussion, comments, older };
}

/** Whether any comment of a discussion may be sent. */
export function hasComments(discussion: Discussion | undefined): boolean {
  return discussion?.comments.some(({ leftOut }) => leftOut === undefined) === true;
}

/** How many comments of a discussion are sent, and how many aren't, as a sentence. */
export function describeDiscussion(
  sent: number,
  leftOut: readonly LeftOut[],
  tooLong: number,
  older: number,
): string {
  const parts = [...Map.groupBy(leftOut, (why) => why)].map(([why, all]) => `${all.length} ${why}`);
  if (tooLong > 0) parts.push(`${tooLong} that didn’t fit`);
  if (older > 0) parts.push(`up to ${older.toLocaleString('en')} older ones, which weren’t read,`);
  const went = `${sent === 0 ? 'No comments' : pluralize(sent, 'comment')} went along`;
  if (parts.length === 0) return `${went}.`;
  const isOne = leftOut.length + tooLong + older === 1;
  return `${went}, ${joinWithAnd(parts)} ${isOne ? 'was' : 'were'} left out.`;
}
