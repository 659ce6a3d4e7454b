import type { Config } from '../config/parse.ts';
import type { Deps } from '../deps.ts';
import { ActionError } from '../lib/errors.ts';
import type { ModeResult } from '../lib/outcome.ts';
import { conclude } from './conclude.ts';
import { ofTrigger } from './memory.ts';
import { endingOf, isTerminal } from './outcome.ts';
import { progressSchema } from './progress.ts';
import { resultOf, skipped } from './result.ts';
import { type Session, sessionOf } from './session.ts';

/** Finishes what a killed run left behind: the thread, and a summary of its own. */
export async function finishKilled(saved: string, config: Config, deps: Deps): Promise<ModeResult> {
  if (config.mode !== 'agent')
    return skipped({ reason: 'nothing-left', text: 'Nothing was left to finish.' });
  const session = sessionOf(progressSchema.parse(JSON.parse(saved)), config, deps);
  if (await wasTold(session))
    return skipped({ reason: 'nothing-left', text: 'The thread knows the end already.' });

  deps.onEnd((result) => conclude(result, session));
  const { job } = session.progress;
  if (job !== undefined && !session.progress.followUp) {
    const now = await deps.service.getJob(job.id, { signal: deps.signal, tries: 1 });
    session.progress.job = now;
    if (isTerminal(now.status)) return resultOf(endingOf(now), session);
  }
  throw new ActionError('cancelled', 'The run was stopped before it could end');
}

/** Whether the killed run had told the thread its end; finds the status comment if it was just being written. */
async function wasTold({ thread, progress, deps }: Session): Promise<boolean> {
  if (thread === undefined) return false;
  const own = ofTrigger(
    await thread.remember({ ownSince: progress.sourceCommentId ?? 0, job: false }),
    progress.key,
  );
  if (own === undefined) return false;
  progress.comment = { id: own.comment.id, url: own.comment.url, body: own.comment.body };
  const { marker } = own;
  return (
    marker.phase === 'ended' &&
    marker.run === deps.context.runId &&
    marker.attempt === deps.context.runAttempt
  );
}
