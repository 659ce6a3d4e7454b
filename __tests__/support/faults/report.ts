import { CLOCK_START_MS } from '../../../simulator/clock/clock.ts';
import type { SimulatorCore } from '../../../simulator/core.ts';
import { createInMemorySimulator } from '../../../simulator/in-memory.ts';
import { onReportStage } from '../bundle/report-stage.ts';
import { runAction } from '../bundle/run.ts';
import { playMain } from '../in-process/play.ts';
import { endOf } from '../oracle/played.ts';
import {
  countAsked,
  type ReportLeft,
  reportUntruths,
  rerunUntruths,
  type Truth,
  truthAt,
} from '../oracle/report.ts';
import { routes } from '../routes.ts';
import { historyFile, reportRunId, stageReport, VersionedFiles } from '../scenarios/report.ts';
import {
  brokenCase,
  type FaultCase,
  type FaultEnd,
  lieInWait,
  nameOf,
  oversizedBytes,
  type Subject,
} from './case.ts';
import type { Fault } from './kinds.ts';

/** The longest a report may take: three waits of three minutes for GitHub, and a minute for each request of the budget. */
const mostMs = (3 * 3 + 8) * 60_000;

/** Which page is the first of what: the service is asked for three pages of each window. */
const [firstOfWindow, firstOfBefore] = [1, 4];

/** The report without a fault; one for all cases, since all start at the simulator's usual time. */
let known: Promise<Truth> | undefined;
function truthOfAll(): Promise<Truth> {
  known ??= truthAt(CLOCK_START_MS);
  return known;
}

/** The visitors report, with files and with a history that already holds windows. */
export const reportSubject: Subject = {
  name: 'report',
  requests: async () => (await truthOfAll()).requests,
  inProcess,
  onBundle,
};

async function inProcess(one: FaultCase): Promise<FaultEnd> {
  const truth = await truthOfAll();
  const core = createInMemorySimulator();
  const files = new VersionedFiles();
  const staged = stageReport(core);
  lieInWait(core, one, oversizedBytes);
  const play = async (attempt: number): Promise<ReportLeft> => {
    const before = core.requests.length;
    const identity = { runId: reportRunId, attempt };
    const played = await playMain({ core, staged, identity, files });
    return {
      played,
      files: files.all,
      histories: files.versions(historyFile),
      asked: countAsked(core, before),
    };
  };
  const main = await play(1);
  core.faults.clear();
  const problems = judge(core, one, main, truth);
  problems.push(...rerunUntruths(core, await play(2), truth), ...strays(core));
  return { name: nameOf(reportSubject.name, one), end: endOf(main.played), problems };
}

async function onBundle(one: FaultCase): Promise<FaultEnd> {
  const truth = await truthOfAll();
  return onReportStage({}, async ({ simulator, options, left }) => {
    lieInWait(simulator, one);
    const run = await runAction(options);
    const problems = judge(simulator, one, left(run, 0), truth);
    if (run.signal !== null) problems.push(`ended by ${run.signal}`);
    problems.push(...strays(simulator));
    return { name: nameOf(reportSubject.name, one), end: endOf(run), problems };
  });
}

/** Everything that is wrong with what a case left behind. */
function judge(core: SimulatorCore, one: FaultCase, left: ReportLeft, truth: Truth): string[] {
  const { outputs, exitCode, summary } = left.played;
  const end = endOf(left.played);
  const problems = [...reportUntruths(core, left, truth), ...brokenCase(core)];
  const expected = expectedEnds(one);
  if (!expected.includes(end)) problems.push(`not ${expected.join(' or ')}`);
  if (
    end === 'reported (incomplete)' &&
    !reasonsOf(one.fault).some((reason) => summary.includes(`(\`${reason}\`)`))
  )
    problems.push(`the summary does not say ${reasonsOf(one.fault).join(' or ')}`);
  // The totals of the window before come with its first page.
  const isBeforeKnown = one.at === routes.readVisitors && one.nth > firstOfBefore;
  if (outputs.outcome === 'reported' && isBeforeKnown && outputs['change-percent'] === '')
    problems.push('forgot the totals of the window before');
  if (core.clock.now() - core.clock.startMs > mostMs) problems.push('ended after its deadline');
  if (exitCode !== (outputs.outcome === 'failed' ? 1 : 0)) problems.push(`exit code ${exitCode}`);
  return problems;
}

function strays(
  core: SimulatorCore & { readonly otherOrigin: { readonly requests: readonly object[] } },
): string[] {
  return [...core.violations, ...(core.otherOrigin.requests.length > 0 ? ['followed a redirect'] : [])];
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
