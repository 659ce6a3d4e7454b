import { ActionError, messageOf } from '../core/errors.ts';
import type { ModeResult } from '../core/mode-result.ts';
import type { Deps } from '../deps.ts';
import { type Card, cardSchema, endingOf, jobOf } from '../requests/card.ts';
import { openRun, type Run } from '../requests/run.ts';
import { looked } from '../requests/transitions.ts';
import { watch } from '../requests/watch.ts';
import { runOptions } from './begin.ts';
import { conclude } from './conclude.ts';
import type { AgentConfig } from './inputs.ts';

/** Enough for the two looks at a completed job whose link is late. */
const lateLinkMs = 15_000;

/** Nothing is asked any more. */
const nothing = {
  ask: { prompt: undefined, jobId: undefined, continues: 'nowhere', wait: false },
  context: undefined,
  comments: undefined,
} as const;

/** Finishes what a killed run left: the thread, and a summary of its own. The step has its color from main. */
export async function finishKilled(saved: string, config: AgentConfig, deps: Deps): Promise<ModeResult> {
  const run = openRun({ ...runOptions(config), ...nothing }, deps);
  const card = run.keep(cardSchema.parse(JSON.parse(saved)));
  const seen = await lookOnce(card, run);
  const stop = endingOf(seen) === undefined ? new ActionError('cancelled', 'The run was killed') : undefined;
  const result = await conclude({ card: seen, seen: {} }, stop, config, run);
  return { ...result, red: false };
}

/** The job as it is by now, unless that cannot be seen, or may be from before a message. */
async function lookOnce(card: Card, { deps }: Run): Promise<Card> {
  const { clock, service, signal, runner } = deps;
  const job = jobOf(card);
  if (endingOf(card) !== undefined || card.state.is !== 'working' || job === undefined) return card;
  if (card.state.before !== undefined) return card;
  try {
    const now = await service.getJob(job.id, { signal, tries: 1 });
    const after = looked(card, now, { nowMs: clock.now(), isLinkFinal: false });
    if (after.state.is === 'ended' || now.status !== 'completed') return after;
    const options = { timeoutMs: lateLinkMs, isFresh: false, isLooked: true, keep: () => undefined };
    return await watch(after, options, deps);
  } catch (error) {
    runner.info(`How the job stands cannot be seen: ${messageOf(error)}`);
    return card;
  }
}
