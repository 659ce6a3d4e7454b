import { describeError, inOurWords } from '../../core/errors.ts';
import type { Owner, Signer } from '../../core/sign.ts';
import type { DepsWithGitHub } from '../../deps.ts';
import type { ThreadComment } from '../../github/changes.ts';
import type { GitHub } from '../../github/client.ts';
import type { Reaction } from '../../github/comments.ts';
import { GitHubError } from '../../github/errors.ts';
import { type Card, toStored } from '../card/card.ts';
import { statusComment } from '../card/comment.ts';
import { shownAs } from '../card/situation.ts';
import { addRemark, placed } from '../card/transitions.ts';
import { cardsIn, type PostedCard } from './find.ts';
import type { Writer } from './writer.ts';

/** Covers the difference between GitHub's clock and the runner's, which is usually a few seconds. */
const claimWindowMs = 60_000;
/** GitHub's list of comments may be out of date for a moment, so it is read up to four times within 6 s. */
const [claimReads, claimReadMs] = [4, 1_000];
const maxLine = 12 * 1024;

const unlisted =
  'GitHub’s list of comments doesn’t include the one that this run just posted in the thread';
const noClaim =
  'So we can’t tell whether another run is handling the same request, and nothing was sent to the agent. Re-run the workflow.';

/** The whole text of a status comment. If its signed line is too long, the prompt is cut, then an error message. */
export function commentOf(card: Card, signer: Signer): string {
  const line = signer.sign(toStored(card));
  const { prompt = '', stop } = card;
  const isFit = line.length <= maxLine || (prompt === '' && stop?.error === undefined);
  if (isFit) return `${line}\n${statusComment(card)}`;
  const characters = Array.from(prompt);
  const half = characters.slice(0, characters.length >> 1).join('');
  const shorter =
    prompt === '' ? { stop: stop && { ...stop, error: undefined } } : { prompt: half };
  return commentOf({ ...card, ...shorter }, signer);
}

/** Writes the cards in one thread. Every method throws `GitHubError`, or the signal's reason. */
export type Store = ReturnType<typeof openStore>;

export function openStore(thread: number, owner: Owner, { github, clock }: DepsWithGitHub) {
  const signer = owner.signerOf(thread);
  const write = (card: Card) => github.createComment(thread, commentOf(card, signer));

  /** The comments around a claim. Once GitHub's list contains the claim, it also contains all earlier comments. */
  async function readAround(claim: ThreadComment, sinceMs: number) {
    for (let reads = 1; ; reads += 1) {
      const comments = await github.readCommentsSince(thread, sinceMs);
      if (comments.some(({ id }) => id === claim.id)) return comments;
      if (reads === claimReads) throw new GitHubError(unlisted, { hint: noClaim });
      await clock.sleep(claimReadMs * reads);
    }
  }

  return {
    write,

    /** Reads the thread twice after a claim: one with a lower ID may appear later. Throws if the list never has ours. */
    async readRivals(claim: ThreadComment, sinceMs: number) {
      // A rate limit may have delayed our claim for minutes, so include all claims since we first read the thread.
      const since = Math.min(claim.createdAtMs, sinceMs) - claimWindowMs;
      const first = await readAround(claim, since);
      await clock.sleep(claimReadMs);
      const second = await github.readCommentsSince(thread, since);
      return cardsIn([...first, ...second], [owner]);
    },

    /** Posts or edits the status comment. If someone deleted it, the card has no thread from then on. */
    async save(card: Card): Promise<Card> {
      const { thread: _, comment, ...kept } = card;
      if (comment === undefined) return placed(card, await write(card));
      const update = () => github.updateComment(comment.id, commentOf(card, signer));
      try {
        await update();
      } catch (error) {
        if (!isGone(error)) throw error;
        // A replica may be out of date.
        if ((await github.readComment(comment.id)) === undefined)
          return addRemark(
            kept,
            'fold',
            'The status comment was deleted, so the result is only here.',
          );
        await update();
      }
      return card;
    },

    async withdraw({ comment }: PostedCard): Promise<void> {
      await github.deleteComment(comment.id).catch((error: unknown) => {
        if (!isGone(error)) throw error;
      });
    },
  };
}

