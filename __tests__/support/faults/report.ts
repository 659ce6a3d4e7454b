import { CLOCK_START_MS } from '../../../simulator/clock/clock.ts';
import type { SimulatorCore } from '../../../simulator/core.ts';
import { createInMemorySimulator } from '../../../simulator/in-memory.ts';
import { runAction } from '../../../simulator/runner/runner.ts';
import { onReportStage } from '../bundle/report-stage.ts';
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

/** What the waits may come to: three of three minutes for GitHub, and a minute for every request of the budget. */
const mostMs = (3 * 3 + 8) * 60_000;

/** Which page is the first of what: of three of the window, and of three of the one before. */
const [firstOfWindow, firstOfBefore] = [1, 4];

/** Every run starts at the simulator's usual time, so there is one truth for all of them. */
let known: Promise<Truth> | undefined;
function truthOfAll(): Promise<Truth> {
  known ??= truthAt(CLOCK_START_MS);
  return known;
}

/** The visitors report, with files and a history that has something to lose. */
export const reportSubject: Subject = {
  name: 'report',
  requests: async () => (await truthOfAll()).requests,
  inProcess,
  onBundle,
};

async function inProcess(one: FaultCase): Promise<FaultEnd> {
  const truth = await truthOfAll();
  const core = createInMemorySimulator();
  const { dispatcher } = core;
  const files = new VersionedFiles();
  const staged = stageReport(core);
  lieInWait(core, one, oversizedBytes);
  const play = async (attempt: number): Promise<ReportLeft> => {
    const before = core.requests.length;
    const identity = { runId: reportRunId, attempt };
    const played = await playMain({ core, dispatcher, staged, identity, files });
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

/** All that is wrong with what the case left behind. */
function judge(core: SimulatorCore, one: FaultCase, left: ReportLeft, truth: Truth): string[] {
  const { outputs, exitCode, summary } = left.played;
  const end = endOf(left.played);
  const problems = [...reportUntruths(core, left, truth), ...brokenCase(core)];
  const expected = expectedEnds(one);
  if (!expected.includes(end)) problems.push(`not ${expected.join(' or ')}`);
  if (
    end === 'reported (incomplete)' &&
    !reasonsOf(one.fault).some((reason) => summary.includes(words(reason)))
  )
    problems.push(`the summary does not say ${reasonsOf(one.fault).join(' or ')}`);
  // A window to compare with is known by its first page.
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
 * The ends that a fault may lead to. Nobody needs GitHub to tell the week; a window's first page is what there is to
 * report; of what comes after it, whatever cannot be had is told to be lacking. Only a redirect in the middle of the window
 * itself is like one at its beginning: something is wrong that no waiting mends.
 */
function expectedEnds({ fault, at, nth, isLasting }: FaultCase): string[] {
  const { spec, costs } = fault;
  const isRedirect = spec.kind === 'redirect';
  const isBorne = spec.kind === 'wrong-content-type' || !(isLasting || isRedirect || costs === 'refused');
  if (at === routes.readRun || isBorne) return ['reported (complete)'];
  const isWindow = nth < firstOfBefore;
  if (nth === firstOfWindow || (isWindow && isRedirect))
    return reasonsOf(fault).map((reason) => `failed (${reason})`);
  return ['reported (incomplete)'];
}

/** By which reasons a fault may be told; in memory a request that hangs has no time to run out of. */
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

function words(reason: string): string {
  return reason === 'rate-limited' ? 'hourly limit was reached' : `(\`${reason}\`)`;
}
