import type { Deps } from '../deps.ts';
import type { GitHub, ThreadComment } from '../github/client.ts';
import { GitHubError } from '../github/errors.ts';
import type { ThreadRef } from '../github/event.ts';
import type { Marker, Markers, Phase } from './marker.ts';
import { newestJob, ofTrigger, type Remembered, recall, wasDenied } from './memory.ts';
import type { Progress } from './progress.ts';

/** The clocks of GitHub and of the runner may differ a little; a competing claim is seconds old. */
const claimWindowMs = 60_000;

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
  /** Comments older than this cannot be the trigger's own. */
  readonly ownSince: number;
  readonly job: boolean;
  /** Whose refusal to look for: reading stops there, and nothing else is looked for. */
  readonly denied?: string;
}

/** One issue's or pull request's comments, as the memory and the voice of a run. */
export interface Thread {
  /** The verified markers, read from the newest page back until all that is wanted is found. */
  remember(wanted: Wanted): Promise<Remembered[]>;
  /**
   * Writes the status comment with a claim on the trigger, and looks who else did. Gives what was written meanwhile;
   * `won` is false where another run claimed the trigger before us.
   */
  claim(text: string): Promise<{ readonly won: boolean; readonly seen: readonly Remembered[] }>;
  /** Writes or edits the status comment, only if it says something new. */
  show(phase: Phase, text: string, signal: AbortSignal, extra?: Partial<Marker>): Promise<void>;
  /** Takes the status comment back. */
  withdraw(): Promise<void>;
  /** The comment as it stands now, with its marker verified; `undefined` where it was deleted as well. */
  again(one: Remembered): Promise<Remembered | undefined>;
}

export function openThread({ ref, github, markers, progress, deps }: ThreadOptions): Thread {
  const { context, signal } = deps;

  const markerOf = (phase: Phase, extra: Partial<Marker> = {}): string => {
    const { comment, job, watchedUntilMs } = progress;
    return markers.write({
      key: progress.key,
      phase,
      run: context.runId,
      attempt: context.runAttempt,
      ...(comment === undefined ? {} : { comment: comment.id }),
      ...(job === undefined || !ofAJob.has(phase) ? {} : { job: job.id }),
      ...(watchedUntilMs === undefined ? {} : { until: Math.round(watchedUntilMs / 1000) }),
      ...extra,
    });
  };

  const keep = ({ id, url, body }: ThreadComment) => {
    progress.comment = { id, url, body };
  };

  async function* pagesNewestFirst(): AsyncGenerator<readonly ThreadComment[]> {
    const guess = Math.max(1, Math.ceil((ref.comments ?? 0) / 100));
    const first = await github.readComments(ref.number, guess, signal);
    for (let page = first.lastPage ?? guess; page > guess; page -= 1) {
      yield (await github.readComments(ref.number, page, signal)).comments;
    }
    yield first.comments;
    for (let page = guess - 1; page >= 1; page -= 1) {
      yield (await github.readComments(ref.number, page, signal)).comments;
    }
  }

  return {
    async remember(wanted) {
      let seen: Remembered[] = [];
      for await (const comments of pagesNewestFirst()) {
        seen = [...recall(comments, markers), ...seen];
        if (wanted.denied !== undefined && wasDenied(seen, wanted.denied)) break;
        const oldest = comments[0]?.id ?? Number.POSITIVE_INFINITY;
        const ownKnown =
          oldest <= wanted.ownSince || ofTrigger(seen, progress.key)?.marker.comment !== undefined;
        const jobKnown = !wanted.job || newestJob(seen) !== undefined;
        if (wanted.denied === undefined && ownKnown && jobKnown) break;
      }
      return seen;
    },

    async claim(text) {
      const written = await github.createComment(ref.number, `${markerOf('claimed')}\n${text}`, signal);
      keep(written);
      // From before the thread was read: a rate limit may have held our own claim up for minutes.
      const since = Math.min(written.createdAtMs, progress.beganAtMs) - claimWindowMs;
      const seen = recall(await github.readCommentsSince(ref.number, since, signal), markers);
      const first = ofTrigger(seen, progress.key);
      return { won: first === undefined || first.comment.id === written.id, seen };
    },

    async show(phase, text, within, extra) {
      const body = `${markerOf(phase, extra)}\n${text}`;
      if (progress.comment === undefined) {
        keep(await github.createComment(ref.number, body, within));
      } else if (progress.comment.body !== body) {
        keep(await github.updateComment(progress.comment.id, body, within));
      }
    },

    async withdraw() {
      if (progress.comment === undefined) return;
      await github.deleteComment(progress.comment.id, signal);
      delete progress.comment;
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

/** What a call to GitHub lacked, in the words of a workflow's `permissions`; `undefined` for any other error. */
export function missingPermission(error: unknown): string | undefined {
  if (!(error instanceof GitHubError) || !error.forbidden) return undefined;
  return 'The token may not write in this thread: it needs `issues: write` (on a pull request `pull-requests: write` will do), and the thread must not be locked';
}
