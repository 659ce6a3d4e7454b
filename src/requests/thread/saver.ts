import { describeBriefly, describeError } from '../../core/errors.ts';
import type { DepsWithGitHub } from '../../deps.ts';
import type { ThreadComment } from '../../github/changes.ts';
import { GitHubError } from '../../github/errors.ts';
import type { Card } from '../card/card.ts';
import { styleOf } from '../card/situation.ts';
import type { PostedCard } from './find.ts';
import { reactionsTo } from './reactions.ts';
import { commentOf } from './store.ts';
import type { Writer } from './writer.ts';

/* Edits and deletes the status comments that a run has found, if nothing has changed since. */

/** The result of a write. */
export type Saved =
  | 'saved'
  /** The comment was edited since it was read. */
  | 'changed'
  /** The next run has to do it. */
  | 'postponed'
  /** No run can. */
  | 'refused';

type Write = () => Promise<unknown>;

export type Saver = ReturnType<typeof openSaver>;

/** Edits only comments that haven't changed since they were read. */
export function openSaver(writer: Writer, { github, runner }: DepsWithGitHub) {
  /** The text of each comment that this run edited, by comment ID. */
  const bodies = new Map<number, string>();
  const lockedThreads = new Set<number>();
  let refusal: GitHubError | undefined;

  async function writeAll(
    comment: ThreadComment,
    writes: readonly Write[],
    isOld = false,
  ): Promise<Saved> {
    if (lockedThreads.has(comment.thread)) return 'refused';
    if (!writer.canWrite(writes.length)) return 'postponed';
    try {
      // Newer requests in the same thread are still tried.
      if (isOld && (await github.readIssue(comment.thread))?.isLocked) return 'refused';
      for (const write of writes) {
        // Wait before the read, so that the write follows the read immediately.
        await writer.waitForTurn();
        if (!(await isUnchanged(comment))) return 'changed';
        await writer.write(write);
      }
      return 'saved';
    } catch (error) {
      if (!(error instanceof GitHubError)) throw error;
      return afterFailure(error, comment);
    }
  }

  async function isUnchanged({ id, body }: ThreadComment): Promise<boolean> {
    const current = await github.readComment(id);
    return current?.body === (bodies.get(id) ?? body);
  }

  function afterFailure(error: GitHubError, { thread }: ThreadComment): Saved {
    // Someone deleted it right before the write.
    if (error.status === 404) return 'changed';
    if (error.lacks === 'unlocked thread') {
      lockedThreads.add(thread);
      return 'refused';
    }
    if (error.lacks === 'permission') refusal ??= error;
    // Such as a comment of another account. The next run can't edit it either.
    else if (error.isRefusal && error.status !== 401) {
      runner.info(describeError(error));
      return 'refused';
    }
    writer.whyPostponed.add(describeBriefly(error));
    writer.logFailure(error);
    return 'postponed';
  }

  return {
    /**
     * Edits a status comment and updates the reaction. If the request `isOld`, nothing is written
     * in a locked thread.
     */
    save(open: PostedCard, card: Card, isOld = false): Promise<Saved> {
      const { id, url, thread } = open.comment;
      const edit = async () => {
        const { comment = { id, url } } = card;
        const body = commentOf({ ...card, comment }, open.owner.signerOf(thread));
        await github.updateComment(id, body);
        bodies.set(id, body);
      };
      const before = styleOf(open.card).reaction;
      const now = styleOf(card).reaction;
      const news = now === before ? undefined : now;
      // Reactions may fail, because the status comment says the same and the request's comment may
      // have been deleted.
      const reactions = reactionsTo(card, news, before, github).map(
        (react) => () => react().catch((error: unknown) => writer.logFailure(error)),
      );
      // They come before the edit: if the run stops in between, the next run still finds the card
      // unchanged.
      return writeAll(open.comment, [...reactions, edit], isOld);
    },

    delete: ({ comment }: PostedCard) =>
      writeAll(comment, [() => github.deleteComment(comment.id)]),

    /**
     * @throws GitHubError if the token can't write at all. It may lack the permission for pull
     * requests, or for issues, only.
     */
    throwIfRefused() {
      if (refusal !== undefined && bodies.size === 0) throw refusal;
    },
  };
}
