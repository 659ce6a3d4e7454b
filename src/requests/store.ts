import type { Clock } from '../core/clock.ts';
import type { ThreadComment } from '../github/changes.ts';
import type { GitHub } from '../github/client.ts';
import { GitHubError, missingPermission } from '../github/errors.ts';
import { type Card, cardSchema } from './card.ts';
import { type Found, merged } from './claims.ts';
import { statusComment } from './comment.ts';
import type { Signer } from './sign.ts';
import { placed } from './transitions.ts';

/** GitHub's clock and the runner's may differ a little; a competing claim is seconds old. */
const claimWindowMs = 60_000;
/** A list may be a moment behind, so it is read up to four times within 6 s. */
const claimLooks = 4;
const claimLookMs = 1_000;
/** The longest signed line. */
const longestLine = 12 * 1024;

const noClaim =
  'Without it, we can’t tell whether another run is handling the same request, so nothing was sent to the agent. Run it again.';

/** The whole comment of a card, whose texts are shortened until its line is short enough. */
export function commentOf(card: Card, signer: Signer): string {
  const line = signer.sign(card);
  const shorter = line.length > longestLine ? shortened(card) : undefined;
  return shorter === undefined ? `${line}\n${statusComment(card)}` : commentOf(shorter, signer);
}

/** Cuts what readers need least: first the end of the prompt, then an error's own words. */
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

/** The verified cards among comments, in the order the comments were written. */
export function cardsIn(comments: readonly ThreadComment[], signer: Signer): Found[] {
  const found = comments.flatMap((comment) => {
    const { data: card } = cardSchema.safeParse(signer.open(comment));
    return card === undefined ? [] : [{ comment, card }];
  });
  return merged(found);
}

/** The key of a trigger in a comment that was signed with a different API key, if its request may have been sent. */
export function unverifiedKeyOf(comment: ThreadComment, signer: Signer): string | undefined {
  const { data: card } = cardSchema.safeParse(signer.openUnverified(comment));
  if (card === undefined) return undefined;
  const { state } = card;
  const isNothing = state.is === 'freed' || (state.is === 'ended' && card.ask === 'reply');
  return isNothing ? undefined : card.key;
}

/** The cards in the comments of one thread. Every method throws `GitHubError`, or the signal's reason. */
export type Store = ReturnType<typeof openStore>;

export function openStore(thread: number, github: GitHub, signer: Signer, clock: Clock) {
  const unverifiedKeys = new Set<string>();
  /** What this process has written: GitHub's lists may not show it yet. */
  let written: readonly Found[] = [];
  let isDeleted = false;

  async function write(card: Card, within: AbortSignal): Promise<ThreadComment> {
    const comment = await github.createComment(thread, commentOf(card, signer), within);
    written = [...written, ...cardsIn([comment], signer)];
    return comment;
  }

  /** Edits a comment. A single 404 may come from a replica that is behind, so it is checked. */
  async function edit(id: number, body: string, within: AbortSignal): Promise<void> {
    const update = () => github.updateComment(id, body, within);
    await update().catch(async (error: unknown) => {
      if (!isGone(error)) throw error;
      isDeleted = (await github.readComment(id, within)) === undefined;
      if (!isDeleted) await update();
    });
  }

  /** What was written around a claim. A list that shows the claim also shows what was written before it. */
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
    /** Keys of triggers in bots' comments that aren't verified: perhaps ours, signed with a different API key. */
    unverifiedKeys,

    /** The verified cards, from the newest page back until there are enough. */
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
     * Writes a claim as a new comment, then checks twice, 1 s apart, for competing claims, since a lower id may appear later.
     * Returns the card in its comment, and the cards around it. Throws if the claim never appears.
     */
    async claim(card: Card, sinceMs: number, within: AbortSignal) {
      const claim = await write(card, within);
      try {
        // A rate limit may have delayed our own claim for minutes after the thread was first read.
        const since = Math.min(claim.createdAtMs, sinceMs) - claimWindowMs;
        const first = cardsIn(await readAround(claim, since, within), signer);
        await clock.sleep(claimLookMs, within);
        const second = cardsIn(await github.readCommentsSince(thread, since, within), signer);
        const written = placed(card, { id: claim.id, url: claim.url }, claim.login);
        return { written, around: merged(first, second) };
      } catch (error) {
        // A token that can write here can read here, so this isn't a missing permission, which a run could do without.
        if (missingPermission(error) === undefined) throw error;
        const what = 'The thread can’t be read right after this run posted in it';
        throw new GitHubError(what, { cause: error, hint: noClaim });
      }
    },

    /** Writes or edits the status comment. One that someone deleted stays deleted. */
    async save(card: Card, within: AbortSignal): Promise<Card> {
      if (isDeleted) return card;
      if (card.comment === undefined) {
        const { id, url, login } = await write(card, within);
        return placed(card, { id, url }, login);
      }
      await edit(card.comment.id, commentOf(card, signer), within);
      return card;
    },

    /** Deletes a comment of ours; one that is gone already is fine. */
    async withdraw({ comment }: Found, within: AbortSignal): Promise<void> {
      await github.deleteComment(comment.id, within).catch((error: unknown) => {
        if (!isGone(error)) throw error;
      });
      written = written.filter((one) => one.comment.id !== comment.id);
    },

    /** The comment as it is now; `undefined` if it was deleted. */
    async readAgain({ comment }: Found, within: AbortSignal): Promise<Found | undefined> {
      const now = await github.readComment(comment.id, within);
      return now === undefined ? undefined : cardsIn([now], signer)[0];
    },
  };
}

/** Whether GitHub says that there is no such comment. */
export function isGone(error: unknown): boolean {
  return error instanceof GitHubError && error.status === 404;
}
