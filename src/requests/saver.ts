import { explain, inOurWords } from '../core/errors.ts';
import type { Deps } from '../deps.ts';
import type { GitHub } from '../github/client.ts';
import { GitHubError, missingPermission } from '../github/errors.ts';
import type { Card } from './card.ts';
import type { Left } from './left.ts';
import { reactionsTo, verdictOn } from './reactions.ts';
import { commentOf, isGone } from './store.ts';

/** GitHub asks for a second between writes (REST documentation, "Best practices for using the REST API"). */
const apartMs = 1_000;
/** It allows 500 writes an hour ("Rate limits for the REST API"), and the repository’s other workflows need some too. */
const mostWrites = 400;

/** What to do if the token lacks a permission that collect mode requires. */
export const permissionsHint =
  'Give the job `issues: write` and `pull-requests: write`. Nothing was changed.';

/** Why a run stops early: the repository’s other workflows use the same limit. */
export const nearlySpent = 'GitHub’s hourly limit has nearly been reached.';

export type Saver = ReturnType<typeof openSaver>;

/** The result of a write. `changed`: the comment no longer says what was read, so it is left alone. */
export type Saved = 'saved' | 'changed' | 'left';

/**
 * Writes only to comments that haven't changed since they were read, because others may write there too.
 *
 * @param whyUnsaved collects the reasons why something couldn't be written.
 */
export function openSaver(
  github: GitHub,
  whyUnsaved: Set<string>,
  { runner, clock, signal }: Pick<Deps, 'runner' | 'clock' | 'signal'>,
) {
  /** What this run wrote, by the id of the comment. */
  const bodies = new Map<number, string>();
  let writes = 0;
  let nextWriteMs = Number.NEGATIVE_INFINITY;
  /** Whether a rate limit forbids more writes. */
  let isHeldUp = false;

  async function writeAll({ comment }: Left, all: readonly (() => Promise<unknown>)[]): Promise<Saved> {
    if (isHeldUp) return 'left';
    if (github.isNearlySpent()) {
      whyUnsaved.add(nearlySpent);
      return 'left';
    }
    if (writes + all.length > mostWrites) {
      whyUnsaved.add(`A run can write to GitHub at most ${mostWrites} times.`);
      return 'left';
    }
    try {
      for (const write of all) {
        // Before the read, so that nothing comes between it and the write.
        await clock.sleep(Math.max(0, Math.ceil(nextWriteMs - clock.monotonic())), signal);
        const body = bodies.get(comment.id) ?? comment.body;
        if ((await github.readComment(comment.id, signal))?.body !== body) return 'changed';
        writes += 1;
        nextWriteMs = clock.monotonic() + apartMs;
        await write();
      }
      return 'saved';
    } catch (error) {
      if (isGone(error)) return 'changed';
      if (bodies.size === 0) expectPermission(error);
      note(error, 'warning');
      return 'left';
    }
  }

  /** A rejected write doesn't stop the others, unless GitHub allows no writes at all. */
  function note(error: unknown, level: 'info' | 'warning'): void {
    if (!(error instanceof GitHubError)) throw error;
    const missing = missingPermission(error);
    const isLimit = error.limitMs !== undefined;
    isHeldUp ||= isLimit;
    if (isLimit || level === 'warning')
      whyUnsaved.add(inOurWords(missing === undefined ? error : { what: missing, hint: undefined }));
    runner[level](missing ?? explain(error).text);
  }

  return {
    /**
     * Writes the card into its comment, and shows a new verdict under the request's comment.
     *
     * @throws GitHubError if the very first write shows that a permission is missing; the signal's reason.
     */
    save(open: Left, card: Card): Promise<Saved> {
      const { id, url } = open.comment;
      const edit = async () => {
        const body = commentOf({ ...card, comment: { id, url } }, open.signerOf(open.thread));
        await github.updateComment(id, body, signal);
        bodies.set(id, body);
      };
      // The reactions come first: if the run stops in between, the next one still finds the comment open. They may fail: the
      // status comment says the same, and the request's comment may have been deleted.
      const [before, verdict] = [verdictOn(open.card), verdictOn(card)];
      const news = verdict === before ? undefined : verdict;
      const reactions = reactionsTo(card, news, before, github, signal).map(
        (write) => () => write().catch((error: unknown) => note(error, 'info')),
      );
      return writeAll(open, [...reactions, edit]);
    },

    /** Deletes an obsolete comment. */
    delete: (open: Left) => writeAll(open, [() => github.deleteComment(open.comment.id, signal)]),
  };
}

/** One locked thread doesn't affect the others, but a token that can't write affects all. */
function expectPermission(error: unknown): void {
  if (!(error instanceof GitHubError) || error.isLocked || missingPermission(error) === undefined) return;
  throw new GitHubError('The token can’t write comments in this repository’s threads', {
    status: 403,
    isFromGitHub: true,
    cause: error,
    hint: permissionsHint,
  });
}
