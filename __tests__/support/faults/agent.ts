import { untruths } from '../oracle/agent.ts';
import { endOf } from '../played.ts';
import { routes } from '../routes.ts';
import { runOf, type Scenario } from '../scenarios/agent.ts';
import type { FaultCase, Subject } from './case.ts';

/** The deadline of a run's watch, and what it may take before and after it at the worst. */
const mostMs = (30 + 45) * 60_000;
const [delivered, unknown] = ['pr-created (pull-request)', 'failed (unconfirmed)'];

/** A scenario of agent mode. */
export function agentSubject(scenario: Scenario): Subject {
  return {
    name: scenario.name,
    stage: async ({ core }) => {
      const staged = await scenario.stage(core);
      return {
        run: runOf(staged),
        end: delivered,
        mostMs,
        judge: (main, one) => {
          const { outcome } = main.outputs;
          const isDone = outcome === 'pr-created';
          const told = { comments: isDone ? 'one' : 'at most one', reaction: isDone } as const;
          const expected = expectedOutcomes(one);
          const isExpected = expected === undefined || expected === outcome;
          return [...untruths(core, staged, main, told), ...(isExpected ? [] : [`not ${expected}`])];
        },
        // It delivers, or says again that the outcome is unknown.
        judgeNext: (next) => {
          const end = endOf(next);
          const isExpected = end === delivered || end === unknown;
          const untrue = untruths(core, staged, next, { comments: 'one', reaction: true });
          return [...untrue, ...(isExpected ? [] : [`ends as ${end}`])];
        },
      };
    },
  };
}

/** The outcome that the fault leads to; `undefined` where only the truth of what is said counts. */
function expectedOutcomes({ fault: { costs, spec }, at, isLasting }: FaultCase): string | undefined {
  if (isLasting) return undefined;
  if (at === routes.createJob || at === routes.sendMessage)
    return costs === 'passes' ? 'pr-created' : 'failed';
  // A refusal that means an hour, and a redirect, end a run that cannot claim, read or look up; the others pass.
  return costs === 'refused' || spec.kind === 'redirect' ? undefined : 'pr-created';
}
