import { beforeEach, expect, test } from '@jest/globals';
import type { RetryAfter } from '../../../simulator/http/faults.ts';
import type { Clock } from '../../../src/core/clock.ts';
import { type Card, endingOf } from '../../../src/requests/card/card.ts';
import { markWorking } from '../../../src/requests/card/transitions.ts';
import { intervalMs, watch } from '../../../src/requests/follow/watch.ts';
import { recordingRunner } from '../../support/in-process/recording-runner.ts';
import { memoryService } from '../../support/in-process/service.ts';
import { routes } from '../../support/routes.ts';
import { card } from '../../support/samples/cards.ts';
import { type Fault, failAt } from '../github/memory-github.ts';

const minuteMs = 60_000;
const at = routes.getJob;

let { simulator, service } = memoryService();
let runner = recordingRunner();
beforeEach(() => {
  ({ simulator, service } = memoryService());
  runner = recordingRunner();
});

interface Play {
  readonly timeoutMs?: number;
  readonly askedAgoMs?: number;
  readonly random?: () => number;
  readonly clock?: Clock;
}

/** Watches a new job. */
async function play(options: Play = {}) {
  const {
    timeoutMs = 30 * minuteMs,
    askedAgoMs = 0,
    random = () => 0.5,
    clock = simulator.clock,
  } = options;
  const job = await service.createJob('x');
  const begun = { ...card(), askedAt: clock.now() - askedAgoMs };
  const watching = { timeoutMs, isChecked: false, keep: (one: Card) => one, random };
  return watch(markWorking(begun, job), watching, { service, runner, clock });
}

const end = (one: Card) => Object.values(endingOf(one) ?? {}).join(' ');
const [ready, none] = ['pr-created pull-request', 'no-changes no-pull-request'];
/** When the job was checked, in milliseconds since it was created. */
const checkedAt = () =>
  simulator.requests
    .filter(({ method }) => method === 'GET')
    .map((one) => one.at - simulator.clock.startMs);

test.each([
  ['30 s', 30_000, 8, 6_000],
  ['3 min', 3 * minuteMs, 32, 18_000],
  ['30 min', 30 * minuteMs, 90, 33_000],
])(
  'a job that takes %s is watched with few requests, and its end is detected soon',
  async (_, activeMs, requests, lateMs) => {
    for (const random of [() => 0, () => 0.5, () => 1]) {
      // The job ends at four different points between two checks.
      for (let part = 0; part < 4; part += 1) {
        ({ simulator, service } = memoryService());
        const ms = activeMs - (part * intervalMs(activeMs, random)) / 4;
        simulator.service.scriptNext({ activeMs: ms });
        await play({ timeoutMs: 60 * minuteMs, random });
        expect(simulator.requests.length).toBeLessThanOrEqual(requests);
        expect(simulator.clock.monotonic() - ms).toBeLessThanOrEqual(lateMs);
      }
    }
  },
);

test.each<[string, Fault]>([
  ['a broken connection', { kind: 'reset' }],
  ['a 503', { kind: 'status', status: 503 }],
  ['a page from a proxy', { kind: 'html' }],
  ['a redirect', { kind: 'redirect' }],
])('the watch survives %s eight times in a row', async (_, fault) => {
  failAt(simulator, 'GET', { times: 8, ...fault });
  simulator.service.scriptNext({ activeMs: 10 * minuteMs });
  expect(end(await play())).toBe(ready);
  expect(simulator.faults.pending).toBe(0);
  // The intervals grow, but are never longer than one minute.
  const gaps = checkedAt().map((ms, nth, all) => ms - (all[nth - 1] ?? 0));
  expect(Math.max(...gaps)).toBeLessThanOrEqual(minuteMs);
  expect(gaps.slice(1, 9).toSorted((one, other) => one - other)).toEqual(gaps.slice(1, 9));
  expect(runner.log[0]).toContain(`Checking again in ${Math.round((gaps[1] ?? 0) / 1000)} s.`);
});

test.each<[string, RetryAfter]>([
  ['seconds', 240],
  ['an HTTP date', (nowMs) => new Date(nowMs + 240_000).toUTCString()],
])('the next check waits for a Retry-After in %s', async (_, retryAfter) => {
  simulator.faults.refuse(at, 429, { nth: 4, retryAfter });
  simulator.service.scriptNext({ activeMs: 10 * minuteMs });
  expect(end(await play())).toBe(ready);
  // An HTTP date has no milliseconds, so the wait can be up to a second shorter.
  expect((checkedAt()[4] ?? 0) - (checkedAt()[3] ?? 0)).toBeGreaterThan(239_000);
});

test.each([1, 7.5])('a watch with a limit of %d min ends at its deadline', async (minutes) => {
  simulator.service.scriptNext({ end: 'never' });
  expect(end(await play({ timeoutMs: minutes * minuteMs }))).toBe('timed-out deadline');
  expect(checkedAt().at(-1)).toBe(minutes * minuteMs);
});

test('a wall clock that is set back doesn’t make a watch longer', async () => {
  const { clock } = simulator;
  const now = () => clock.now() - (clock.monotonic() > minuteMs ? 60 * minuteMs : 0);
  const wandering: Clock = {
    now,
    monotonic: () => clock.monotonic(),
    sleep: (ms) => clock.sleep(ms),
    within: () => wandering,
  };
  simulator.service.scriptNext({ end: 'never' });
  await play({ timeoutMs: 5 * minuteMs, clock: wandering });
  expect(clock.monotonic()).toBe(5 * minuteMs);
});

test('a job is gone after two 404s, but not in the first two minutes after the request', async () => {
  const { faults, clock } = simulator;
  faults.refuse(at, 404, { times: 3 });
  expect(end(await play())).toBe(ready);
  faults.refuse(at, 404);
  expect(end(await play({ askedAgoMs: 2 * minuteMs }))).toBe(ready);
  faults.refuse(at, 404, { times: Number.POSITIVE_INFINITY });
  for (const [askedAgoMs, ms] of [
    [2 * minuteMs, 10_000],
    [0, 2 * minuteMs],
  ] as const) {
    const before = clock.now();
    expect(end(await play({ askedAgoMs }))).toBe('failed not-found');
    expect(clock.now() - before).toBeGreaterThanOrEqual(ms);
    expect(clock.now() - before).toBeLessThan(ms + minuteMs);
  }
});

test.each<[delayMs: number, how: string]>([
  [14_000, ready],
  [minuteMs, none],
])(
  'a missing link is checked two more times, 5 s apart: with a link after %d ms',
  async (prLinkDelayMs, how) => {
    simulator.service.scriptNext({ activeMs: 1_000, prLinkDelayMs });
    expect(end(await play())).toBe(how);
    expect(checkedAt().map((ms) => ms - (checkedAt()[0] ?? 0))).toEqual([0, 5_000, 10_000]);
  },
);
