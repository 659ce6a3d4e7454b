import type { Phase } from '../../requests/marker.ts';
import type { RunContext } from '../../runner/context.ts';
import type { Job } from '../../service/schemas.ts';
import { isTerminal } from '../job/status.ts';
import { type Asked, isFollowUp, type Known } from '../known.ts';
import { type Ending, pullRequestOf } from '../tell/ending.ts';
import type { MarkerFacts } from './thread.ts';

/** How long a process may take from its claim to the service's answer, rate limits included. */
const askingMs = 600_000;

/** What the status comment stands for: the one place that says so. */
export function phaseOf(asked: Asked, ending: Ending | undefined): Phase {
  switch (asked.is) {
    case 'no':
      return ending === undefined ? 'claimed' : 'released';
    case 'maybe':
      return ending === undefined ? 'claimed' : 'unconfirmed';
    case 'yes': {
      // A job that a run could not see to its end goes on, and may be followed by another. So does one that may still
      // show how it stood before a message.
      const hasEnded = asked.before === undefined && isTerminal(asked.job?.status ?? '');
      return ending !== undefined && hasEnded ? 'ended' : 'working';
    }
  }
}

/** A marker is one line at the top of a comment. */
const longestLinkCharacters = 500;

/** For which trigger and by which process a comment is written. */
export function writtenBy({ key, nonce }: Known, { runId, runAttempt }: RunContext) {
  return { key, run: runId, attempt: runAttempt, nonce };
}

/** The address of a job's pull request, as far as a marker has room for it. */
export function linkFor(job: Job | undefined): string | undefined {
  const url = pullRequestOf(job)?.url;
  return url === undefined || url.length > longestLinkCharacters ? undefined : url;
}

/** What the marker of a run's status comment says. */
export function markerFacts(known: Known, context: RunContext, nowMs: number): MarkerFacts {
  const { asked, askedAtMs, ending, head, series } = known;
  const phase = phaseOf(asked, ending);
  const pullRequest = asked.is === 'yes' ? linkFor(asked.job) : undefined;
  const untilMs = phase === 'claimed' ? nowMs + askingMs : ending === undefined ? known.untilMs : undefined;
  return {
    ...writtenBy(known, context),
    phase,
    ...(asked.is === 'yes' ? { job: asked.jobId } : {}),
    ...(isFollowUp(known) ? { message: true } : {}),
    ...(asked.is === 'yes' && asked.before !== undefined && phase === 'working'
      ? { before: asked.before }
      : {}),
    ...(asked.is === 'yes' && asked.unseen !== undefined && phase === 'ended'
      ? { unseen: asked.unseen }
      : {}),
    ...(asked.is !== 'no' && head !== undefined ? { head } : {}),
    ...(series === undefined ? {} : { series }),
    ...(pullRequest === undefined ? {} : { pullRequest }),
    ...(askedAtMs === undefined ? {} : { askedAt: Math.round(askedAtMs / 1000) }),
    ...(untilMs === undefined ? {} : { until: Math.round(untilMs / 1000) }),
    ...(ending === undefined ? {} : { outcome: ending.outcome }),
  };
}
