import { describeError, inOurWords } from '../../core/errors.ts';
import type { DepsWithGitHub } from '../../deps.ts';
import type { GitHub, Reaction } from '../../github/client.ts';
import { GitHubError } from '../../github/errors.ts';
import type { Card } from '../card/card.ts';
import { shownAs } from '../card/situation.ts';
import type { OpenCard } from './open-cards.ts';
import { commentOf, isGone } from './store.ts';

/** GitHub asks for at least one second between writes (REST documentation, "Best practices for using the REST API"). */
const apartMs = 1_000;
/** GitHub allows 500 writes an hour ("Rate limits for the REST API"). Other workflows in the repository need some of them. */
const maxWrites = 400;

/** The reason for stopping early. All workflows in the repository share GitHub's limit. */
export const nearlySpent = 'GitHub’s hourly limit has nearly been reached.';

export type Saver = ReturnType<typeof openSaver>;

/** The result of a write. `changed`: the comment was edited since it was read. `postponed`: the next run has to do it. */
export type Saved = 'saved' | 'changed' | 'postponed';

/** Edits only comments that haven't changed since they were read. Reasons for failed writes are added to `whyUnsaved`. */
export function openSaver(whyUnsaved: Set<string>, { github, runner, clock, signal }: DepsWithGitHub) {
  /** The text of each comment that this run edited, by comment ID. */
  const bodies = new Map<number, string>();
  let writes = 0;
  let nextWriteMs = Number.NEGATIVE_INFINITY;
  /** Whether GitHub's rate limit was reached, so no more writes are allowed. */
  let isHeldUp = false;
  let refusal: GitHubError | undefined;

  async function writeAll({ comment }: OpenCard, all: readonly (() => Promise<unknown>)[]): Promise<Saved> {
    if (isHeldUp) return 'postponed';
    const isOverLimit = writes + all.length > maxWrites;
    if (isOverLimit || github.isNearlySpent()) {
      whyUnsaved.add(isOverLimit ? `A run can write to GitHub at most ${maxWrites} times.` : nearlySpent);
      return 'postponed';
    }
    try {
      for (const write of all) {
        // Wait before the read, so that the write follows the read immediately.
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
      if (!(error instanceof GitHubError)) throw error;
      if (error.status === 403 && error.isRefusal && error.lacks !== 'unlocked thread') refusal ??= error;
      whyUnsaved.add(inOurWords(error));
      note(error);
      return 'postponed';
    }
  }

  /** Logs a failed write. The other writes continue, unless a rate limit was reached. */
  function note(error: unknown): void {
    if (!(error instanceof GitHubError)) throw error;
    const isLimit = error.limitMs !== undefined;
    isHeldUp ||= isLimit;
    if (isLimit) whyUnsaved.add(inOurWords(error));
    runner.info(describeError(error));
  }

  return {
    /** Edits a status comment and updates the reaction. */
    save(open: OpenCard, card: Card): Promise<Saved> {
      const { id, url, thread } = open.comment;
      const edit = async () => {
        const body = commentOf({ ...card, comment: { id, url } }, open.owner.signerOf(thread));
        await github.updateComment(id, body, signal);
        bodies.set(id, body);
      };
      // Add reactions before the edit: if the run stops in between, the next run still finds the card unchanged. Reactions may
      // fail, because the status comment says the same and the request's comment may have been deleted.
      const [before, verdict] = [shownAs(open.card).reaction, shownAs(card).reaction];
      const news = verdict === before ? undefined : verdict;
      const writes = reactionsTo(card, news, before, github, signal);
      const reactions = writes.map((write) => () => write().catch(note));
      return writeAll(open, [...reactions, edit]);
    },

    delete: (open: OpenCard) => writeAll(open, [() => github.deleteComment(open.comment.id, signal)]),

    /** @throws GitHubError if the token can't write at all. It may lack the permission for pull requests, or for issues, only. */
    finish() {
      if (refusal !== undefined && bodies.size === 0) throw refusal;
    },
  };
}

/** The API calls that add a reaction to the request's comment and remove the outdated reaction `before`. */
export function reactionsTo(
  { source, login, attempt }: Card,
  reaction: Reaction | undefined,
  before: Reaction | undefined,
  github: GitHub,
  within: AbortSignal,
): (() => Promise<void>)[] {
  // GitHub doesn't support reactions to reviews.
  if (source === undefined || source.kind === 'review' || reaction === undefined) return [];
  const react = () => github.react(source, reaction, within);
  const isGood = reaction === 'rocket' || reaction === '+1';
  // An earlier attempt may have left a reaction that is no longer true.
  const isOutdated = isGood && (attempt > 1 || before === 'confused');
  if (!isOutdated || login === undefined) return [react];
  return [react, () => github.unreact(source, 'confused', login, within)];
}
