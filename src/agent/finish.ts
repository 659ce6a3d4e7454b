import type { Config } from '../config/parse.ts';
import type { Deps } from '../deps.ts';
import { ActionError, messageOf } from '../lib/errors.ts';
import type { ModeResult } from '../lib/outcome.ts';
import type { Job } from '../service/schemas.ts';
import { conclude } from './conclude.ts';
import { endingOf, isTerminal } from './outcome.ts';
import { jobIdOf, progressSchema } from './progress.ts';
import { resultOf, skipped } from './result.ts';
import { type Session, sessionOf } from './session.ts';
import { watch } from './watch.ts';

/** Enough for the two looks at a completed job whose link is late. */
const lateLinkMs = 15_000;

/** Finishes what a killed run left behind: the thread, and a summary of its own. */
export async function finishKilled(saved: string, config: Config, deps: Deps): Promise<ModeResult> {
  if (config.mode !== 'agent')
    return skipped({ reason: 'nothing-left', text: 'Nothing was left to finish.' });
  const session = sessionOf(progressSchema.parse(JSON.parse(saved)), config, deps);
  deps.onEnd((result) => conclude(result, session));

  const { ending, stage } = session.progress;
  if (ending !== undefined) {
    const result = resultOf(ending, session);
    const known = { ...result, result: ending.error === undefined ? {} : { error: ending.error } };
    // The step has its colour and its last word from main, where main came so far.
    if (stage !== 'untold') return known;
    return {
      ...known,
      red: false,
      message: { level: 'info', text: 'Telling the thread what main could not.' },
    };
  }
  const job = await lookOnce(session);
  if (job !== undefined && isTerminal(job.status)) return resultOf(endingOf(job), session);
  throw new ActionError('cancelled', 'The run was stopped before it could end');
}

/** The job as it is by now, where the service tells, and where what it tells cannot be from before a message. */
async function lookOnce({ deps, progress }: Session): Promise<Job | undefined> {
  const jobId = jobIdOf(progress);
  if (jobId === undefined || progress.followUp) return undefined;
  try {
    const { signal } = deps;
    const job = await deps.service.getJob(jobId, { signal, tries: 1 });
    progress.job = job;
    if (!isTerminal(job.status)) return job;
    progress.job = (await watch({ start: { kind: 'attached', job }, timeoutMs: lateLinkMs }, deps)).job;
    return progress.job;
  } catch (error) {
    deps.runner.info(`How the job stands cannot be seen: ${messageOf(error)}`);
    return undefined;
  }
}
