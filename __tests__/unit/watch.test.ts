import { beforeEach, expect, test } from '@jest/globals';

import { type WatchStart, watch } from '../../src/agent/job/watch.ts';
import type { Clock } from '../../src/core/clock.ts';
import { ActionError } from '../../src/core/errors.ts';
import { type RecordingRunner, recordingRunner } from '../support/in-process/recording-runner.ts';
import { calm, type MemoryService, memoryService } from '../support/in-process/service.ts';
import { routes } from '../support/routes.ts';

const minuteMs = 60_000;

let memory: MemoryService;
let runner: RecordingRunner;

beforeEach(() => {
  memory = memoryService();
  runner = recordingRunner();
});

interface Play {
  readonly kind?: WatchStart['kind'];
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  readonly clock?: Clock;
}

/** Creates a job, and watches it with intervals of the middle length. */
async function play({ kind = 'created', timeoutMs = 30 * minuteMs, signal = calm(), clock }: Play = {}) {
  const { simulator, service } = memory;
  const job = await service.createJob('x', { signal: calm() });
  const start: WatchStart = kind === 'messaged' ? { kind, job, before: job } : { kind, job };
  const deps = { service, runner, clock: clock ?? simulator.clock, signal };
  return watch({ start, timeoutMs, random: () => 0.5 }, deps);
}

/** When the looks came, in milliseconds since the job was created. */
function looksAt(): number[] {
  const { requests, clock } = memory.simulator;
  return requests.filter(({ method }) => method === 'GET').map(({ at }) => at - clock.startMs);
}

const at = routes.getJob;

test.each<[string, Parameters<MemoryService['simulator']['faults']['add']>[0]]>([
  ['a broken connection', { at, kind: 'reset' }],
  ['half an answer', { at, kind: 'reset', when: 'half-answer' }],
  ['a request that hangs', { at, kind: 'hang' }],
  ['500', { at, kind: 'status', status: 500 }],
  ['503', { at, kind: 'status', status: 503 }],
  ['408', { at, kind: 'status', status: 408 }],
  ['429', { at, kind: 'status', status: 429 }],
  ['a page instead of an answer', { at, kind: 'html' }],
  ['truncated JSON', { at, kind: 'truncated-json', when: 'after-handled' }],
])('%s, eight times over, is outlived', async (_, fault) => {
  memory.simulator.faults.add({ ...fault, times: 8 });
  memory.simulator.service.scriptNext({ activeMs: 10 * minuteMs });
  expect(await play()).toMatchObject({ kind: 'terminal', job: { status: 'completed' } });
  expect(memory.simulator.faults.pending).toBe(0);
  // The stretch grows to a minute and no further.
  const gaps = looksAt().map((at, n, all) => at - (all[n - 1] ?? 0));
  expect(Math.max(...gaps)).toBeLessThanOrEqual(60_000);
  expect(gaps.slice(1, 9).toSorted((one, other) => one - other)).toEqual(gaps.slice(1, 9));
});

test('an outage is logged with the wait that follows it', async () => {
  memory.simulator.faults.add({ at, nth: 29, kind: 'status', status: 502 });
  memory.simulator.service.scriptNext({ activeMs: 10 * minuteMs });
  await play();
  const said = runner.log.find((line) => line.includes('502'));
  const looks = looksAt();
  const waitedSeconds = Math.round(((looks[29] ?? 0) - (looks[28] ?? 0)) / 1000);
  expect(said).toContain(`Looking again in ${waitedSeconds} s.`);
});

test.each([
  ['seconds', 240],
  ['http-date', 240],
] as const)('a Retry-After in %s is kept to while watching', async (form, seconds) => {
  memory.simulator.faults.add({ at, nth: 4, kind: 'status', status: 429, retryAfter: { form, seconds } });
  memory.simulator.service.scriptNext({ activeMs: 10 * minuteMs });
  expect(await play()).toMatchObject({ kind: 'terminal' });
  const looks = looksAt();
  // A date has no milliseconds.
  expect((looks[4] ?? 0) - (looks[3] ?? 0)).toBeGreaterThan(seconds * 1000 - 1_000);
});

test('only the deadline ends an outage, and what kept us from seeing is handed back', async () => {
  memory.simulator.service.fail({ status: 500, on: ['get'] });
  expect(await play({ timeoutMs: 20 * minuteMs })).toMatchObject({
    kind: 'timed-out',
    job: { status: 'active' },
    isSeen: false,
    lastError: expect.stringContaining('500'),
  });
  expect(memory.simulator.clock.monotonic()).toBe(20 * minuteMs);
});

test.each([1, 3, 7.5, 30])('a watch of %d min never outlasts its deadline', async (minutes) => {
  memory.simulator.service.scriptNext({ end: 'never' });
  expect(await play({ timeoutMs: minutes * minuteMs })).toMatchObject({
    kind: 'timed-out',
    isSeen: true,
    lastError: undefined,
  });
  expect(looksAt().at(-1)).toBe(minutes * minuteMs);
});

test('a wall clock set back by an hour does not prolong a watch', async () => {
  const { clock } = memory.simulator;
  const wandering: Clock = {
    now: () => clock.now() - (clock.monotonic() > minuteMs ? 60 * minuteMs : 0),
    monotonic: () => clock.monotonic(),
    sleep: (ms, signal) => clock.sleep(ms, signal),
  };
  memory.simulator.service.scriptNext({ end: 'never' });
  await play({ timeoutMs: 5 * minuteMs, clock: wandering });
  expect(clock.monotonic()).toBe(5 * minuteMs);
});

