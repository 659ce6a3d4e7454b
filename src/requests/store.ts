import type { Clock } from '../core/clock.ts';
import type { ThreadComment } from '../github/changes.ts';
import type { GitHub } from '../github/client.ts';
import { GitHubError, missingPermission } from '../github/errors.ts';
import { type Card, cardSchema } from './card.ts';
import { type Found, merged } from './claims.ts';
import { statusComment } from './comment.ts';
import type { Signer } from './sign.ts';
import { placed } from './transitions.ts';

/** Covers the difference between GitHub's clock and the runner's, which is usually a few seconds. */
const claimWindowMs = 60_000;
/** GitHub's list of comments may be out of date for a moment, so it is read up to four times within 6 s. */
const claimLooks = 4;
const claimLookMs = 1_000;
const longestLine = 12 * 1024;

const noClaim =
  'Without it, we can’t tell whether another run is handling the same request, so nothing was sent to the agent. Run it again.';

/** The whole text of a status comment. If its signed line is too long, the card's texts are shortened. */
export function commentOf(card: Card, signer: Signer): string {
  const line = signer.sign(card);
  const shorter = line.length > longestLine ? shortened(card) : undefined;
  return shorter === undefined ? `${line}\n${statusComment(card)}` : commentOf(shorter, signer);
}

/** Shortens the least important text: first the prompt, then an error message. */
function shortened(card: Card): Card | undefined {
  const { prompt = '', stop } = card;
  if (prompt !== '') {
    const characters = Array.from(prompt);
    return { ...card, prompt: characters.slice(0, characters.length >> 1).join('') };
  }
  if (stop?.error === undefined) return undefined;
  const { error: _, ...kept } = stop;
  return { ...card, stop: kept };
}

/** The verified cards in these comments, oldest comment first. */
export function cardsIn(comments: readonly ThreadComment[], signer: Signer): Found[] {
  const found = comments.flatMap((comment) => {
    const { data: card } = cardSchema.safeParse(signer.open(comment));
    return card === undefined ? [] : [{ comment, card }];
  });
  return merged(found);
}

/** The key of a request that may have been sent and whose comment was signed with a different API key. */
export function unverifiedKeyOf(comment: ThreadComment, signer: Signer): string | undefined {
  const { data: card } = cardSchema.safeParse(signer.openUnverified(comment));
  if (card === undefined) return undefined;
  const { state } = card;
  const isNothing = state.is === 'freed' || (state.is === 'ended' && card.ask === 'reply');
  return isNothing ? undefined : card.key;
}

/** Reads and writes the cards in one thread. Every method throws `GitHubError`, or the signal's reason. */
export type Store = ReturnType<typeof openStore>;

export function openStore(thread: number, github: GitHub, signer: Signer, clock: Clock) {
  const unverifiedKeys = new Set<string>();
  /** The comments that this process posted. GitHub's lists may not contain them yet. */
  let written: readonly Found[] = [];
  let isDeleted = false;

  async function write(card: Card, within: AbortSignal): Promise<ThreadComment> {
    const comment = await github.createComment(thread, commentOf(card, signer), within);
    written = [...written, ...cardsIn([comment], signer)];
    return comment;
  }

  /** Edits a comment. If GitHub returns 404, checks whether the comment is really gone, because a replica may be out of date. */
  async function edit(id: number, body: string, within: AbortSignal): Promise<void> {
    const update = () => github.updateComment(id, body, within);
    await update().catch(async (error: unknown) => {
      if (!isGone(error)) throw error;
      isDeleted = (await github.readComment(id, within)) === undefined;
      if (!isDeleted) await update();
    });
  }

  /** The comments around a claim. Once GitHub's list contains the claim, it also contains all earlier comments. */
  async function readAround(claim: ThreadComment, sinceMs: number, within: AbortSignal) {
    for (let looks = 1; ; looks += 1) {
      const comments = await github.readCommentsSince(thread, sinceMs, within);
      if (comments.some(({ id }) => id === claim.id)) return comments;
      if (looks === claimLooks) {
        const what =
          'GitHub’s list of comments doesn’t include the one that this run just posted in the thread';
        throw new GitHubError(what, { hint: noClaim });
      }
      await clock.sleep(claimLookMs * looks, within);
    }
  }

  return {
    /** The keys of requests in bots' comments that may have been signed with a different API key. */
    unverifiedKeys,

    /** Reads the verified cards, newest page first, until `isEnough` returns true. */
    async read(isEnough: (seen: readonly Found[], oldestId: number) => boolean, within: AbortSignal) {
      let seen: Found[] = [];
      for await (const comments of github.readNewestFirst(thread, within)) {
        for (const comment of comments) {
          const key = unverifiedKeyOf(comment, signer);
          if (key !== undefined) unverifiedKeys.add(key);
        }
        seen = [...cardsIn(comments, signer), ...seen];
        if (isEnough(seen, comments[0]?.id ?? Number.POSITIVE_INFINITY)) break;
      }
      return merged(written, seen);
    },

    /**
     * Posts a claim as a new comment. Then reads the thread twice, 1 s apart, because a competing claim with a lower ID may
     * appear later. Throws if GitHub's list never contains the claim.
     */
    async claim(card: Card, sinceMs: number, within: AbortSignal) {
      const claim = await write(card, within);
      try {
        // A rate limit may have delayed our claim for minutes, so include all claims since we first read the thread.
        const since = Math.min(claim.createdAtMs, sinceMs) - claimWindowMs;
        const first = cardsIn(await readAround(claim, since, within), signer);
        await clock.sleep(claimLookMs, within);
        const second = cardsIn(await github.readCommentsSince(thread, since, within), signer);
        return { written: placed(card, claim), around: merged(first, second) };
      } catch (error) {
        // A token that can post in a thread can read it, too. So this error doesn't mean that a permission is missing.
        if (missingPermission(error) === undefined) throw error;
        const what = 'The thread can’t be read right after this run posted in it';
        throw new GitHubError(what, { cause: error, hint: noClaim });
      }
    },

    /** Posts or edits the status comment. If someone deleted it, it isn't posted again. */
    async save(card: Card, within: AbortSignal): Promise<Card> {
      if (isDeleted) return card;
      if (card.comment === undefined) return placed(card, await write(card, within));
      await edit(card.comment.id, commentOf(card, signer), within);
      return card;
    },

    /** Deletes one of our comments. If it is already gone, that is fine. */
    async withdraw({ comment }: Found, within: AbortSignal): Promise<void> {
      await github.deleteComment(comment.id, within).catch((error: unknown) => {
        if (!isGone(error)) throw error;
      });
      written = written.filter((one) => one.comment.id !== comment.id);
    },

    /** Reads a comment again; `undefined` if it was deleted. */
    async readAgain({ comment }: Found, within: AbortSignal): Promise<Found | undefined> {
      const now = await github.readComment(comment.id, within);
      return now === undefined ? undefined : cardsIn([now], signer)[0];
    },
  };
}

/** Whether GitHub says that the comment doesn't exist. */
export function isGone(error: unknown): boolean {
  return error instanceof GitHubError && error.status === 404;
}
