import { beforeEach, describe, expect, test } from '@jest/globals';
import type { RetryAfter } from '../../../simulator/http/faults.ts';
import type { Clock } from '../../../src/core/clock.ts';
import { createSigner } from '../../../src/core/sign.ts';
import { type Card, endingOf } from '../../../src/requests/card/card.ts';
import { markWorking } from '../../../src/requests/card/transitions.ts';
import { intervalMs, watch } from '../../../src/requests/follow/watch.ts';
import { findOpenJob, readRepository } from '../../../src/requests/run/find-job.ts';
import type { Run } from '../../../src/requests/run/run.ts';
import { cardsIn, findCards } from '../../../src/requests/thread/find.ts';
import { isUnwatched, requestsIn } from '../../../src/requests/thread/requests.ts';
import { recordingRunner } from '../../support/in-process/recording-runner.ts';
import { memoryService } from '../../support/in-process/service.ts';
import { isFor, routes } from '../../support/routes.ts';
import {
  card,
  completed,
  context,
  found,
  is,
  jobIn,
  owner,
  scope,
} from '../../support/samples/cards.ts';
import { type Fault, failAt, memoryGitHub } from '../github/memory-github.ts';

describe('watching', () => {
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
    const watching = { timeoutMs, keep: (one: Card) => one, random };
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

  test('one failed check right before the deadline is no outage, but two are', async () => {
    simulator.service.scriptNext({ end: 'never' });
    await play({ timeoutMs: minuteMs });
    const checks = checkedAt().length;
    for (const [failing, error] of [
      [1, undefined],
      [2, expect.anything()],
    ] as const) {
      ({ simulator, service } = memoryService());
      simulator.service.scriptNext({ end: 'never' });
      failAt(simulator, 'GET', { kind: 'reset', nth: checks - failing + 1, times: failing });
      const card = await play({ timeoutMs: minuteMs, random: () => 0 });
      expect(card.stop).toMatchObject({ reason: 'deadline' });
      expect(card.stop?.error).toEqual(error);
    }
  });

  test('a redirect that lasts until the deadline is the end, not a slow job', async () => {
    failAt(simulator, 'GET', { kind: 'redirect', times: 99 });
    const watching = play({ timeoutMs: 5 * minuteMs });
    await expect(watching).rejects.toMatchObject({ reason: 'redirected' });
    expect(checkedAt().at(-1)).toBe(5 * minuteMs);
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
});

describe('all threads', () => {
  const hourMs = 3_600_000;
  const dayMs = 24 * hourMs;
  const docs = 'https://github.com/octo-org/docs/pull/50';
  const elsewhere = 'https://github.com/octo-org/handbook/pull/3';
  type Script = Parameters<
    ReturnType<typeof memoryService>['simulator']['service']['scriptNext']
  >[0];

  /** A repository with open pull request 50, and a run that searches for a job to continue. */
  function stage() {
    const { simulator, github } = memoryGitHub();
    const { simulator: docsSimulator, service } = memoryService();
    simulator.github.addThread({ number: 50, isPullRequest: true });
    const signerOf = (thread: number) => createSigner({ ...scope, thread });
    const { clock } = simulator;
    const deps = { service, github, runner: recordingRunner(), clock, context };
    const owner = { project: { id: 'prj_1', name: 'prj_1' }, signerOf };
    const run = { deps, plan: { owner } } as unknown as Run;
    const cards: Card[] = [];
    /** Adds a newer request from this workflow. Its job has ended, unless `script` says otherwise. */
    const job = (script: Script, patch: Partial<Card> = {}) => {
      docsSimulator.service.scriptNext({ activeMs: 0, ...script });
      const { id } = docsSimulator.service.createJob('x');
      cards.push(
        card({ series: context.workflow, state: is.working({ ...completed, id }), ...patch }),
      );
      return id;
    };
    const checks = () => docsSimulator.requests.filter(isFor(routes.getJob)).length;
    const find = async () => {
      const ours = cards.map((posted, index) => ({ ...found(index), card: posted }));
      return (await findOpenJob({ ours, ofOtherKeys: [], newer: [] }, run)).jobId;
    };
    return { simulator, run, job, cards, checks, find };
  }

  test.each<[string, Script, isFound: boolean, more?: Partial<Card>]>([
    ['is at work', { activeMs: dayMs }, true],
    ['has an open pull request', { prLink: docs }, true],
    ['has a pull request that the token can’t see', { prLink: elsewhere }, false],
    ['failed', { end: 'failed', prLink: docs }, false],
    ['was archived', { end: 'archived', prLink: docs }, false],
    ['opened no pull request', { prLink: null }, false],
    [
      'is from this workflow, before a rename',
      { prLink: docs },
      true,
      { series: 'a/b/.github/workflows/docs.yml' },
    ],
    ['is from another workflow', { prLink: docs }, false, { series: 'octo-org/docs/other.yml' }],
    ['was not part of a series', { prLink: docs }, false, { series: undefined }],
  ])('`continue: repository` and a job that %s', async (_, script, isFound, patch = {}) => {
    const { job, find } = stage();
    const id = job(script, patch);
    expect(await find()).toBe(isFound ? id : undefined);
  });

  test('a closed pull request is not continued, nor one on another server', async () => {
    const { simulator, job, find } = stage();
    simulator.github.thread(50).state = 'closed';
    simulator.elsewhere.addThread({ number: 3, isPullRequest: true, state: 'closed' });
    for (const prLink of [docs, elsewhere]) job({ prLink });
    expect(await find()).toBeUndefined();
    job({ prLink: docs.replace('github.com', 'github.example.com') });
    expect(await find()).toBeUndefined();
  });

  test('the five newest jobs are checked, each only once', async () => {
    const { job, cards, checks, find } = stage();
    const open = job({ prLink: docs });
    const failed = [1, 2, 3, 4].map(() => job({ end: 'failed' }));
    for (const id of [...failed, 'job_gone'])
      cards.push(card({ state: is.working({ ...completed, id }) }));
    expect([await find(), checks()]).toEqual([open, 5]);
    job({ end: 'failed' });
    expect(await find()).toBeUndefined();
  });

  test('cards are read from the last 90 days and 1,000 comments', async () => {
    const { simulator, run } = stage();
    const { github, clock } = simulator;
    const remember = (key: string, unbound = false) => {
      clock.advance(1_000);
      const { id } = github.comment('github-actions[bot]', 7, '');
      return github.edit(id, found(id, { key }, { unbound }).comment.body);
    };
    remember('old');
    clock.advance(90 * dayMs);
    const { body } = remember('change:1');
    remember('change:2');
    remember('unbound', true);
    github.comment('stranger', 7, body);
    const read = async () => (await readRepository({ ...run, repository: undefined } as Run)).ours;
    expect((await read()).map(({ card: { key } }) => key)).toEqual(['change:1', 'change:2']);
    clock.advance(1_000);
    for (let nth = 0; nth < 1_000; nth += 1) github.comment('maintainer', 7, 'Chat');
    expect(await read()).toEqual([]);
  });

  /** GitHub's pages begin at the newest comment, so a page may hold only one of the 200. */
  test.each([0, 1, 50, 99, 100, 350])(
    'the 200 comments before a pull request are searched, also below %i newer ones',
    async (newer) => {
      const { simulator, run } = stage();
      const { github, clock } = simulator;
      const chat = (count: number) => {
        for (let nth = 0; nth < count; nth += 1) {
          clock.advance(1_000);
          github.comment('maintainer', 7, 'Chat');
        }
      };
      const { id } = github.comment('github-actions[bot]', 7, '');
      github.edit(id, found(id, { state: is.working() }).comment.body);
      chat(199);
      const opened = { createdAtMs: clock.now() + 1 };
      chat(newer);
      const { ours } = await findCards({ pullRequests: [opened] }, [owner], run.deps);
      expect(ours.map(({ comment }) => comment.id)).toEqual([id]);
    },
  );

  const claim = { state: is.claimed };

  /** The IDs of the comments that collect mode finds `ms` after comment 41 was written. */
  function openAt(ms: number, ...cards: ReturnType<typeof found>[]) {
    const comments = cards.map(({ comment }) => comment);
    const requests = requestsIn(cardsIn(comments, [owner]).ours);
    const open = requests.filter(({ card }) => isUnwatched(card, 41_000 + ms));
    return open.map(({ comment }) => comment.id);
  }

  test('collect mode finds each trigger’s comment, and not the ones that it replaced', () => {
    const [first, second] = [found(41, claim), found(43, { state: is.working(), generation: 2 })];
    const other = found(42, { key: 'comment:39', state: is.working() });
    const late = found(41, claim, { unbound: true });
    expect(openAt(hourMs, second, other, first)).toEqual([42, 43]);
    expect(openAt(hourMs, second, late)).toEqual([43]);
  });

  test('collect mode ignores a claim that was edited, or that is not from our login', () => {
    const unbound = (about: object) => found(41, claim, { unbound: true, ...about });
    const ours = found(30, { key: 'comment:29', state: is.ended('none', jobIn('completed')) });
    for (const about of [{ unedited: false }, { login: 'stranger' }, { login: 'other[bot]' }])
      expect(openAt(hourMs, ours, unbound(about))).toEqual([]);
    expect(openAt(hourMs, ours, unbound({}))).toEqual([41]);
  });
});
