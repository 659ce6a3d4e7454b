import { explain, inOurWords } from '../core/errors.ts';
import type { Deps } from '../deps.ts';
import type { ThreadComment } from '../github/changes.ts';
import type { GitHub } from '../github/client.ts';
import { GitHubError, missingPermission } from '../github/errors.ts';
import type { Card } from './card.ts';
import type { Open } from './claims.ts';
import { outdatedBy, reactionTo } from './reactions.ts';
import type { Signer } from './sign.ts';
import { commentOf } from './store.ts';

/** GitHub asks for a second between writes (REST documentation, "Best practices for using the REST API"). */
const apartMs = 1_000;
/** It allows 500 writes an hour ("Rate limits for the REST API"), and the repository’s other workflows need some too. */
const mostWrites = 400;
/** The most writes that one end takes: the comment, the reaction, and the one before it. */
const writesOfAnEnd = 3;

/** What to do if the token may not do all that collecting takes. */
export const permissionsHint =
  'Give the job `issues: write` and `pull-requests: write`. Nothing was changed.';

/** What came of a write; `changed`: the comment no longer says what was read, so it was left alone. */
export type Saved = 'saved' | 'changed' | 'failed';

type SaverDeps = Pick<Deps, 'runner' | 'clock' | 'signal'>;

/** Writes to comments that still say what was read, beside anybody else who writes there. */
export class Saver {
  readonly #github: GitHub;
  readonly #deps: SaverDeps;
  /** Why ends could not be written, each reason once. */
  readonly gaps = new Set<string>();
  #writes = 0;
  #lastWriteMs = Number.NEGATIVE_INFINITY;
  /** Whether a rate limit allows no more writes. */
  #isHeldUp = false;
  /** Whether a comment could be written: the token may. */
  #hasWritten = false;

  constructor(github: GitHub, deps: SaverDeps) {
    this.#github = github;
    this.#deps = deps;
  }

  /**
   * Writes the end into the comment, and reacts to the one that asked.
   *
   * @throws GitHubError if the very first write shows that a permission is missing; the signal's reason.
   */
  async save(open: Open, card: Card, signer: Signer): Promise<Saved> {
    // The reaction comes first: if the run stops in between, the next one still finds the comment open. It may fail: the
    // comment says the same, and the one that asked may have been deleted.
    const react = () => this.#react(open, card).catch((error: unknown) => this.#note(error, 'info'));
    return this.#write(open.comment, [react, this.#edit(open, card, signer)]);
  }

  /** Edits only what readers do not see. */
  async mark(open: Open, card: Card, signer: Signer): Promise<void> {
    await this.#write(open.comment, [this.#edit(open, card, signer)]);
  }

  /** Deletes a comment that no longer counts. */
  async delete({ comment }: Open): Promise<void> {
    const deletion = () => this.#github.deleteComment(comment.id, this.#deps.signal);
    await this.#write(comment, [() => this.#send(deletion)]);
  }

  #edit({ comment: { id, url } }: Open, card: Card, signer: Signer): () => Promise<void> {
    const body = commentOf({ ...card, comment: { id, url } }, signer);
    return () => this.#send(() => this.#github.updateComment(id, body, this.#deps.signal));
  }

  async #react({ comment, card: before }: Open, card: Card): Promise<void> {
    const { source } = card;
    const reaction = reactionTo(card);
    if (source === undefined || reaction === undefined) return;
    const { signal } = this.#deps;
    await this.#send(() => this.#github.react(source.id, reaction, signal));
    const outdated = outdatedBy(reaction);
    // A re-run may have left the verdict of the attempt before it.
    const mayBeThere = card.attempt > 1 || reactionTo(before) === outdated;
    if (outdated !== undefined && mayBeThere)
      await this.#send(() => this.#github.unreact(source.id, outdated, comment.login, signal));
  }

  async #turn(): Promise<void> {
    const { clock, signal } = this.#deps;
    const waitMs = this.#lastWriteMs + apartMs - clock.monotonic();
    if (waitMs > 0) await clock.sleep(Math.ceil(waitMs), signal);
  }

  async #send(write: () => Promise<unknown>): Promise<void> {
    await this.#turn();
    this.#writes += 1;
    this.#lastWriteMs = this.#deps.clock.monotonic();
    await write();
  }

  /** Waits for the time of the next write first, so that nothing lies between the look and the write. */
  async #isAsRead({ id, body }: ThreadComment): Promise<boolean> {
    await this.#turn();
    return (await this.#github.readComment(id, this.#deps.signal)).body === body;
  }

  /** Writes to a comment as long as it says what was read. */
  async #write(comment: ThreadComment, writes: readonly (() => Promise<void>)[]): Promise<Saved> {
    if (this.#isHeldUp) return 'failed';
    if (mostWrites - this.#writes < writesOfAnEnd) {
      this.gaps.add(`A run writes at most ${mostWrites} times.`);
      return 'failed';
    }
    try {
      for (const write of writes) {
        if (!(await this.#isAsRead(comment))) return 'changed';
        await write();
      }
      this.#hasWritten = true;
      return 'saved';
    } catch (error) {
      if (error instanceof GitHubError && error.status === 404) return 'changed';
      const missing = missingPermission(error);
      // One locked thread must not keep the others from their ends.
      const isLocked = error instanceof GitHubError && error.isLocked;
      if (missing !== undefined && !isLocked && !this.#hasWritten) {
        throw new GitHubError('The token can’t write in the threads of this repository', {
          status: 403,
          isOwnWords: true,
          cause: error,
          hint: permissionsHint,
        });
      }
      this.#note(error, 'warning');
      return 'failed';
    }
  }

  /** A refused write does not stop the others, unless GitHub allows no writes at all. */
  #note(error: unknown, level: 'info' | 'warning'): void {
    if (!(error instanceof GitHubError)) throw error;
    const missing = missingPermission(error);
    const isLimit = error.limitMs !== undefined;
    this.#isHeldUp ||= isLimit;
    if (isLimit || level === 'warning')
      this.gaps.add(inOurWords(missing === undefined ? error : { what: missing, hint: undefined }));
    this.#deps.runner[level](missing ?? explain(error).text);
  }
}
