import type { Clock } from '../../core/clock.ts';
import type { GitHub } from '../../github/client.ts';
import { GitHubError, missingPermission } from '../../github/errors.ts';
import type { ThreadRef } from '../../github/event.ts';
import type { ThreadComment } from '../../github/schemas.ts';
import type { Marker, Markers } from '../../requests/marker.ts';
import { merge, type Remembered, recall } from './memory.ts';
import { type StatusComment, toldBy } from './status-comment.ts';

/** The clocks of GitHub and of the runner may differ a little; a competing claim is seconds old. */
const claimWindowMs = 60_000;
/** A thread may be read a moment behind what was written to it: four looks, within 6 s. */
const claimLooks = 4;
const claimLookMs = 1_000;

/** What it means that a claim cannot be looked at. */
const noClaim =
  'Without it nobody can tell whether another run is at work on the same request, so nothing was asked of the agent. Run it again.';

export interface ThreadOptions {
  readonly ref: ThreadRef;
  readonly github: GitHub;
  readonly markers: Markers;
  readonly clock: Clock;
  /** The status comment as it is known so far. */
  readonly status: StatusComment;
  /** Called with every change of it, before each comment that is sent and after each answer. */
  readonly onChange: (status: StatusComment) => void;
}

/** What a marker says besides the comment it stands in and its generation, which the thread knows itself. */
export type MarkerFacts = Omit<Marker, 'comment' | 'generation'>;

/** One issue's or pull request's comments. It owns the run's status comment: nothing else writes there. */
export interface Thread {
  readonly status: StatusComment;
  /** Keys of triggers in what was read that a bot wrote and that does not verify: perhaps ours, signed with another API key. */
  readonly unverifiedKeys: ReadonlySet<string>;
  /** The verified markers, read from the newest page back until there is enough of them. */
  read(
    isEnough: (seen: readonly Remembered[], oldestId: number) => boolean,
    within: AbortSignal,
  ): Promise<readonly Remembered[]>;
  /** Makes a comment that is there the run's own; `undefined`: the thread was looked at, and there is none. */
  adopt(one: Remembered | undefined): void;
  /**
   * Writes a claim as a new comment and looks twice, 1 s apart, who else did: a lower id may show later. Gives what was
   * written around it. A claim that does not show is an error.
   */
  claim(
    facts: MarkerFacts,
    text: string,
    follows: { readonly generation: number; readonly sinceMs: number },
    within: AbortSignal,
  ): Promise<readonly Remembered[]>;
  /** Writes or edits the status comment, only if it says something new. One that somebody deleted stays deleted. */
  show(facts: MarkerFacts, text: string, within: AbortSignal): Promise<void>;
  /** Takes back a comment of ours; one that is gone already is no error. */
  withdraw(one: Remembered, within: AbortSignal): Promise<void>;
  /** The comment as it stands now, with its marker verified; `undefined` where it was deleted. */
  readAgain(one: Remembered, within: AbortSignal): Promise<Remembered | undefined>;
}

