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

/** The longest a report may take: three waits of three minutes for GitHub, and a minute for each request of the budget. */
const mostMs = (3 * 3 + 8) * 60_000;

/** The numbers of the requests: GitHub is asked for the run, then the service for three pages of each window. */
const [lookUp, firstOfWindow, firstOfBefore] = [1, 2, 5];

/** The report without a fault; one for all cases, since all start at the simulator's usual time. */
let known: Promise<Truth> | undefined;
function truthOfAll(): Promise<Truth> {
  known ??= truthAt(CLOCK_START_MS);
  return known;
}

/** The visitors report, with files and with a history that already holds windows. */
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

/** How many requests the service got, from the given one on. */
export function askedSince({ requests }: SimulatorCore, since: number): number {
  return requests.slice(since).filter(({ to }) => to === 'service').length;
}

/** Everything that is wrong with what a case left behind. */
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
  // The totals of the window before come with its first page.
  if (outputs.outcome === 'reported' && at.n > firstOfBefore && outputs['change-percent'] === '')
    problems.push('forgot the totals of the window before');
  if (core.clock.now() - core.clock.startMs > mostMs) problems.push('ended after its deadline');
  if (exitCode !== (outputs.outcome === 'failed' ? 1 : 0)) problems.push(`exit code ${exitCode}`);
  return { name: nameOf(core, report.name, at), end, problems };
}

/** What is wrong with a run after the fault, which has to give the whole report. */
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
 * The ends that a fault may lead to. Without GitHub the week is still known. Without the window's first page there is no
 * report; whatever is missing after that leaves an incomplete one. Only a redirect on a later page of the window itself
 * fails the run like one on the first: trying again would not help.
 */
function expectedEnds({ fault, n, isLasting }: FaultAt): string[] {
  const { spec, costs } = fault;
  const isRedirect = spec.kind === 'redirect';
  const isBorne = spec.kind === 'wrong-content-type' || !(isLasting || isRedirect || costs === 'refused');
  if (n === lookUp || isBorne) return ['reported (complete)'];
  const isWindow = n < firstOfBefore;
  if (n === firstOfWindow || (isWindow && isRedirect))
    return reasonsOf(fault).map((reason) => `failed (${reason})`);
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

function words(reason: string): string {
  return reason === 'rate-limited' ? 'hourly limit was reached' : `(\`${reason}\`)`;
}
