import { messageOf } from '../core/errors.ts';
import type { ModeResult } from '../core/mode-result.ts';
import type { Deps } from '../deps.ts';
import type { AgentConfig } from './inputs.ts';
import { isTerminal } from './job/status.ts';
import { watch } from './job/watch.ts';
import { parseSaved } from './known.ts';
import { type Session, sessionOf } from './session.ts';
import { conclude } from './tell/conclude.ts';
import { type Ending, endingIfStopped, endingOf } from './tell/ending.ts';

/** Enough for the two looks at a completed job whose link is late. */
const lateLinkMs = 15_000;

/** Finishes what a killed run left behind: the thread, and a summary of its own. The step has its colour from main. */
export async function finishKilled(saved: string, config: AgentConfig, deps: Deps): Promise<ModeResult> {
  const session = sessionOf(parseSaved(saved), config, deps);
  const ending = session.known.ending ?? (await lookOnce(session));
  const result = await conclude((asked) => ending ?? endingIfStopped(asked, 'cancelled'), session);
  return { ...result, red: false };
}

/** How the job has ended by now; `undefined` where that cannot be seen, or where what it shows may be from before a message. */
async function lookOnce({ deps, known, learn }: Session): Promise<Ending | undefined> {
  const { asked } = known;
  if (asked.is !== 'yes' || asked.before !== undefined) return undefined;
  try {
    const { signal } = deps;
    const job = await deps.service.getJob(asked.jobId, { signal, tries: 1 });
    learn({ asked: { ...asked, job } });
    if (!isTerminal(job.status)) return undefined;
    const end = await watch({ start: { kind: 'attached', job }, timeoutMs: lateLinkMs }, deps);
    learn({ asked: { ...asked, job: end.job } });
    return endingOf(end.job);
  } catch (error) {
    deps.runner.info(`How the job stands cannot be seen: ${messageOf(error)}`);
    return undefined;
  }
}
