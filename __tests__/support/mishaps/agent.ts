import type { Comment } from '../../../simulator/github/types.ts';
import { headlineOf, jobNamed, statusComments, untruths } from '../oracle/agent.ts';
import { endOf } from '../played.ts';
import { routes } from '../routes.ts';
import { runOf, type Scenario } from '../scenarios/agent.ts';
import { collecting } from '../scenarios/left-open.ts';
import type { Case, Subject } from './matrix.ts';

/** The deadline of a run's watch, and the longest time it may take before and after it. */
const mostMs = (30 + 45) * 60_000;

/** A scenario of agent mode. */
export function agentSubject(scenario: Scenario): Subject {
  return {
    name: scenario.name,
    stage: async ({ core }) => {
      const staged = await scenario.stage(core);
      let isUnknowable = false;
      return {
        run: runOf(staged),
        end: 'pr-created (pull-request)',
        mostMs,
        judge: ({ played, isOver }, one) => {
          // A claim without a job is all there is to know.
          isUnknowable = statusComments(core, staged).some(
            (comment) => /^⏳|can.t tell/.test(headlineOf(comment)) && jobNamed(comment) === undefined,
          );
          if (!isOver) return [];
          const { outcome } = played.outputs;
          const { kind } = one.mishap;
          const isDone = outcome === 'pr-created' && kind === 'fault';
          // A canceled run says so in the thread, unless it doesn't know yet who asks, or which thread it is.
          const isKnown = staged.sourceCommentId !== undefined && one.at !== routes.lookUpPermission;
          const isReported = isDone || (kind === 'cancel' && isKnown);
          const traces = { comments: isReported ? 'one' : 'at most one', reaction: isReported } as const;
          const expected = expectedOutcome(one);
          const isExpected = expected === undefined || expected === outcome;
          const askedBefore = staged.attempt !== undefined;
          return [
            ...untruths(core, staged, played, { ...traces, askedBefore }),
            ...(isExpected ? [] : [`not ${expected}`]),
          ];
        },
        judgeNext: (next) => {
          const expected = isUnknowable ? 'failed (unconfirmed)' : 'pr-created (pull-request)';
          const untrue = untruths(core, staged, next, { comments: 'one', reaction: true });
          return [...untrue, ...(endOf(next) === expected ? [] : [`ends as ${endOf(next)}`])];
        },
      };
    },
  };
}

/** The same without another run: two hours later, when its watch is over and its claim lost, it is collected. */
export function collectedSubject(scenario: Scenario, wait: 'true' | 'false'): Subject {
  return {
    name: `${scenario.name}, with wait: ${wait}`,
    stage: async ({ core }) => {
      const staged = await scenario.stage(core);
      return {
        run: runOf(staged, { inputs: { wait } }),
        end: wait === 'true' ? 'pr-created (pull-request)' : 'detached (not-waited)',
        mostMs,
        judge: () => [],
        next: () => {
          core.clock.advance(2 * 3_600_000);
          return collecting(core);
        },
        judgeNext: (next) => [
          ...untruths(core, staged, { ...next, summary: '' }, { comments: 'at most one', reaction: false }),
          ...(endOf(next) === 'collected (complete)' ? [] : [`ends as ${endOf(next)}`]),
          ...statusComments(core, staged).flatMap((comment) => uncounted(comment)),
        ],
      };
    },
  };
}

/** After a run in collect mode, a comment shows how its job ended, or that it's unknown. */
function uncounted(comment: Comment): string[] {
  const headline = headlineOf(comment);
  const isReported =
    !headline.startsWith('⏳') && /can.t tell/.test(headline) === (jobNamed(comment) === undefined);
  return isReported ? [] : [`a comment is left at ${headline}`];
}

/** The outcome that a fault leads to; `undefined` if the case only checks that the messages are true. */
function expectedOutcome({ mishap, at }: Case): string | undefined {
  if (mishap.kind !== 'fault' || mishap.isLasting === true) return undefined;
  const { costs, spec } = mishap.fault;
  if (at === routes.createJob || at === routes.sendMessage)
    return costs === 'passes' ? 'pr-created' : 'failed';
  // A refusal for an hour, and a redirect, end a run that can't claim, read, or look up. The others pass.
  return costs === 'refused' || spec.kind === 'redirect' ? undefined : 'pr-created';
}
