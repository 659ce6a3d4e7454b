import type { Comment } from '../../../simulator/github/types.ts';
import { headlineOf, jobNamed, statusComments, untruths } from '../oracle/agent.ts';
import { endOf } from '../played.ts';
import { routes } from '../routes.ts';
import { runOf, type Scenario } from '../scenarios/agent.ts';
import { collecting } from '../scenarios/left-open.ts';
import type { Case, Subject } from './matrix.ts';

/** A run watches its job for 30 minutes, and may need 45 more minutes for everything else. */
const maxMs = (30 + 45) * 60_000;

/** Prepares a scenario of agent mode for the fault tests. */
export function agentSubject(scenario: Scenario): Subject {
  return {
    name: scenario.name,
    stage: async ({ core }) => {
      const staged = await scenario.stage(core);
      let isUnknowable = false;
      return {
        run: runOf(staged),
        end: 'pr-created (pull-request)',
        maxMs,
        judge: ({ played, isOver }, trouble) => {
          // Once a claim was edited, nobody can know whether the service got the request, unless it has a job.
          isUnknowable = statusComments(core, staged).some(
            (comment) =>
              /^⏳|can.t tell/.test(headlineOf(comment)) &&
              comment.history.length > 1 &&
              jobNamed(comment) === undefined,
          );
          if (!isOver) return [];
          const { outcome } = played.outputs;
          const { kind } = trouble.mishap;
          const isDone = outcome === 'pr-created' && kind === 'fault';
          // A canceled run reports it in the thread, unless it was canceled before it knew the thread and the author.
          const isKnown =
            staged.sourceCommentId !== undefined && trouble.at !== routes.lookUpPermission;
          const isReported = isDone || (kind === 'cancel' && isKnown);
          const traces = {
            comments: isReported ? 'one' : 'at most one',
            reaction: isReported,
          } as const;
          const expected = expectedOutcome(trouble);
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

/** The same scenario, but instead of a re-run, collect mode runs two hours later, when every claim has expired. */
export function collectedSubject(scenario: Scenario, wait: 'true' | 'false'): Subject {
  return {
    name: `${scenario.name}, with wait: ${wait}`,
    stage: async ({ core }) => {
      const staged = await scenario.stage(core);
      return {
        run: runOf(staged, { inputs: { wait } }),
        end: wait === 'true' ? 'pr-created (pull-request)' : 'detached (not-waited)',
        maxMs,
        judge: () => [],
        next: () => {
          core.clock.advance(2 * 3_600_000);
          return collecting(core);
        },
        judgeNext: (next) => [
          ...untruths(
            core,
            staged,
            { ...next, summary: '' },
            { comments: 'at most one', reaction: false },
          ),
          ...(endOf(next) === 'collected (complete)' ? [] : [`ends as ${endOf(next)}`]),
          ...statusComments(core, staged).flatMap((comment) => uncounted(comment)),
        ],
      };
    },
  };
}

/** After a collect run, every comment must say how its job ended, that this can't be known, or that nothing was sent. */
function uncounted(comment: Comment): string[] {
  const headline = headlineOf(comment);
  const isWithoutJob = /can.t tell|lost before anything was sent/.test(headline);
  const isReported =
    !headline.startsWith('⏳') && isWithoutJob === (jobNamed(comment) === undefined);
  return isReported ? [] : [`a comment is left at ${headline}`];
}

/** The outcome that a fault must lead to; `undefined` if any outcome will do, as long as the messages are true. */
function expectedOutcome({ mishap, at }: Case): string | undefined {
  if (mishap.kind !== 'fault' || mishap.isLasting === true) return undefined;
  const { costs, spec } = mishap.fault;
  if (at === routes.createJob || at === routes.sendMessage)
    return costs === 'passes' ? 'pr-created' : 'failed';
  // Redirects and hour-long refusals may end the run. The run must recover from all other faults.
  return costs === 'refused' || spec.kind === 'redirect' ? undefined : 'pr-created';
}