export function isGone(error: unknown): boolean {
  return error instanceof GitHubError && error.status === 404;
}

/** The result of a write. `changed`: the comment was edited since it was read. `postponed`: the next run has to do it. `refused`: no run can. */
export type Saved = 'saved' | 'changed' | 'postponed' | 'refused';

type Write = () => Promise<unknown>;
type News = Reaction | undefined;

export type Saver = ReturnType<typeof openSaver>;

/** Edits only comments that haven't changed since they were read. */
export function openSaver(writer: Writer, { github, runner }: DepsWithGitHub) {
  /** The text of each comment that this run edited, by comment ID. */
  const bodies = new Map<number, string>();
  const lockedThreads = new Set<number>();
  let refusal: GitHubError | undefined;

  async function writeAll(
    comment: ThreadComment,
    all: readonly Write[],
    isOld = false,
  ): Promise<Saved> {
    if (lockedThreads.has(comment.thread)) return 'refused';
    if (!writer.canWrite(all.length)) return 'postponed';
    try {
      // Newer requests in the same thread are still tried.
      if (isOld && (await github.readIssue(comment.thread))?.isLocked) return 'refused';
      for (const write of all) {
        // Wait before the read, so that the write follows the read immediately.
        await writer.waitForTurn();
        const body = bodies.get(comment.id) ?? comment.body;
        if ((await github.readComment(comment.id))?.body !== body) return 'changed';
        await writer.write(write);
      }
      return 'saved';
    } catch (error) {
      if (isGone(error)) return 'changed';
      if (!(error instanceof GitHubError)) throw error;
      if (error.lacks === 'unlocked thread') {
        lockedThreads.add(comment.thread);
        return 'refused';
      }
      if (error.lacks === 'permission') refusal ??= error;
      // Such as a comment of another account. The next run can't edit it either.
      else if (error.isRefusal && error.status !== 401) {
        runner.info(describeError(error));
        return 'refused';
      }
      writer.whyPostponed.add(inOurWords(error));
      writer.logFailure(error);
      return 'postponed';
    }
  }

  return {
    /** Edits a status comment and updates the reaction. If the request `isOld`, nothing is written in a locked thread. */
    save(open: PostedCard, card: Card, isOld = false): Promise<Saved> {
      const { id, url, thread } = open.comment;
      const edit = async () => {
        const body = commentOf({ ...card, comment: { id, url } }, open.owner.signerOf(thread));
        await github.updateComment(id, body);
        bodies.set(id, body);
      };
      // Add reactions before the edit: if the run stops in between, the next run still finds the card unchanged. Reactions may
      // fail, because the status comment says the same and the request's comment may have been deleted.
      const [before, verdict] = [shownAs(open.card).reaction, shownAs(card).reaction];
      const news = verdict === before ? undefined : verdict;
      const writes = reactionsTo(card, news, before, github);
      const reactions = writes.map(
        (write) => () => write().catch((error: unknown) => writer.logFailure(error)),
      );
      return writeAll(open.comment, [...reactions, edit], isOld);
    },

    delete: ({ comment }: PostedCard) =>
      writeAll(comment, [() => github.deleteComment(comment.id)]),

    /** @throws GitHubError if the token can't write at all. It may lack the permission for pull requests, or for issues, only. */
    finish() {
      if (refusal !== undefined && bodies.size === 0) throw refusal;
    },
  };
}

/** The API calls that add a reaction to the request's comment and remove the outdated reaction `before`. */
export function reactionsTo(card: Card, news: News, before: News, github: GitHub) {
  const { source, login, attempt } = card;
  // GitHub doesn't support reactions to reviews.
  if (source === undefined || source.kind === 'review' || news === undefined) return [];
  const react = () => github.react(source, news);
  const isGood = news === 'rocket' || news === '+1';
  // An earlier attempt may have left a reaction that is no longer true.
  const isOutdated = isGood && (attempt > 1 || before === 'confused');
  if (!isOutdated || login === undefined) return [react];
  return [react, () => github.unreact(source, 'confused', login)];
}