export function openThread({ ref, github, markers, clock, onChange, ...options }: ThreadOptions): Thread {
  let { status } = options;
  /** What this process has written itself: it knows of that before GitHub's lists show it. */
  let written: readonly Remembered[] = [];
  const unverifiedKeys = new Set<string>();

  function change(news: Partial<StatusComment>): void {
    status = { ...status, ...news };
    onChange(status);
  }

  function bodyOf(facts: MarkerFacts, text: string): string {
    const { comment, generation } = status;
    const marker: Marker = {
      ...facts,
      ...(generation === 0 ? {} : { generation }),
      ...(comment === undefined ? {} : { comment: comment.id }),
    };
    return `${markers.write(marker)}\n${text}`;
  }

  /**
   * Sends a write. Until GitHub has answered it, and for good if an answer does not tell whether it was carried out, it may
   * still land: that is noted first, for whoever finishes what this process leaves.
   */
  async function send<T>(request: () => Promise<T>): Promise<T> {
    const { openSinceMs } = status;
    change({ openSinceMs: clock.now() });
    try {
      return await request();
    } finally {
      change({ openSinceMs });
    }
  }

  /** Sends a new comment; until it is answered nobody knows what the thread has been told. */
  async function write(body: string, within: AbortSignal): Promise<ThreadComment> {
    change({ told: 'unknown' });
    const comment = await send(() => github.createComment(ref.number, body, within));
    written = [...written, ...recall([comment], markers)];
    const { id, url } = comment;
    change({ login: comment.login, comment: { id, url, body: comment.body } });
    return comment;
  }

  /** Edits a comment; one that was deleted is known as that from then on. */
  async function edit(id: number, body: string, within: AbortSignal): Promise<ThreadComment> {
    const update = () => send(() => github.updateComment(id, body, within));
    try {
      return await update();
    } catch (error) {
      if (!isGone(error)) throw error;
      // A single 404 may be from a copy of GitHub's data that is behind: only two of them are believed.
      if ((await readIfThere(id, within)) !== undefined) return update();
      change({ isDeleted: true });
      throw error;
    }
  }

  async function readIfThere(id: number, within: AbortSignal): Promise<ThreadComment | undefined> {
    return github.readComment(id, within).catch((error: unknown) => {
      if (isGone(error)) return undefined;
      throw error;
    });
  }

  function keep(
    { id, url, body }: ThreadComment,
    { phase, outcome }: Pick<Marker, 'phase' | 'outcome'>,
  ): void {
    change({ told: toldBy(phase), outcome, comment: { id, url, body } });
  }

  /** What was written around the claim, once the claim itself is among it: who sees a comment sees what was there before. */
  async function readAround(
    claim: ThreadComment,
    sinceMs: number,
    within: AbortSignal,
  ): Promise<readonly ThreadComment[]> {
    for (let looks = 1; ; looks += 1) {
      const comments = await github.readCommentsSince(ref.number, sinceMs, within);
      if (comments.some(({ id }) => id === claim.id)) return comments;
      if (looks === claimLooks)
        throw new GitHubError(
          'GitHub does not list the comment that this run has just written in the thread',
          {
            hint: noClaim,
          },
        );
      await clock.sleep(claimLookMs * looks, within);
    }
  }

  return {
    get status() {
      return status;
    },
    unverifiedKeys,

    async read(isEnough, within) {
      let seen: Remembered[] = [];
      for await (const comments of github.readNewestFirst(ref, within)) {
        for (const comment of comments) {
          const key = markers.unverifiedKey(comment);
          if (key !== undefined) unverifiedKeys.add(key);
        }
        seen = [...recall(comments, markers), ...seen];
        if (isEnough(seen, comments[0]?.id ?? Number.POSITIVE_INFINITY)) break;
      }
      return merge(written, seen);
    },

    adopt(one) {
      change({ generation: one?.marker.generation ?? 0 });
      // A marker that names its comment is in a comment of ours.
      if (one !== undefined && one.marker.comment === one.comment.id) change({ login: one.comment.login });
      if (one === undefined) change({ told: 'nothing', outcome: undefined, comment: undefined });
      else keep(one.comment, one.marker);
    },

    async claim(facts, text, { generation, sinceMs }, within) {
      change({ generation, comment: undefined, outcome: undefined });
      const claim = await write(bodyOf(facts, text), within);
      try {
        // A rate limit may have held our own claim up for minutes: from before the thread was first read.
        const since = Math.min(claim.createdAtMs, sinceMs) - claimWindowMs;
        const first = recall(await readAround(claim, since, within), markers);
        await clock.sleep(claimLookMs, within);
        return merge(first, recall(await github.readCommentsSince(ref.number, since, within), markers));
      } catch (error) {
        // Whoever may write here may read here: this is no missing permission, which a run goes on without.
        if (missingPermission(error) === undefined) throw error;
        throw new GitHubError('The thread cannot be read right after this run has written in it', {
          cause: error,
          hint: noClaim,
        });
      }
    },

    async show(facts, text, within) {
      if (status.isDeleted) return;
      const body = bodyOf(facts, text);
      if (status.comment === undefined) keep(await write(body, within), facts);
      else if (status.comment.body !== body || status.openSinceMs !== undefined)
        keep(await edit(status.comment.id, body, within), facts);
    },

    async withdraw({ comment }, within) {
      await github.deleteComment(comment.id, within).catch((error: unknown) => {
        if (!isGone(error)) throw error;
      });
      written = written.filter((one) => one.comment.id !== comment.id);
    },

    async readAgain({ comment }, within) {
      const now = await readIfThere(comment.id, within);
      return now === undefined ? undefined : recall([now], markers)[0];
    },
  };
}

function isGone(error: unknown): boolean {
  return error instanceof GitHubError && error.status === 404;
}
