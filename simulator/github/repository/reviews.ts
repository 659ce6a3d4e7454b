import type { GitHubStore } from '../store.ts';
import type { Reaction } from '../types.ts';

/** A review of a pull request, as it was submitted. */
export interface Review {
  readonly id: number;
  readonly number: number;
  readonly login: string;
  readonly submittedAt: number;
  body: string;
}

/** Where a comment on a pull request is: on a line, the last of several, or on the whole file. */
export interface Place {
  readonly path: string;
  readonly hunk: string;
  readonly line?: number;
  readonly startLine?: number;
  /** Whether the lines have changed since. */
  readonly isOutdated?: boolean;
  readonly side?: 'LEFT' | 'RIGHT';
  /** The comment that began the conversation. */
  readonly replyTo?: number;
}

export interface ReviewComment extends Place {
  readonly id: number;
  readonly number: number;
  readonly reviewId: number;
  readonly login: string;
  readonly createdAt: number;
  body: string;
  readonly reactions: Reaction[];
  deleted: boolean;
}

type Said = Place & { readonly body: string };

/** The reviews of a repository's pull requests, and their comments. */
export class Reviews {
  readonly all: Review[] = [];
  readonly comments: ReviewComment[] = [];
  readonly #store: GitHubStore;

  constructor(store: GitHubStore) {
    this.#store = store;
  }

  /** Submits a review with its comments. */
  submit(login: string, number: number, body: string, comments: readonly Said[] = []): Review {
    const { users } = this.#store;
    if (!users.has(login)) this.#store.addUser(login);
    const review = { id: this.#store.newId(), number, login, body, submittedAt: this.#store.now() };
    this.all.push(review);
    for (const said of comments)
      this.comments.push({
        ...said,
        id: this.#store.newId(),
        number,
        reviewId: review.id,
        login,
        createdAt: this.#store.now(),
        reactions: [],
        deleted: false,
      });
    return review;
  }

  /** A single comment, which gets a review of its own without words. */
  comment(login: string, number: number, said: Said): ReviewComment {
    const [comment] = this.commentsOf(this.submit(login, number, '', [said]));
    if (comment === undefined) throw new Error('A review lost its comment.');
    return comment;
  }

  commentsOf({ id }: Pick<Review, 'id'>): readonly ReviewComment[] {
    return this.comments.filter(({ reviewId }) => reviewId === id);
  }
}
