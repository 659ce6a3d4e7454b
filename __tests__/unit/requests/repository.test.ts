import { expect, test } from '@jest/globals';
import type { Card } from '../../../src/requests/card.ts';
import { findCardsOf, findOpenJob, readRepository } from '../../../src/requests/repository.ts';
import type { Run } from '../../../src/requests/run.ts';
import { createSigner } from '../../../src/requests/sign.ts';
import { recordingRunner } from '../../support/in-process/recording-runner.ts';
import { calm, memoryService } from '../../support/in-process/service.ts';
import { isFor, routes } from '../../support/routes.ts';
import { card, completed, context, found, is, scope } from '../../support/samples/cards.ts';
import { memoryGitHub } from '../github/memory-github.ts';

/* The job that a series of changes continues: the newest one whose pull request is still open. */

const dayMs = 86_400_000;
const docs = 'https://github.com/octo-org/docs/pull/50';
const elsewhere = 'https://github.com/octo-org/handbook/pull/3';
type Script = Parameters<ReturnType<typeof memoryService>['simulator']['service']['scriptNext']>[0];

/** A repository whose docs have a pull request, 50, and a run that searches it. */
function stage() {
  const { simulator, github } = memoryGitHub();
  const { simulator: docsSimulator, service } = memoryService();
  simulator.github.addThread({ number: 50, isPullRequest: true });
  const signerOf = (thread: number) => createSigner({ ...scope, thread });
  const { clock } = simulator;
  const deps = { service, github, runner: recordingRunner(), clock, context, signal: calm() };
  const run = { deps, owner: { signerOf } } as unknown as Run;
  const cards: Card[] = [];
  /** A request of the workflow, later than all others. Its job has ended if it has a visible result. */
  const job = (script: Script, patch: Partial<Card> = {}) => {
    docsSimulator.service.scriptNext({ activeMs: 0, ...script });
    const { id } = docsSimulator.service.createJob('x');
    cards.unshift(card({ series: context.workflow, state: is.working({ ...completed, id }), ...patch }));
    return id;
  };
  const looks = () => docsSimulator.requests.filter(isFor(routes.getJob)).length;
  return { simulator, github, run, job, cards, looks, find: async () => (await findOpenJob(cards, run))?.id };
}

test.each<[string, Script, isFound: boolean, more?: Partial<Card>]>([
  ['is at work', { activeMs: dayMs }, true],
  ['has an open pull request', { prLink: docs }, true],
  ['has one that the token cannot see', { prLink: elsewhere }, true],
  ['failed', { end: 'failed', prLink: docs }, false],
  ['was archived', { end: 'archived', prLink: docs }, false],
  ['made none', { prLink: null }, false],
  ['is of another workflow', { prLink: docs }, false, { series: 'octo-org/docs/other.yml' }],
  ['was begun otherwise', { prLink: docs }, false, { series: undefined }],
])('a job that %s', async (_, script, isFound, patch = {}) => {
  const { job, find } = stage();
  const id = job(script, patch);
  expect(await find()).toBe(isFound ? id : undefined);
});

test('a closed pull request takes no more, here or elsewhere; on another server nobody knows', async () => {
  const { simulator, job, find } = stage();
  simulator.github.thread(50).state = 'closed';
  simulator.github.pullRequestsElsewhere.set('octo-org/handbook#3', false);
  for (const prLink of [docs, elsewhere]) job({ prLink });
  expect(await find()).toBeUndefined();
  const id = job({ prLink: docs.replace('github.com', 'github.example.com') });
  expect(await find()).toBe(id);
});

test('the five newest jobs are looked at, each once', async () => {
  const { job, cards, looks, find } = stage();
  const open = job({ prLink: docs });
  const failed = [1, 2, 3, 4].map(() => job({ end: 'failed' }));
  for (const id of [...failed, 'job_gone']) cards.unshift(card({ state: is.working({ ...completed, id }) }));
  expect([await find(), looks()]).toEqual([open, 5]);
  job({ end: 'failed' });
  expect(await find()).toBeUndefined();
});

test('the cards of all threads that name their comment are read, the newest first, from 90 days and 1,000 comments', async () => {
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
  expect((await readRepository(run)).map(({ key }) => key)).toEqual(['change:2', 'change:1']);
  clock.advance(1_000);
  for (let nth = 0; nth < 1_000; nth += 1) github.comment('maintainer', 7, 'Chat');
  expect(await readRepository({ ...run, repository: undefined })).toEqual([]);
});

test('the cards that name a pull request, and those of jobs without a link yet, from a day before it was opened', async () => {
  const { simulator, github: reader, run } = stage();
  const { github, clock } = simulator;
  const linked = is.ended('pr', completed);
  const remember = (key: string, patch: Partial<Card>, about = {}) => {
    clock.advance(1_000);
    const { id } = github.comment('github-actions[bot]', 7, '');
    return github.edit(id, found(id, { key, ...patch }, about).comment.body).body;
  };
  remember('long ago', { state: linked });
  clock.advance(2 * dayMs);
  const body = remember('asked', { state: linked });
  remember('followed up', { state: is.working(completed, { before: completed }) });
  remember('of another', { state: is.ended('pr', { ...completed, prLink: docs }) });
  remember('status', { state: is.ended('answered', completed) });
  remember('unbound', { state: linked }, { unbound: true });
  remember('at work', { state: is.working() });
  github.comment('stranger', 7, body);
  github.comment('stranger', 50, body.replace('.', 'x.'));
  // GitHub ignores the case of names.
  const pull = { url: completed.prLink?.replace('octo-org', 'Octo-Org') ?? '', createdAtMs: clock.now() };
  const reading = { github: reader, signal: calm() };
  const { naming, unlinked } = await findCardsOf(pull, [run.owner], reading);
  const keys = (cards: typeof naming) => cards.map(({ card, thread }) => `${card.key} in ${thread}`);
  expect(keys(naming)).toEqual(['asked in 7', 'followed up in 7']);
  expect(keys(unlinked)).toEqual(['at work in 7']);
  expect(simulator.requests).toHaveLength(1);
});