test.each([
  [401, 'unauthorized'],
  [403, 'forbidden'],
  [404, 'not-found'],
])('%d ends the watch at once', async (status, reason) => {
  memory.simulator.service.scriptNext({ end: 'never' });
  memory.simulator.onBoundary(() => {
    if (memory.simulator.clock.monotonic() > minuteMs) memory.simulator.service.fail({ status });
  });
  await expect(play()).rejects.toMatchObject({ reason });
  expect(looksAt().filter((at) => at > minuteMs)).toHaveLength(1);
});

test('a fresh job may be unknown to the service for half a minute, one attached to may not', async () => {
  memory.simulator.service.fail({ status: 404, on: ['get'], times: 3 });
  expect(await play()).toMatchObject({ kind: 'terminal' });
  memory.simulator.service.fail({ status: 404, on: ['get'], times: 1 });
  await expect(play({ kind: 'attached' })).rejects.toMatchObject({ reason: 'not-found' });
  memory.simulator.service.fail({ status: 404, on: ['get'] });
  await expect(play()).rejects.toMatchObject({ reason: 'not-found' });
});

test('a look that is not as the interface has it names the field', async () => {
  memory.simulator.service.scriptNext({ activeMs: 5 * minuteMs });
  const answer = (extra: Record<string, unknown>) => () => {
    const [job] = memory.simulator.service.jobs;
    if (job !== undefined) job.current.script = { ...job.current.script, extra };
  };
  memory.simulator.once({ at, nth: 2, phase: 'arrived' }, answer({ status: 7 }));
  memory.simulator.once({ at, nth: 2, phase: 'handled' }, answer({}));
  expect(await play()).toMatchObject({ kind: 'terminal' });
  expect(runner.log.join('\n')).toMatch(/Reading the job: .* `status` is not as the interface has it/);
});

test('a message is stale until the job moves: the link alone is a move as well', async () => {
  const { simulator, service } = memory;
  const before = { ...(await service.createJob('x', { signal: calm() })), status: 'completed', prLink: null };
  simulator.service.jobs[0]?.end('completed', 'https://github.com/o/r/pull/9');
  const start = { kind: 'messaged', job: before, before } as const;
  const end = await watch(
    { start, timeoutMs: minuteMs },
    { service, runner, clock: simulator.clock, signal: calm() },
  );
  expect(end).toMatchObject({ kind: 'terminal', job: { prLink: 'https://github.com/o/r/pull/9' } });
  expect(simulator.clock.monotonic()).toBeLessThan(10_000);
});

test('a job that takes a message up after 40 s is followed to the end of that message', async () => {
  const { simulator, service } = memory;
  const first = await service.createJob('x', { signal: calm() });
  simulator.service.jobs[0]?.end('completed', null);
  const before = { ...first, status: 'completed' };
  simulator.service.scriptNextMessage({ staleMs: 40_000, activeMs: 60_000 });
  const job = await service.sendMessage(first.id, 'y', { signal: calm() });
  const deps = { service, runner, clock: simulator.clock, signal: calm() };
  const end = await watch({ start: { kind: 'messaged', job, before }, timeoutMs: 5 * minuteMs }, deps);
  expect(end).toMatchObject({ kind: 'terminal', unseen: false, job: { status: 'completed' } });
  expect(simulator.clock.monotonic()).toBeGreaterThanOrEqual(60_000);
});

test.each([
  ['that comes in time', 14_000, 'https://github.com/octo-org/docs/pull/101'],
  ['that comes later', 60_000, null],
])('a completed job is looked at twice more, 5 s apart, for a link %s', async (_, prLinkDelayMs, prLink) => {
  memory.simulator.service.scriptNext({ activeMs: 1_000, prLinkDelayMs });
  expect(await play()).toMatchObject({ kind: 'terminal', job: { status: 'completed', prLink } });
  expect(looksAt().map((at) => at - (looksAt()[0] ?? 0))).toEqual([0, 5_000, 10_000]);
});

test('an answer that leaves out what another tells is no move of the job', async () => {
  const { simulator, service } = memory;
  const before = await service.createJob('x', { signal: calm() });
  simulator.service.jobs[0]?.end('completed', null);
  const [job] = simulator.service.jobs;
  if (job !== undefined)
    job.current.script = { ...job.current.script, omit: ['model', 'source', 'archivedAt'] };
  const ended = { ...before, status: 'completed' };
  const start = { kind: 'messaged', job: { ...ended, model: undefined }, before: ended } as const;
  const deps = { service, runner, clock: simulator.clock, signal: calm() };
  expect(await watch({ start, timeoutMs: 5 * minuteMs }, deps)).toMatchObject({
    kind: 'terminal',
    unseen: true,
  });
  expect(simulator.clock.monotonic()).toBeGreaterThanOrEqual(120_000);
  expect(runner.log).toEqual([
    expect.stringMatching(/^info: The message is not taken up yet; still completed after 1 min/),
    expect.stringMatching(/^info: The message is not taken up yet; still completed after 2 min/),
  ]);
});

test('a cancelled watch ends with the reason of the cancellation', async () => {
  const controller = new AbortController();
  memory.simulator.service.scriptNext({ end: 'never' });
  memory.simulator.once({ at, nth: 3, phase: 'arrived' }, () =>
    controller.abort(new ActionError('cancelled', 'stop')),
  );
  await expect(play({ signal: controller.signal })).rejects.toMatchObject({ reason: 'cancelled' });
  expect(memory.simulator.requests).toHaveLength(4);
});
