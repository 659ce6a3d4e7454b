import type { Owner, Signer } from '../../core/sign.ts';
import type { DepsWithGitHub } from '../../deps.ts';
import type { ThreadComment } from '../../github/changes.ts';
import { GitHubError, isGone } from '../../github/errors.ts';
import { type Card, toStored } from '../card/card.ts';
import { writeStatusComment } from '../card/comment.ts';
import { addRemark, halvePrompt, placeInComment } from '../card/transitions.ts';
import { cardsIn, type PostedCard } from './find.ts';

/* Writes the card of a run that works on its request. */

/** Comments may appear late in GitHub's list, usually within seconds. */
const claimWindowMs = 60_000;
/** GitHub's list of comments may be out of date for a moment, so it is read again within 6 s. */
const maxClaimReads = 4;
const claimReadMs = 1_000;
const maxLine = 12 * 1024;

const unlisted =
  'GitHub’s list of comments doesn’t include the one that this run just posted in the thread';
const noClaim =
  'So we can’t tell whether another run is handling the same request, and nothing was sent to the agent. Re-run the workflow.';
const deleted = 'The status comment was deleted, so the result is only here.';

/** The whole text of a status comment. If its signed line is too long, the card is cut. */
export function commentOf(card: Card, signer: Signer): string {
  const line = signer.sign(toStored(card));
  const shorter = line.length <= maxLine ? undefined : shorten(card);
  if (shorter !== undefined) return commentOf(shorter, signer);
  return `${line}\n${writeStatusComment(card)}`;
}

/** Cuts the prompt in half, then drops the error message; `undefined` if there is neither. */
function shorten(card: Card): Card | undefined {
  const { prompt, stop } = card;
  if (prompt) return { ...card, prompt: halvePrompt(prompt) };
  if (stop?.error === undefined) return undefined;
  return { ...card, stop: { ...stop, error: undefined } };
}

/** Writes the cards in one thread. Every method throws `GitHubError`, or the signal's reason. */
export type Store = ReturnType<typeof openStore>;

export function openStore(thread: number, owner: Owner, { github, clock }: DepsWithGitHub) {
  const signer = owner.signerOf(thread);
  const write = (card: Card) => github.createComment(thread, commentOf(card, signer));

  /**
   * The comments around a claim. Once GitHub's list contains the claim, it also contains all
   * earlier comments.
   */
  async function readAround(claim: ThreadComment, sinceMs: number) {
    for (let reads = 1; ; reads += 1) {
      const comments = await github.readCommentsSince(thread, sinceMs);
      if (comments.some(({ id }) => id === claim.id)) return comments;
      if (reads === maxClaimReads) throw new GitHubError(unlisted, { hint: noClaim });
      await clock.sleep(claimReadMs * reads);
    }
  }

  return {
    write,

    /**
     * Reads the thread twice after a claim: one with a lower ID may appear later. Throws if the
     * list never has ours.
     */
    async readRivals(claim: ThreadComment, sinceMs: number) {
      // A rate limit or a pause may have delayed our claim, so include all claims since we first
      // read the thread.
      const since = Math.min(claim.createdAtMs, sinceMs) - claimWindowMs;
      const first = await readAround(claim, since);
      await clock.sleep(claimReadMs);
      const second = await github.readCommentsSince(thread, since);
      return cardsIn([...first, ...second], [owner]);
    },

    /** The cards that were posted or edited since a claim, or right before it. */
    async readBeside({ createdAtMs }: ThreadComment) {
      const comments = await github.readCommentsSince(thread, createdAtMs - claimWindowMs);
      return cardsIn(comments, [owner]).ours;
    },

    /** Posts or edits the status comment. If someone deleted it, the card has no thread anymore. */
    async save(card: Card): Promise<Card> {
      const { comment } = card;
      if (comment === undefined) return placeInComment(card, await write(card));
      const update = () => github.updateComment(comment.id, commentOf(card, signer));
      try {
        await update();
      } catch (error) {
        if (!isGone(error)) throw error;
        // A replica may be out of date.
        if ((await github.readComment(comment.id)) === undefined)
          return addRemark({ ...card, thread: undefined, comment: undefined }, 'fold', deleted);
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
