import { isAppLogin } from '../../core/login.ts';
import { containsMarker, type Owner } from '../../core/sign.ts';
import type { DepsToRead } from '../../deps.ts';
import type { ThreadComment } from '../../github/changes.ts';
import type { GitHubReader } from '../../github/client.ts';
import { type Card, fromStored } from '../card/card.ts';

/*
 * The one finder of cards. It reads comments, verifies their signed lines, and sorts the cards by
 * whose they are.
 */

export const pageSize = 100;
/**
 * How many pages are read from the time when a pull request was opened. Its job may have taken
 * hours, so the request may be on an older page.
 */
const pagesPerPull = 3;
/** With more pages, the search takes more than 16 requests. */
const maxPage = 64;

type Comments = readonly ThreadComment[];

export interface PostedCard {
  readonly comment: ThreadComment;
  readonly card: Card;
  readonly owner: Owner;
}

/**
 * The cards in some comments, oldest comment first. A card that names another comment was pasted,
 * and is in none of the lists.
 */
export interface Found {
  readonly ours: PostedCard[];
  /** Requests that may have been sent, and that may have been signed with a different API key. */
  readonly ofOtherKeys: PostedCard[];
  /** Signed cards that this version can't read. */
  readonly newer: NewerCard[];
}

interface NewerCard {
  readonly comment: ThreadComment;
  /** The request; `undefined` if the card may be about any request. */
  readonly key: string | undefined;
}

export const noCards: Found = { ours: [], ofOtherKeys: [], newer: [] };

/** A thread, newest page first, until `isEnough` returns true. */
interface OneThread {
  readonly thread: number;
  isEnough(cards: readonly PostedCard[], oldestId: number): boolean;
}

type Place =
  | OneThread
  /** All threads: the comments posted or edited since then, up to a number of pages of 100. */
  | { readonly sinceMs: number; readonly maxPages: number }
  /** All threads: the 200 to 300 comments posted before each of these pull requests was opened. */
  | { readonly pullRequests: readonly { readonly createdAtMs: number }[] };

/**
 * Finds the cards of these projects. `comments` is how many comments were read; `isWhole`: there
 * were no more.
 */
export async function findCards(
  place: Place,
  owners: readonly Owner[],
  { github }: Pick<DepsToRead, 'github'>,
): Promise<Found & { readonly comments: number; readonly isWhole: boolean }> {
  if (github === undefined) return { ...noCards, comments: 0, isWhole: true };
  const { comments, isWhole } = await readComments(place, owners, github);
  return { ...cardsIn(comments, owners), comments: comments.length, isWhole };
}

async function readComments(place: Place, owners: readonly Owner[], github: GitHubReader) {
  if ('thread' in place)
    return { comments: await readThread(place, owners, github), isWhole: true };
  if ('sinceMs' in place) return github.readRepositoryComments(place);
  const pages = new Map<number, Comments>();
  const readPage = async (page: number) => {
    const comments = pages.get(page) ?? (await github.readRepositoryPage(page));
    pages.set(page, comments);
    return comments;
  };
  for (const { createdAtMs } of place.pullRequests) await readBefore(createdAtMs, readPage);
  return { comments: [...pages.values()].flat(), isWhole: true };
}

async function readThread(place: OneThread, owners: readonly Owner[], github: GitHubReader) {
  let comments: Comments = [];
  for await (const page of github.readNewestFirst(place.thread)) {
    comments = [...page, ...comments];
    const oldestId = page[0]?.id ?? Number.POSITIVE_INFINITY;
    if (place.isEnough(cardsIn(comments, owners).ours, oldestId)) break;
  }
  return comments;
}

/** Reads the pages of comments that were posted right before a time. Page 1 is the newest. */
async function readBefore(timeMs: number, readPage: (page: number) => Promise<Comments>) {
  /** Whether an older page has to be read. A page that isn't full is the last one. */
  const beginsAfter = async (page: number) => {
    const comments = await readPage(page);
    return comments.length === pageSize && (comments.at(-1)?.createdAtMs ?? 0) >= timeMs;
  };
  let tooNew = 0;
  let oldEnough = 1;
  while (oldEnough <= maxPage && (await beginsAfter(oldEnough))) {
    tooNew = oldEnough;
    oldEnough *= 2;
  }
  while (oldEnough - tooNew > 1) {
    const middle = Math.floor((tooNew + oldEnough) / 2);
    if (await beginsAfter(middle)) tooNew = middle;
    else oldEnough = middle;
  }
  const end = oldEnough + pagesPerPull;
  for (let page = oldEnough; page < end; page += 1) {
    const comments = await readPage(page);
    if (comments.length < pageSize) return;
  }
}

export function cardsIn(comments: Comments, owners: readonly Owner[]): Found {
  const found: Found = { ours: [], ofOtherKeys: [], newer: [] };
  // Most comments aren't ours, and checking a signature takes time.
  const marked = comments.filter(({ body }) => containsMarker(body));
  for (const comment of marked) for (const owner of owners) addCard(comment, owner, found);
  return { ...found, ours: mergeReads(found.ours) };
}

function addCard(comment: ThreadComment, owner: Owner, found: Found): void {
  const signer = owner.signerOf(comment.thread);
  const payload = signer.open(comment);
  if (payload === undefined) {
    const card = fromStored(signer.openUnverified(comment));
    if (card !== undefined && mayBeSent(card)) found.ofOtherKeys.push({ comment, card, owner });
    return;
  }
  const card = fromStored(payload);
  if (card !== undefined) {
    found.ours.push({ comment, card, owner });
    return;
  }
  // A card that names its comment may have the thread's newest job, so it's about any request.
  if (payload.comment !== undefined) found.newer.push({ comment, key: undefined });
  else if (isAppLogin(comment.login)) found.newer.push({ comment, key: payload.key });
}

function mayBeSent({ state, ask }: Card): boolean {
  return state.is !== 'freed' && !(state.is === 'ended' && ask === 'reply');
}

/** Merges several reads and sorts the comments by ID. The last read of a comment wins. */
export function mergeReads(...reads: readonly (readonly PostedCard[])[]): PostedCard[] {
  const byId = new Map<string, PostedCard>();
  for (const posted of reads.flat())
    byId.set(`${posted.comment.id} ${posted.owner.project.id}`, posted);
  return [...byId.values()].sort((one, other) => one.comment.id - other.comment.id);
}

/** Whether a card contains its comment's ID, so it can't be a pasted copy. */
export function isBound({ comment, card }: Pick<PostedCard, 'comment' | 'card'>): boolean {
  return card.comment?.id === comment.id;
}

/**
 * Whether a comment may be ours by its author. Before we know our login, any app's may be: no person
 * has an app's login.
 */
export function isByUs(comment: ThreadComment, login: string | undefined): boolean {
  return login === undefined ? isAppLogin(comment.login) : comment.login === login;
}
