import { collecting, leaveOpen } from '../__tests__/support/scenarios/left-open.ts';
import { serviceInputs } from '../__tests__/support/usual.ts';
import type { RecordedRequest } from '../simulator/http/messages.ts';
import { runAction } from '../simulator/runner/runner.ts';
import { type Bench, type Finding, median, runBench, withSimulator } from './bench-tools.ts';

/*
 * Measures the runner time and the requests of a run that doesn't wait for its job, and of a run
 * that collects many jobs. All requests stay on this machine, so the network takes almost no time.
 */

const jobs = 100;
const hourMs = 3_600_000;

interface Sample {
  readonly seconds: number;
  readonly requests: string;
}

export const leaveRequest: Bench<Sample> = {
  title: 'A request without a waiting run',
  rounds: 5,
  measure: askAndLeave,
  conclude: (samples) => conclude(samples, { seconds: '2 s', requests: '9 and 1' }),
};

export const collectMany: Bench<Sample> = {
  title: `Collecting ${jobs} finished jobs`,
  rounds: 1,
  measure: collectAll,
  conclude: (samples) =>
    conclude(samples, { seconds: '205 s', requests: '5 a job and 3, 1 a job' }),
};

function conclude(
  samples: readonly Sample[],
  bars: { readonly seconds: string; readonly requests: string },
): Finding[] {
  const seconds = median(samples.map((sample) => sample.seconds));
  const requests = new Set(samples.map((sample) => sample.requests));
  return [
    { what: 'runner time', value: `${seconds.toFixed(2)} s`, bar: bars.seconds },
    { what: 'requests', value: [...requests].join('; '), bar: bars.requests },
  ];
}

/** Measures the real time from `spawn` to the exit. */
function askAndLeave(distDir: string): Promise<Sample> {
  return withSimulator('real', async (simulator) => {
    const { github } = simulator;
    github.addThread({ number: 1 });
    const comment = github.comment('maintainer', 1, '/docs add a quickstart');
    const event = github.issueCommentEvent(comment);
    const inputs = { ...serviceInputs(simulator), wait: 'false' };
    const startedAt = performance.now();
    const run = await runAction({ simulator, distDir, event, inputs });
    const seconds = (performance.now() - startedAt) / 1000;
    if (run.outputs.reason !== 'not-waited') throw new Error(`The run waited:\n${run.log}`);
    return { seconds, requests: countOf(simulator.requests) };
  });
}

/**
 * Measures real time plus simulated time, because the simulated clock skips the waits between
 * writes.
 */
function collectAll(distDir: string): Promise<Sample> {
  return withSimulator('simulated', async (simulator) => {
    for (let thread = 1; thread <= jobs; thread += 1) await leaveOpen(simulator, { thread });
    const { clock, requests } = simulator;
    clock.advance(hourMs);
    const requestsBefore = requests.length;
    const startedAt = performance.now() + clock.now();
    const inputs = { 'max-requests': String(jobs) };
    const run = await runAction({ simulator, distDir, ...collecting(simulator, { inputs }) });
    const seconds = (performance.now() + clock.now() - startedAt) / 1000;
    if (run.outputs.finished !== String(jobs))
      throw new Error(`Not every job was collected:\n${run.log}`);
    return { seconds, requests: countOf(requests.slice(requestsBefore)) };
  });
}

function countOf(requests: readonly RecordedRequest[]): string {
  const toGitHub = requests.filter(({ to }) => to === 'github').length;
  const toService = requests.filter(({ to }) => to === 'service').length;
  return `${toGitHub} to GitHub, ${toService} to the service`;
}

if (import.meta.main) {
  await runBench(leaveRequest);
  await runBench(collectMany);
}
