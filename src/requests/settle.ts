import { explain, inOurWords } from '../core/failure.ts';
import type { Deps } from '../deps.ts';
import type { GitHub } from '../github/client.ts';
import { GitHubError, missingPermission } from '../github/errors.ts';
import type { ThreadComment } from '../github/schemas.ts';
import { type Card, checked, endingOf, gone, jobOf, looked, stopped, unconfirmed } from './card.ts';
import { isTooEarly } from './job.ts';
import type { Look, Looks } from './looks.ts';
import type { Left, Open } from './open.ts';
import { outdatedBy, reactionTo } from './reactions.ts';
import type { Signer } from './sign.ts';
import { commentOf } from './store.ts';
import { mostWrites, Writes } from './writes.ts';

/** The most writes that one end takes: the comment, the reaction, and the one before it. */
const writesOfAnEnd = 3;

/** What to do if the token may not do all that collecting takes. */
export const permissionsHint =
  'Give the job `issues: write` and `pull-requests: write`. Nothing was changed.';

/** An open comment after one look at its job. */
export interface Settled {
  readonly open: Open;
  /** The card as it is now; `undefined` if the job could not be seen: another run will. */
  readonly card: Card | undefined;
  /** What came of writing its end; `changed`: the comment no longer says what was read, so it was left alone. */
  readonly saved: 'saved' | 'changed' | 'failed' | undefined;
}

export interface SettleOptions {
  readonly clock: Deps['clock'];
  /** How long after the request to look for a job; `undefined` for ever. */
  readonly sinceMs: number | undefined;
  readonly signerOf: (thread: number) => Signer;
  /** Whether to note what was looked at in vain, since there are more jobs than requests. */
  readonly marksTurns?: boolean;
}

/**
 * Brings what was left open to its end, once its jobs were looked at, and deletes what no longer counts.
 *
 * @param done takes what was settled, one by one, for a caller that may be interrupted.
 */
export async function settle(
  { open, outdated }: Left,
  looks: Looks,
  saver: Saver,
  { clock, sinceMs, signerOf, marksTurns = false }: SettleOptions,
  done: Settled[] = [],
): Promise<void> {
  for (const one of open) {
    const card = afterLook(one, looks.found(jobOf(one.card)?.id ?? ''), clock.now(), sinceMs);
    const isOver = card !== undefined && endingOf(card) !== undefined && card !== one.card;
    const saved = isOver ? await saver.save(one, card, signerOf(one.thread)) : undefined;
    done.push({ open: one, card, saved });
    if (marksTurns && !isOver && card !== undefined)
      await saver.mark(one, checked(one.card, clock.now()), signerOf(one.thread));
  }
  for (const one of outdated) await saver.delete(one);
}

/** What a look shows of an open card: the same card if its job is still at work, `undefined` if nobody knows. */
export function afterLook(
  { card, comment }: Open,
  look: Look | undefined,
  nowMs: number,
  sinceMs = Number.POSITIVE_INFINITY,
): Card | undefined {
  if (jobOf(card) === undefined) return unconfirmed(card);
  if (look === undefined || look.is === 'unseen') return undefined;
  if (look.is === 'gone') return isTooEarly(card.askedAt, nowMs) ? card : gone(card);
  const after = looked(card, look.job, { nowMs, isLinkFinal: true });
  if (after.state.is === 'ended') return after;
  const isGivenUp = nowMs - (card.askedAt ?? comment.createdAtMs) >= sinceMs;
  return isGivenUp ? stopped(after, { outcome: 'timed-out', reason: 'given-up' }) : card;
}

/** Writes to comments that still say what was read, beside anybody else who writes there. */
export class Saver {
  readonly #github: GitHub;
  readonly #deps: Pick<Deps, 'runner' | 'signal'>;
  readonly #writes: Writes;
  readonly #gaps = new Set<string>();
  /** Whether a rate limit allows no more writes. */
  #isHeldUp = false;
  /** Whether a comment could be written: the token may. */
  #hasWritten = false;

