import { isAppLogin } from '../../core/login.ts';
import { containsMarker, type Owner } from '../../core/sign.ts';
import type { DepsToRead } from '../../deps.ts';
import type { ThreadComment } from '../../github/changes.ts';
import type { Card } from '../card/card.ts';
import { fromStored } from '../card/versions.ts';

/* The one finder of cards. It reads comments, verifies their signed lines, and sorts the cards by whose they are. */

/** A job may take hours, so its request may be on an older page than the one of the time when its pull request was opened. */
const pagesBefore = 3;
export const pageSize = 100;
/** With more pages, this takes more than 17 requests. */
const maxPage = 128;

export interface PostedCard {
  readonly comment: ThreadComment;
  readonly card: Card;
  readonly owner: Owner;
}

/** The cards in some comments, oldest comment first. A card that someone pasted into another comment is in none of the lists. */
export interface Found {
  readonly ours: readonly PostedCard[];
  /** Requests that may have been sent, and whose comments may have been signed with a different API key. */
  readonly ofOtherKeys: readonly PostedCard[];
  /** Signed cards that this version can't read. `key` is the request; `undefined` if the card may be about any request. */
  readonly newer: readonly { readonly comment: ThreadComment; readonly key: string | undefined }[];
}

export const noCards: Found = { ours: [], ofOtherKeys: [], newer: [] };

type Place =
  /** A thread, newest page first, until `isEnough` returns true. */
  | { readonly thread: number; isEnough(cards: readonly PostedCard[], oldestId: number): boolean }
  /** All threads: the comments that were posted or edited since a time, up to a number of pages of 100, newest first. */
  | { readonly sinceMs: number; readonly maxPages: number }
  /** All threads: the 200 to 300 comments that were posted before each of these pull requests was opened. */
  | { readonly pullRequests: readonly { readonly createdAtMs: number }[] };

/** Finds the cards of these projects. `comments` is how many comments were read; `isWhole`: there were no more. */
export async function find(
  place: Place,
  owners: readonly Owner[],
  { github }: Pick<DepsToRead, 'github'>,
): Promise<Found & { readonly comments: number; readonly isWhole: boolean }> {
  let [comments, isWhole]: [readonly ThreadComment[], boolean] = [[], true];
  if (github === undefined) return { ...noCards, comments: 0, isWhole };
  if ('thread' in place) {
    for await (const page of github.readNewestFirst(place.thread)) {
      comments = [...page, ...comments];
      if (place.isEnough(cardsIn(comments, owners).ours, page[0]?.id ?? Number.POSITIVE_INFINITY))
        break;
    }
  } else if ('pullRequests' in place) {
    const pages = new Map<number, readonly ThreadComment[]>();
    const read = async (at: number) => {
      const page = pages.get(at) ?? (await github.readRepositoryPage(at));
      pages.set(at, page);
      return page;
    };
    for (const { createdAtMs } of place.pullRequests) await readBefore(createdAtMs, read);
    comments = [...pages.values()].flat();
  } else ({ comments, isWhole } = await github.readRepositoryComments(place));
  return { ...cardsIn(comments, owners), comments: comments.length, isWhole };
}

/** Reads the pages of comments that were posted right before a time. Doubles the page number past that time, then bisects. */
async function readBefore(
  timeMs: number,
  read: (page: number) => Promise<readonly ThreadComment[]>,
) {
  /** Whether an older page has to be read. A page that isn't full is the last one. */
  const beginsAfter = async (page: number) => {
    const comments = await read(page);
    return comments.length === pageSize && (comments.at(-1)?.createdAtMs ?? 0) >= timeMs;
  };
  let [after, at] = [0, 1];
  while (at <= maxPage && (await beginsAfter(at))) [after, at] = [at, 2 * at];
  while (at - after > 1) {
    const middle = (after + at) >> 1;
    if (await beginsAfter(middle)) after = middle;
    else at = middle;
  }
  for (let page = at; page < at + pagesBefore && (await read(page)).length === pageSize; page += 1);
}

/** The cards of these projects in some comments. */
export function cardsIn(comments: readonly ThreadComment[], owners: readonly Owner[]): Found {
  const ours: PostedCard[] = [];
  const ofOtherKeys: PostedCard[] = [];
  const newer: Found['newer'][number][] = [];
  // Most comments aren't ours, and checking a signature takes time.
  for (const comment of comments.filter(({ body }) => containsMarker(body)))
    for (const owner of owners) {
      const signer = owner.signerOf(comment.thread);
      const payload = signer.open(comment);
      const card = fromStored(payload);
      const unverified =
        payload === undefined ? fromStored(signer.openUnverified(comment)) : undefined;
      if (card !== undefined && (isBound({ comment, card }) || comment.unedited))
        ours.push({ comment, card, owner });
      else if (unverified !== undefined && mayBeSent(unverified))
        ofOtherKeys.push({ comment, card: unverified, owner });
      else if (payload === undefined || card !== undefined) continue;
      // If even the request is unknown, the comment may have been edited by the version that wrote it.
      else if (
        payload.comment !== undefined ||
        (payload.key === undefined && isAppLogin(comment.login))
      )
        newer.push({ comment, key: undefined });
      else if (isFirstWrite(comment, undefined)) newer.push({ comment, key: payload.key });
    }
  return { ours: merged(ours), ofOtherKeys, newer };
}

function mayBeSent({ state, ask }: Card): boolean {
  return state.is !== 'freed' && !(state.is === 'ended' && ask === 'reply');
}

/** Merges several reads and sorts the comments by ID. The last read of a comment wins. */
export function merged(...reads: readonly (readonly PostedCard[])[]): PostedCard[] {
  const byId = new Map(
    reads.flat().map((each) => [`${each.comment.id} ${each.owner.project.id}`, each]),
  );
  return [...byId.values()].sort((first, second) => first.comment.id - second.comment.id);
}

/** Whether a card contains its comment's ID, so it can't be a pasted copy. */
export function isBound({ comment, card }: Pick<PostedCard, 'comment' | 'card'>): boolean {
  return card.comment?.id === comment.id;
}

/** Whether a comment may be ours, as first posted. Before we know our login, any app's may be: no person has an app's login. */
export function isFirstWrite(
  { unedited, login: author }: ThreadComment,
  login: string | undefined,
): boolean {
  return unedited && (login === undefined ? isAppLogin(author) : author === login);
}
