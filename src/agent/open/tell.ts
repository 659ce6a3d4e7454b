import { explain, inOurWords } from '../../core/failure.ts';
import type { Deps } from '../../deps.ts';
import type { GitHub } from '../../github/client.ts';
import { GitHubError, missingPermission } from '../../github/errors.ts';
import type { ThreadComment } from '../../github/schemas.ts';
import type { Marker, Markers } from '../../requests/marker.ts';
import type { Tellable } from '../known.ts';
import { reactionTo } from '../tell/conclude.ts';
import { outdatedBy } from '../tell/react.ts';
import { retold } from '../tell/render.ts';
import { askedBy } from '../thread/look.ts';
import { linkFor } from '../thread/marker-facts.ts';
import type { Open } from './find.ts';
import type { Over } from './verdict.ts';
import { mostWrites, Writes } from './writes.ts';

/** The most writes that one end takes: the comment, the reaction, and the one before it taken back. */
const writesOfAnEnd = 3;

/** What to do where the token may not do all that collecting takes. */
export const permissionsHint =
  'Give the job `issues: write` and `pull-requests: write`. Nothing was changed.';

export interface TellerOptions {
  readonly github: GitHub;
  /** The slash command of the threads. */
  readonly command: string;
}

/** What came of telling an end. `changed`: the comment no longer says what was read, so it was left alone. */
export type Told = 'told' | 'changed' | 'untold';

/** Tells the ends of open comments, and takes comments back, beside whoever else writes there. */
export class Teller {
  readonly #options: TellerOptions;
  readonly #deps: Pick<Deps, 'runner' | 'signal'>;
  readonly #writes: Writes;
  readonly #gaps = new Set<string>();
  /** Whether a rate limit lets nothing more be written. */
  #isHeldUp = false;
  /** Whether a comment could be written: the token may. */
  #hasWritten = false;

  constructor(options: TellerOptions, deps: Pick<Deps, 'runner' | 'clock' | 'signal'>) {
    this.#options = options;
    this.#deps = deps;
    this.#writes = new Writes(deps.clock, deps.signal);
  }

  /** Why ends could not be told, each reason once. */
  get gaps(): readonly string[] {
    return [...this.#gaps];
  }

  /**
   * Tells the end in the comment, and by a reaction under the one that asked.
   *
   * @param markers of the comment's thread and project.
   * @throws GitHubError where the very first write shows that a permission is missing; the signal's reason.
   */
  async tell(open: Open, over: Over, markers: Markers): Promise<Told> {
    const { github, command } = this.#options;
    const { comment } = open;
    const { signal } = this.#deps;
    const text = retold(comment.body, over.ending, tellableOf(open, over, command));
    const body = `${markers.write(endOf(open, over))}\n${text}`;
    // The reaction comes first, since a run that stops in between is followed by one that tells the comment. It is not
    // needed: the comment says it as well, and the one that asked may be gone.
    const react = () => this.#react(open, over).catch((error: unknown) => this.#note(error, 'info'));
    return this.#write(comment, () => github.updateComment(comment.id, body, signal), react);
  }

  async #react({ comment, marker }: Open, { ending }: Over): Promise<void> {
    const { github } = this.#options;
    const { signal } = this.#deps;
    const source = sourceOf(marker);
    const reaction = reactionTo(ending);
    if (source === undefined || reaction === undefined) return;
    await this.#writes.send(() => github.react(source, reaction, signal));
    const outdated = outdatedBy(reaction);
    // A re-run may have left the verdict of the attempt before it.
    const mayBeThere = marker.attempt > 1 || reactionTo({ outcome: marker.outcome ?? '' }) === outdated;
    if (outdated !== undefined && mayBeThere)
      await this.#writes.send(() => github.unreact(source, outdated, comment.login, signal));
  }

  /** Deletes a comment that no longer counts. */
  async takeBack({ comment }: Open): Promise<Told> {
    const { github } = this.#options;
    return this.#write(comment, () => github.deleteComment(comment.id, this.#deps.signal));
  }

  /** Waits for the time of the next write, so that nothing lies between the look and the write. */
  async #isAsRead({ id, body }: ThreadComment): Promise<boolean> {
    await this.#writes.turn();
    return (await this.#options.github.readComment(id, this.#deps.signal)).body === body;
  }

  /** Writes to a comment that still says what was read. */
  async #write(
    comment: ThreadComment,
    write: () => Promise<unknown>,
    before?: () => Promise<void>,
  ): Promise<Told> {
    if (this.#isHeldUp) return 'untold';
    if (this.#writes.left < writesOfAnEnd) {
      this.#gaps.add(`A run writes at most ${mostWrites} times.`);
      return 'untold';
    }
    try {
      if (!(await this.#isAsRead(comment))) return 'changed';
      if (before !== undefined) {
        await before();
        if (!(await this.#isAsRead(comment))) return 'changed';
      }
      await this.#writes.send(write);
      this.#hasWritten = true;
      return 'told';
    } catch (error) {
      if (error instanceof GitHubError && error.status === 404) return 'changed';
      const missing = missingPermission(error);
      // One locked thread must not keep the others from being told.
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
      return 'untold';
    }
  }

  /** What GitHub did not let us write is no reason to stop, unless it lets nothing be written. */
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

/** What is known of a request that only its status comment remembers. The one place that says so. */
export function tellableOf({ marker, thread }: Open, { job }: Over, command: string): Tellable {
  const asked = askedBy(marker);
  return {
    command,
    threadNumber: thread,
    isCommand: marker.key === `comment:${sourceOf(marker)}`,
    asked: asked.is === 'yes' ? { ...asked, job } : asked,
  };
}

/** The marker of a comment that tells this end. */
function endOf({ comment, marker }: Open, { ending, job }: Over): Marker {
  const { until: _, before: __, ...kept } = marker;
  const pullRequest = linkFor(job);
  return {
    ...kept,
    phase: ending.reason === 'unconfirmed' ? 'unconfirmed' : 'ended',
    comment: comment.id,
    outcome: ending.outcome,
    ...(ending.isUnseen && marker.before !== undefined ? { unseen: marker.before } : {}),
    ...(pullRequest === undefined ? {} : { pullRequest }),
  };
}

/** The comment that asked, by the trigger's key. */
function sourceOf({ key }: Marker): number | undefined {
  const [, id] = key.match(/^comment:(\d{1,15})(?::|$)/) ?? [];
  return id === undefined ? undefined : Number(id);
}
