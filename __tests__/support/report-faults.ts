import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { CLOCK_START_MS } from '../../simulator/clock/clock.ts';
import type { SimulatorCore } from '../../simulator/core.ts';
import { createInMemorySimulator } from '../../simulator/in-memory.ts';
import { startSimulator } from '../../simulator/index.ts';
import { runAction } from '../../simulator/runner/runner.ts';
import { playedOf } from './crash-play.ts';
import {
  type FaultAt,
  type FaultEnd,
  identity,
  lieInWait,
  nameOf,
  oversizedBytes,
  type Subject,
} from './faults-cases.ts';
import { playMain } from './faults-in-process.ts';
import type { Fault } from './faults-kinds.ts';
import type { Played } from './faults-truth.ts';
import {
  filesOf,
  historyFile,
  prepareWorkspace,
  stageReport,
  type Truth,
  truthAt,
  VersionedFiles,
} from './report-stage.ts';
import { type ReportLeft, reportUntruths } from './report-truth.ts';
import { routes } from './routes.ts';

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
export const report: Subject = {
  name: 'report',
  requests: async () => (await truthOfAll()).requests,
  inProcess,
  onBundle,
};

async function inProcess(at: FaultAt): Promise<FaultEnd> {
  const truth = await truthOfAll();
  const core = createInMemorySimulator();
  const { dispatcher } = core;
  const files = new VersionedFiles();
  const options = { core, dispatcher, staged: stageReport(core), identity, files };
  lieInWait(core, at, oversizedBytes);
  const left = (played: Played, since: number): ReportLeft => ({
    played,
    files: files.all,
    histories: files.versions(historyFile),
    asked: askedSince(core, since),
  });
  const main = left(await playMain(options), 0);
  core.faults.clear();
  const ended = judge(core, at, main, truth);
  const before = core.requests.length;
  const again = left(await playMain({ ...options, identity: { ...identity, attempt: 2 } }), before);
  return { ...ended, problems: [...ended.problems, ...judgeRerun(core, again, truth), ...strays(core)] };
}

async function onBundle(at: FaultAt): Promise<FaultEnd> {
  const truth = await truthOfAll();
  const simulator = await startSimulator();
  const workspace = mkdtempSync(join(tmpdir(), 'report-'));
  try {
    prepareWorkspace(workspace);
    const staged = stageReport(simulator);
    lieInWait(simulator, at);
    const run = await runAction({ simulator, ...staged, workspace, runId: identity.runId });
    const files = filesOf(workspace);
    const left: ReportLeft = {
      played: playedOf(run),
      files,
      histories: [files.get(historyFile) ?? ''],
      asked: askedSince(simulator, 0),
    };
    const ended = judge(simulator, at, left, truth);
    if (run.signal !== null) ended.problems.push(`ended by ${run.signal}`);
    return { ...ended, problems: [...ended.problems, ...strays(simulator)] };
  } finally {
    await simulator.close();
    rmSync(workspace, { recursive: true });
  }
}

/** Requests of the report to the service since a request. */
export function askedSince({ requests }: SimulatorCore, since: number): number {
  return requests.slice(since).filter(({ to }) => to === 'service').length;
}

/** All that is wrong with what the case left behind. */
function judge(
  core: SimulatorCore,
  at: FaultAt,
  left: ReportLeft,
  truth: Truth,
): FaultEnd & { readonly problems: string[] } {
  const { outputs, exitCode, summary } = left.played;
  const end = `${outputs.outcome} (${outputs.reason})`;
  const problems = reportUntruths(core, left, truth);
  const expected = expectedEnds(at);
  if (!expected.includes(end)) problems.push(`not ${expected.join(' or ')}`);
  if (
    end === 'reported (incomplete)' &&
    !reasonsOf(at.fault).some((reason) => summary.includes(words(reason)))
  )
    problems.push(`the summary does not say ${reasonsOf(at.fault).join(' or ')}`);
  // A window to compare with is known by its first page.
  const isBeforeKnown = at.at === routes.readVisitors && at.nth > firstOfBefore;
  if (outputs.outcome === 'reported' && isBeforeKnown && outputs['change-percent'] === '')
    problems.push('forgot the totals of the window before');
  if (core.clock.now() - core.clock.startMs > mostMs) problems.push('ended after its deadline');
  if (exitCode !== (outputs.outcome === 'failed' ? 1 : 0)) problems.push(`exit code ${exitCode}`);
  if (!core.requests.some((request) => request.fault !== null)) problems.push('no request met the fault');
  return { name: nameOf(report.name, at), end, problems };
}

/** A run after the fault gives the whole report. */
export function judgeRerun(core: SimulatorCore, left: ReportLeft, truth: Truth): string[] {
  const { outcome, reason } = left.played.outputs;
  const problems = reportUntruths(core, left, truth);
  if (`${outcome} (${reason})` !== 'reported (complete)') problems.push(`ends as ${outcome} (${reason})`);
  return problems.map((problem) => `re-run: ${problem}`);
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
function expectedEnds({ fault, at, nth, isLasting }: FaultAt): string[] {
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
