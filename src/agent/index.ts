import type { AgentConfig } from '../config/parse.ts';
import type { Deps } from '../deps.ts';
import type { ModeResult } from '../lib/outcome.ts';
import { admit } from './admit.ts';
import { answerHelp, answerStatus } from './answer.ts';
import { conclude } from './conclude.ts';
import { fulfil } from './fulfil.ts';
import { rehearse } from './rehearse.ts';
import { resultOf, skipped } from './result.ts';
import { advance, bestEffort, openSession } from './session.ts';
import { readTrigger } from './trigger.ts';

/**
 * Agent mode: who asks what in which thread, whether they may, and then the job from its start to its end. However it
 * ends, errors and cancellation included, `conclude` tells the thread and fills outputs and summary.
 */
export async function runAgent(config: AgentConfig, deps: Deps): Promise<ModeResult> {
  const trigger = readTrigger(config, deps.event, deps.context);
  if (trigger.kind === 'skip') return skipped(trigger);

  const session = openSession(trigger, config, deps);
  deps.onEnd((result) => conclude(result, session));

  const { source } = trigger;
  if (source !== undefined) {
    const denied = await admit(source, session);
    if (denied !== undefined) return resultOf(denied, session);
  }
  if (config.dryRun) return rehearse(trigger, session);
  advance(session, 'starting');
  if (source?.commentId !== undefined) {
    const { commentId } = source;
    await bestEffort('Reacting to the comment', session, async () => {
      await deps.github?.react(commentId, 'eyes', deps.signal);
    });
  }

  switch (trigger.kind) {
    case 'help':
      return resultOf(await answerHelp(trigger, session), session);
    case 'status':
      return resultOf(await answerStatus(session), session);
    case 'ask':
      return resultOf(await fulfil(trigger.ask, session), session);
  }
}
