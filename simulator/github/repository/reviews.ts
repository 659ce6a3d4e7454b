import type { GitHubStore } from '../store.ts';
import type { Reaction } from '../types.ts';

/** A submitted review of a pull request. */
export interface Review {
  readonly id: number;
  readonly number: number;
  readonly login: string;
  readonly submittedAt: number;
  body: string;
}

/** The place of a review comment: the lines up to `line`, or the whole file. */
interface Place {
  readonly path: string;
  readonly hunk: string;
  readonly line?: number;
  readonly startLine?: number;
  readonly isOutdated?: boolean;
  readonly side?: 'LEFT' | 'RIGHT';
  /** The ID of the first comment in the conversation. */
  readonly replyTo?: number;
}

export interface ReviewComment extends Place {
  readonly id: number;
  readonly number: number;
  readonly reviewId: number;
  readonly login: string;
  readonly createdAt: number;
  body: string;
  updatedAt: number;
  readonly reactions: Reaction[];
  deleted: boolean;
}

type Said = Place & { readonly body: string };

/** The reviews of all pull requests, and their comments. */
export class Reviews {
  readonly all: Review[] = [];
  readonly comments: ReviewComment[] = [];
  readonly #store: GitHubStore;

  constructor(store: GitHubStore) {
    this.#store = store;
  }

  submit(login: string, number: number, body: string, comments: readonly Said[] = []): Review {
    const { users } = this.#store;
    const submittedAt = this.#store.now();
    if (!users.has(login)) this.#store.addUser(login);
    const review = { id: this.#store.newId(), number, login, body, submittedAt };
    this.all.push(review);
    for (const said of comments) this.#add(review, said);
    return review;
  }

  /** Adds a single comment. GitHub wraps it in an empty review. */
  comment(login: string, number: number, said: Said): ReviewComment {
    return this.#add(this.submit(login, number, ''), said);
  }

  /** Edits a comment on a line, as its author would. */
  edit(comment: ReviewComment, body: string): void {
    Object.assign(comment, { body, updatedAt: this.#store.now() });
  }

  #add({ id: reviewId, number, login, submittedAt: at }: Review, said: Said): ReviewComment {
    const id = this.#store.newId();
    const posted = { createdAt: at, updatedAt: at, reactions: [], deleted: false };
    const comment = { ...said, id, number, reviewId, login, ...posted };
    this.comments.push(comment);
    return comment;
  }

  commentsOf({ id }: Pick<Review, 'id'>): readonly ReviewComment[] {
    return this.comments.filter(({ reviewId }) => reviewId === id);
  }
}
