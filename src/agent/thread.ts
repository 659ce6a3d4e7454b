import type { Deps } from '../deps.ts';
import type { GitHub } from '../github/client.ts';
import { GitHubError, missingPermission } from '../github/errors.ts';
import type { ThreadRef } from '../github/event.ts';
import type { ThreadComment } from '../github/schemas.ts';
import type { Marker, Markers, Phase } from '../lib/marker.ts';
import { newestJob, ofTrigger, type Remembered, recall, wasDenied } from './memory.ts';
import { jobIdOf, type Progress } from './progress.ts';

/** The clocks of GitHub and of the runner may differ a little; a competing claim is seconds old. */
const claimWindowMs = 60_000;
/** A thread may be read a moment behind what was written to it: four looks, within 6 s. */
const confirmLooks = 4;
const confirmLookMs = 1_000;

/** Phases whose marker names the job: an answer about a job is no newer job. */
const ofAJob: ReadonlySet<Phase> = new Set(['working', 'ended']);

export interface ThreadOptions {
  readonly ref: ThreadRef;
  readonly github: GitHub;
  readonly markers: Markers;
  readonly progress: Progress;
  readonly deps: Deps;
}

/** What to look for in a thread, so that reading can stop when it is found. */
export interface Wanted {
  /** The thread's newest job; the trigger's own comment is looked for in any case. */
  readonly job: boolean;
  /** Whose refusal to look for: reading stops there, and nothing else is looked for. */
  readonly denied?: string;
}

/** One issue's or pull request's comments, as the memory and the voice of a run. */
export interface Thread {
  /** Whether all that this run has written here is known, and whose trigger it is. */
  readonly isSettled: boolean;
  /** The verified markers, read from the newest page back until all that is wanted is found. */
  remember(wanted: Wanted, within?: AbortSignal): Promise<Remembered[]>;
  /**
   * Writes the status comment with a claim on the trigger, and looks who else did. Gives what was written meanwhile;
   * `won` is false where another run claimed the trigger before us. A claim that cannot be confirmed is an error.
   */
  claim(
    text: string,
    within: AbortSignal,
  ): Promise<{ readonly won: boolean; readonly seen: readonly Remembered[] }>;
  /** Writes or edits the status comment, only if it says something new. */
  show(phase: Phase, text: string, signal: AbortSignal, extra?: Partial<Marker>): Promise<void>;
  /** Takes back a comment of this run. */
  withdraw(commentId: number, within?: AbortSignal): Promise<void>;
  /** The comment as it stands now, with its marker verified; `undefined` where it was deleted as well. */
  again(one: Remembered): Promise<Remembered | undefined>;
}

export function openThread({ ref, github, markers, progress, deps }: ThreadOptions): Thread {
  const { context, clock, signal } = deps;
  let isSettled = false;

  const markerOf = (phase: Phase, extra: Partial<Marker> = {}): string => {
    const { comment, watchedUntilMs } = progress;
    const jobId = jobIdOf(progress);
    return markers.write({
      key: progress.key,
      phase,
      run: context.runId,
      attempt: context.runAttempt,
      ...(comment === undefined ? {} : { comment: comment.id }),
      ...(jobId === undefined || !ofAJob.has(phase)
        ? {}
        : { job: jobId, ...(progress.followUp ? { message: true } : {}) }),
      ...(watchedUntilMs === undefined ? {} : { until: Math.round(watchedUntilMs / 1000) }),
      ...extra,
    });
  };

  const keep = ({ id, url, body }: ThreadComment) => {
    progress.comment = { id, url, body };
  };

  /** What was written around our claim, once the claim itself is among it: who sees a comment sees all before it. */
  async function readAround(written: ThreadComment, within: AbortSignal): Promise<readonly ThreadComment[]> {
    // From before the thread was read: a rate limit may have held our own claim up for minutes.
    const sinceMs = Math.min(written.createdAtMs, progress.beganAtMs) - claimWindowMs;
    for (let looks = 1; ; looks += 1) {
      const comments = await github.readCommentsSince(ref.number, sinceMs, within);
      if (comments.some(({ id }) => id === written.id)) return comments;
      if (looks === confirmLooks)
        throw new GitHubError('The claim on this trigger does not show in the thread');
      await clock.sleep(confirmLookMs * looks, within);
    }
  }

  return {
    get isSettled() {
      return isSettled;
    },

    async remember(wanted, within = signal) {
      let seen: Remembered[] = [];
      for await (const comments of github.readNewestFirst(ref, within)) {
        seen = [...recall(comments, markers), ...seen];
        if (wanted.denied !== undefined && wasDenied(seen, wanted.denied)) break;
        const oldest = comments[0]?.id ?? Number.POSITIVE_INFINITY;
        // What is older than the comment that asked cannot be an answer to it.
        const ownKnown =
          oldest <= (progress.sourceCommentId ?? 0) ||
          ofTrigger(seen, progress.key)?.marker.comment !== undefined;
        const jobKnown = !wanted.job || newestJob(seen) !== undefined;
        if (wanted.denied === undefined && ownKnown && jobKnown) break;
      }
      isSettled = true;
      return seen;
    },

    async claim(text, within) {
      isSettled = false;
      const written = await github.createComment(ref.number, `${markerOf('claimed')}\n${text}`, within);
      keep(written);
      const comments = await readAround(written, within).catch((error: unknown) => {
        // Whoever may write here may read here: this is no missing permission, which a run goes on without.
        if (missingPermission(error) !== undefined)
          throw new GitHubError('The claim on this trigger cannot be read', { cause: error });
        throw error;
      });
      isSettled = true;
      const seen = recall(comments, markers);
      return { won: ofTrigger(seen, progress.key)?.comment.id === written.id, seen };
    },

    async show(phase, text, within, extra) {
      const body = `${markerOf(phase, extra)}\n${text}`;
      if (progress.comment === undefined) {
        isSettled = false;
        keep(await github.createComment(ref.number, body, within));
        isSettled = true;
      } else if (progress.comment.body !== body) {
        keep(await github.updateComment(progress.comment.id, body, within));
      }
    },

    async withdraw(commentId, within = signal) {
      await github.deleteComment(commentId, within);
      if (progress.comment?.id === commentId) delete progress.comment;
    },

    async again({ comment }) {
      const now = await github.readComment(comment.id, signal).catch((error: unknown) => {
        if (error instanceof GitHubError && error.status === 404) return undefined;
        throw error;
      });
      return now === undefined ? undefined : recall([now], markers)[0];
    },
  };
}
