import { reportJudge } from '../oracle/report.ts';
import { endOf, type Played } from '../played.ts';
import { routes } from '../routes.ts';
import { stageReport } from '../scenarios/report.ts';
import type { FaultCase, Subject } from './case.ts';
import type { Fault } from './kinds.ts';

/** The longest a report may take: three waits of three minutes for GitHub, and a minute for each request of the budget. */
const mostMs = (3 * 3 + 8) * 60_000;

/** Which page is the first of what: the service is asked for three pages of each window. */
const [firstOfWindow, firstOfBefore] = [1, 4];

/** The visitors report, with files and with a history that already holds windows. */
export const reportSubject: Subject = {
  name: 'report',
  stage: async (player) => {
    const run = stageReport(player);
    const judge = await reportJudge(player);
    return {
      run,
      end: 'reported (complete)',
      mostMs,
      judge: (main, one) => [...judge.run(main), ...wrongEnd(main, one)],
      judgeNext: judge.next,
    };
  },
};

/** What the fault does not explain of how a run ended. */
function wrongEnd(main: Played, one: FaultCase): string[] {
  const { outputs, summary } = main;
  const end = endOf(main);
  const [expected, reasons] = [expectedEnds(one), reasonsOf(one.fault)];
  const isTold = reasons.some((reason) => summary.includes(`(\`${reason}\`)`));
  // The totals of the window before come with its first page.
  const isBeforeKnown = one.at === routes.readVisitors && one.nth > firstOfBefore;
  const isForgotten = outputs.outcome === 'reported' && isBeforeKnown && outputs['change-percent'] === '';
  return [
    ...(expected.includes(end) ? [] : [`not ${expected.join(' or ')}`]),
    ...(end !== 'reported (incomplete)' || isTold
      ? []
      : [`the summary does not say ${reasons.join(' or ')}`]),
    ...(isForgotten ? ['forgot the totals of the window before'] : []),
  ];
}

/**
 * The ends that a fault may lead to. Without GitHub the week is still known. Without the window's first page there is no
 * report; whatever is missing after that leaves an incomplete one.
 */
function expectedEnds({ fault, at, nth, isLasting }: FaultCase): string[] {
  const { spec, costs } = fault;
  const isRedirect = spec.kind === 'redirect';
  const isBorne = spec.kind === 'wrong-content-type' || !(isLasting || isRedirect || costs === 'refused');
  if (at === routes.readRun || isBorne) return ['reported (complete)'];
  if (nth === firstOfWindow) return reasonsOf(fault).map((reason) => `failed (${reason})`);
  return ['reported (incomplete)'];
}

/** The reasons that a fault may be reported as. In memory a hanging request never times out. */
function reasonsOf({ spec }: Fault): string[] {
  switch (spec.kind) {
    case 'status':
      return [spec.status === 429 ? 'rate-limited' : 'service-error'];
    case 'html':
      return [spec.status === undefined ? 'invalid-response' : 'service-error'];
    case 'reset':
      return ['unreachable'];
    case 'hang':
    case 'drip':
      return ['unreachable', 'timeout'];
    case 'oversized-json':
      return ['unreachable', 'invalid-response'];
    case 'redirect':
      return ['redirected'];
    default:
      return ['invalid-response'];
  }
}
