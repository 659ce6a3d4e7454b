import { collecting, leaveOpen } from '../__tests__/support/scenarios/left-open.ts';
import { serviceInputs } from '../__tests__/support/usual.ts';
import type { RecordedRequest } from '../simulator/http/messages.ts';
import { runAction } from '../simulator/runner/runner.ts';
import { type Finding, median, print, withSimulator } from './bench-tools.ts';

/*
 * Measures the runner time and the requests of a run that doesn't wait for its job, and of a run that collects many jobs. All
 * requests stay on this machine, so the network takes almost no time.
 */

const jobs = 100;
const rounds = 5;
const hourMs = 3_600_000;

export async function benchCollect(): Promise<Finding[]> {
  const asked = [];
  for (let round = 0; round < rounds; round += 1) asked.push(await askAndLeave());
  const seconds = median(asked.map((one) => one.seconds));
  const collected = await collectAll();
  const [asking, gathering] = ['ask and leave', `collect ${jobs} finished jobs`];
  return [
    { what: `${asking}: runner time`, value: `${seconds.toFixed(2)} s`, bar: '2 s' },
    { what: `${asking}: requests`, value: asked[0]?.requests ?? '', bar: '9 and 1' },
    { what: `${gathering}: runner time`, value: `${collected.seconds.toFixed(0)} s`, bar: '205 s' },
    { what: `${gathering}: requests`, value: collected.requests, bar: '5 a job and 3, 1 a job' },
  ];
}

/** Measures the real time from `spawn` to the exit. */
function askAndLeave() {
  return withSimulator('real', async (simulator) => {
    const { github } = simulator;
    github.addThread({ number: 1 });
    const event = github.issueCommentEvent(
      github.comment('maintainer', 1, '/docs add a quickstart'),
    );
    const startedAt = performance.now();
    const run = await runAction({
      simulator,
      event,
      inputs: { ...serviceInputs(simulator), wait: 'false' },
    });
    const seconds = (performance.now() - startedAt) / 1000;
    if (run.outputs.reason !== 'not-waited') throw new Error(`The run waited:\n${run.log}`);
    return { seconds, requests: countOf(simulator.requests) };
  });
}

/** Measures real time plus simulated time, because the simulated clock skips the waits between writes. */
function collectAll() {
  return withSimulator('simulated', async (simulator) => {
    for (let thread = 1; thread <= jobs; thread += 1) await leaveOpen(simulator, { thread });
    simulator.clock.advance(hourMs);
    const before = simulator.requests.length;
    const [startedAt, began] = [performance.now(), simulator.clock.now()];
    const inputs = { 'max-requests': String(jobs) };
    const run = await runAction({ simulator, ...collecting(simulator, { inputs }) });
    const ms = performance.now() - startedAt + simulator.clock.now() - began;
    if (run.outputs.finished !== String(jobs))
      throw new Error(`Not every job was collected:\n${run.log}`);
    return { seconds: ms / 1000, requests: countOf(simulator.requests.slice(before)) };
  });
}

function countOf(requests: readonly RecordedRequest[]): string {
  const to = (api: RecordedRequest['to']) =>
    requests.filter((request) => request.to === api).length;
  return `${to('github')} to GitHub, ${to('service')} to the service`;
}

if (import.meta.main) print('A request without a waiting run', await benchCollect());
