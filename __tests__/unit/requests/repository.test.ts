import { expect, test } from '@jest/globals';
import { createSigner } from '../../../src/core/sign.ts';
import type { Card } from '../../../src/requests/card/card.ts';
import { findOpenJob, readRepository } from '../../../src/requests/run/find-job.ts';
import type { Run } from '../../../src/requests/run/run.ts';
import { cardsIn, findCards } from '../../../src/requests/thread/find.ts';
import { openCardsOf, requestsIn } from '../../../src/requests/thread/requests.ts';
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
import { memoryGitHub } from '../github/memory-github.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const docs = 'https://github.com/octo-org/docs/pull/50';
const elsewhere = 'https://github.com/octo-org/handbook/pull/3';
type Script = Parameters<ReturnType<typeof memoryService>['simulator']['service']['scriptNext']>[0];

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

const claim = { state: is.claimed(0) };

/** The IDs of the comments that collect mode finds `ms` after comment 41 was written. */
function openAt(ms: number, ...cards: ReturnType<typeof found>[]) {
  const comments = cards.map(({ comment }) => comment);
  const { unwatched, obsolete } = openCardsOf(
    requestsIn(cardsIn(comments, [owner]).ours),
    41_000 + ms,
  );
  const ids = (all: typeof unwatched) => all.map(({ comment }) => comment.id);
  return { open: ids(unwatched), outdated: ids(obsolete) };
}

test('collect mode finds each trigger’s comment, and after an hour, the ones that it replaced', () => {
  const [first, second] = [found(41, claim), found(43, { state: is.working(), generation: 2 })];
  const other = found(42, { key: 'comment:39', state: is.working() });
  const late = found(41, claim, { unbound: true });
  const copy = { ...late, comment: { ...late.comment, body: `${late.comment.body}\nMore` } };
  expect(openAt(hourMs, second, other, first)).toEqual({ open: [42, 43], outdated: [41] });
  expect(openAt(hourMs - 1, second, other, first)).toEqual({ open: [42, 43], outdated: [] });
  expect(openAt(hourMs, second, late)).toEqual({ open: [43], outdated: [41] });
  expect(openAt(hourMs, second, copy)).toEqual({ open: [43], outdated: [] });
});

test('collect mode ignores a claim that was edited, or that is not from our login', () => {
  const unbound = (about: object) => found(41, claim, { unbound: true, ...about });
  const ours = found(30, { key: 'comment:29', state: is.ended('none', jobIn('completed')) });
  for (const about of [{ unedited: false }, { login: 'stranger' }, { login: 'other[bot]' }])
    expect(openAt(hourMs, ours, unbound(about))).toEqual({ open: [], outdated: [] });
  expect(openAt(hourMs, ours, unbound({}))).toEqual({ open: [41], outdated: [] });
});