  constructor(github: GitHub, deps: Pick<Deps, 'runner' | 'clock' | 'signal'>) {
    this.#github = github;
    this.#deps = deps;
    this.#writes = new Writes(deps.clock, deps.signal);
  }

  /** Why ends could not be written, each reason once. */
  get gaps(): readonly string[] {
    return [...this.#gaps];
  }

  /**
   * Writes the end into the comment, and reacts to the one that asked.
   *
   * @throws GitHubError if the very first write shows that a permission is missing; the signal's reason.
   */
  async save(open: Open, card: Card, signer: Signer): Promise<'saved' | 'changed' | 'failed'> {
    const { signal } = this.#deps;
    const { id, url } = open.comment;
    const body = commentOf({ ...card, comment: { id, url } }, signer);
    // The reaction comes first: if the run stops in between, the next one still finds the comment open. It is not
    // needed, since the comment says it as well, and the one that asked may be gone.
    const react = () => this.#react(open, card).catch((error: unknown) => this.#note(error, 'info'));
    return this.#write(open.comment, () => this.#github.updateComment(id, body, signal), react);
  }

  /** Edits only what readers do not see. */
  async mark({ comment }: Open, card: Card, signer: Signer): Promise<void> {
    const { id, url } = comment;
    const body = commentOf({ ...card, comment: { id, url } }, signer);
    await this.#write(comment, () => this.#github.updateComment(id, body, this.#deps.signal));
  }

  /** Deletes a comment that no longer counts. */
  async delete({ comment }: Open): Promise<void> {
    await this.#write(comment, () => this.#github.deleteComment(comment.id, this.#deps.signal));
  }

  async #react({ comment, card: before }: Open, card: Card): Promise<void> {
    const { source } = card;
    const reaction = reactionTo(card);
    if (source === undefined || reaction === undefined) return;
    const { signal } = this.#deps;
    await this.#writes.send(() => this.#github.react(source.id, reaction, signal));
    const outdated = outdatedBy(reaction);
    // A re-run may have left the verdict of the attempt before it.
    const mayBeThere = card.attempt > 1 || reactionTo(before) === outdated;
    if (outdated !== undefined && mayBeThere)
      await this.#writes.send(() => this.#github.unreact(source.id, outdated, comment.login, signal));
  }

  /** Waits for the time of the next write first, so that nothing lies between the look and the write. */
  async #isAsRead({ id, body }: ThreadComment): Promise<boolean> {
    await this.#writes.turn();
    return (await this.#github.readComment(id, this.#deps.signal)).body === body;
  }

  /** Writes to a comment that still says what was read. */
  async #write(
    comment: ThreadComment,
    write: () => Promise<unknown>,
    before?: () => Promise<void>,
  ): Promise<'saved' | 'changed' | 'failed'> {
    if (this.#isHeldUp) return 'failed';
    if (this.#writes.left < writesOfAnEnd) {
      this.#gaps.add(`A run writes at most ${mostWrites} times.`);
      return 'failed';
    }
    try {
      if (!(await this.#isAsRead(comment))) return 'changed';
      if (before !== undefined) {
        await before();
        if (!(await this.#isAsRead(comment))) return 'changed';
      }
      await this.#writes.send(write);
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

  /** What GitHub refused is no reason to stop, unless it allows no writes at all. */
  #note(error: unknown, level: 'info' | 'warning'): void {
    if (!(error instanceof GitHubError)) throw error;
    const missing = missingPermission(error);
    const isLimit = error.limitMs !== undefined;
    this.#isHeldUp ||= isLimit;
    if (isLimit || level === 'warning')
      this.#gaps.add(inOurWords(missing === undefined ? error : { what: missing, hint: undefined }));
    this.#deps.runner[level](missing ?? explain(error).text);
  }
}
