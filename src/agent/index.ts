import { InputError, type InputProblem } from '../core/errors.ts';
import { type ModeResult, skipped } from '../core/mode-result.ts';
import type { Deps } from '../deps.ts';
import type { AgentConfig } from './inputs.ts';
import { decide } from './job/decide.ts';
import { execute } from './job/execute.ts';
import type { Asked } from './known.ts';
import { refusalOf } from './request/gate.ts';
import { type Ask, readTrigger, type TriggerToAnswer } from './request/trigger.ts';
import { openSession, type Session } from './session.ts';
import { answerHelp, answerStatus } from './tell/answer.ts';
import { conclude } from './tell/conclude.ts';
import { deny } from './tell/denial.ts';
import { type Ending, endingOfError } from './tell/ending.ts';
import { react } from './tell/react.ts';
import { rehearse } from './tell/rehearse.ts';
import { lineOf } from './tell/words.ts';

/**
 * Agent mode: who asks what in which thread, whether they may, and then the job from its start to its end. However it
 * ends, errors and cancellation included, `conclude` tells the thread and gives outputs and summary.
 *
 * @throws InputError where nothing says what to ask.
 */
export async function runAgent(config: AgentConfig, deps: Deps): Promise<ModeResult> {
  const trigger = readTrigger(config, deps.event, deps.context);
  if (trigger.kind === 'skip') return skipped(trigger);
  const session = openSession(trigger, config, deps);
  let endingFrom: (asked: Asked) => Ending;
  try {
    const denied = await passGate(trigger, session);
    if (denied === undefined && config.promptProblem !== undefined)
      throw new InputError([config.promptProblem]);
    if (denied === undefined && trigger.thread !== undefined && deps.github === undefined)
      throw new InputError([noTokenFor(trigger.thread.number)]);
    if (denied === undefined && config.dryRun) return await rehearse(trigger, session);
    const ending = denied ?? (await answer(trigger, session));
    endingFrom = () => ending;
  } catch (error) {
    endingFrom = (asked) => endingOfError(error, asked);
  }
  return conclude(endingFrom, session);
}

/** Lets whoever asks in, or gives the ending of a run that is none of theirs. */
async function passGate({ source, actor }: TriggerToAnswer, session: Session): Promise<Ending | undefined> {
  const author = source?.author ?? actor;
  const refusal = author === undefined ? undefined : await refusalOf(author, session);
  if (refusal === undefined) {
    if (!session.config.dryRun) session.learn({ isLetIn: true });
    return undefined;
  }
  if (source !== undefined) return deny(refusal, source, session);
  session.deps.runner.info(`Skipped: ${lineOf(refusal)}`);
  return { outcome: 'skipped', reason: refusal.reason === 'permission' ? 'not-allowed' : refusal.reason };
}

async function answer(trigger: TriggerToAnswer, session: Session): Promise<Ending> {
  await react('eyes', session, session.deps.signal);
  switch (trigger.kind) {
    case 'help':
      return answerHelp(trigger.because, session);
    case 'status':
      return answerStatus(session);
    case 'ask':
      return fulfil(trigger.ask, session);
  }
}

/** Sees one request through: at most one job for its trigger, followed to its end. */
async function fulfil(ask: Ask, session: Session): Promise<Ending> {
  const { clock, context, runner } = session.deps;
  const next = () => decide(session.known, { ask, attempt: context.runAttempt, nowMs: clock.now() });
  let step = next();
  while (step.do !== 'end') {
    const { known } = session;
    await execute(step, ask, session);
    // The same would be decided again, without end.
    if (session.known === known) throw new Error(`Nothing came of the step "${step.do}"`);
    step = next();
  }
  if (step.ending.reason === 'another-run')
    runner.info('Skipped: another run is already at work on this request.');
  return step.ending;
}

/** The thread is the memory of what was asked: without a token a run could ask a second time, and could not say so. */
function noTokenFor(thread: number): InputProblem {
  return {
    input: 'github-token',
    got: undefined,
    takes: `missing. The status comment in thread ${thread} is written with it; \`thread: none\` does without.`,
  };
}
