import { describe, expect, test } from '@jest/globals';
import type { Comment } from '../../simulator/github/types.ts';
import { sessionOf } from '../../src/agent/session.ts';
import { findOpenJob, readRepository } from '../../src/agent/thread/repository.ts';
import { accessTo } from '../../src/core/inputs/projects.ts';
import { createMarkers, type Marker } from '../../src/requests/marker.ts';
import { createDocsService } from '../../src/service/client.ts';
import { recordingRunner } from '../support/in-process/recording-runner.ts';
import { calm } from '../support/in-process/service.ts';
import { isFor, routes } from '../support/routes.ts';
import { agentConfig } from '../support/samples/config.ts';
import { context, knownWith } from '../support/samples/known.ts';
import { marker } from '../support/samples/markers.ts';
import { memoryGitHub, scrub } from './github/memory-github.ts';

const dayMs = 86_400_000;
const docs = 'https://github.com/octo-org/docs/pull/50';
const elsewhere = 'https://github.com/octo-org/handbook/pull/3';

/** A run that looks through the comments of a repository whose docs have a pull request, 50. */
async function repository() {
  const { simulator, github } = memoryGitHub();
  const { url, clock, dispatcher, service } = simulator;
  simulator.github.addThread({ number: 50, isPullRequest: true });
  const config = await agentConfig({
    prompt: 'x',
    'api-key': service.apiKey,
    'project-id': service.projectId,
  });
  const { apiKey, projectId } = service;
  const runner = recordingRunner();
  const event = { kind: 'other', name: 'push' } as const;
  const files = { read: () => undefined, write: () => undefined };
  const deps = {
    service: createDocsService({ baseUrl: url, projectId, apiKey, clock, dispatcher, scrub }),
    ...{ github, runner, clock, files, context, event, scrub, signal: calm() },
  };
  const session = sessionOf(knownWith({ threadNumber: undefined }), config, deps);
  let threads = 100;

  /** A status comment in a thread of its own, later than all before it. */
  function remember(patch: Partial<Marker>, { isCopy = false } = {}): Comment {
    threads += 1;
    clock.advance(1_000);
    simulator.github.addThread({ number: threads });
    const comment = simulator.github.comment('github-actions[bot]', threads, '');
    const markers = createMarkers({
      service: accessTo(config),
      repositoryId: context.repositoryId,
      thread: threads,
    });
    const held = marker({
      series: context.workflow,
      comment: isCopy ? comment.id - 1 : comment.id,
      ...patch,
    });
    simulator.github.edit(comment.id, markers.write(held));
    return comment;
  }

  /** A job with its status comment; it has ended if there is anything to see of an end. */
  function job(script: Parameters<typeof service.scriptNext>[0], patch: Partial<Marker> = {}): string {
    service.scriptNext({ activeMs: 0, ...script });
    const { id } = service.createJob('x');
    remember({ job: id, ...patch });
    return id;
  }

  return { simulator, session, remember, job, find: async () => (await findOpenJob(session))?.id };
}

describe('the job to go on with', () => {
  test.each<[string, Parameters<Awaited<ReturnType<typeof repository>>['job']>[0]]>([
    ['one that is at work', { activeMs: dayMs }],
    ['one whose pull request is open', { prLink: docs }],
    ['one whose pull request the token cannot see', { prLink: elsewhere }],
  ])('is %s', async (_, script) => {
    const { job, find } = await repository();
    const id = job(script);
    expect(await find()).toBe(id);
  });

  test.each<[string, Parameters<Awaited<ReturnType<typeof repository>>['job']>[0]]>([
    ['failed', { end: 'failed', prLink: docs }],
    ['was archived', { end: 'archived', prLink: docs }],
    ['made no pull request', { prLink: null }],
  ])('is none that %s', async (_, script) => {
    const { job, find } = await repository();
    job(script);
    expect(await find()).toBeUndefined();
  });

  test('is none whose pull request is closed, here or elsewhere', async () => {
    const { simulator, job, find } = await repository();
    simulator.github.thread(50).state = 'closed';
    simulator.github.pullRequestsElsewhere.set('octo-org/handbook#3', false);
    job({ prLink: docs });
    job({ prLink: elsewhere });
    expect(await find()).toBeUndefined();
  });

  test('is one whose pull request is on another server, whatever this one has under its address', async () => {
    const { simulator, job, find } = await repository();
    simulator.github.thread(50).state = 'closed';
    const id = job({ prLink: docs.replace('github.com', 'github.example.com') });
    expect(await find()).toBe(id);
  });

  test('is none of another workflow, nor one that was begun otherwise', async () => {
    const { job, find } = await repository();
    job({ prLink: docs }, { series: 'octo-org/docs/.github/workflows/other.yml' });
    job({ prLink: docs }, { series: undefined });
    expect(await find()).toBeUndefined();
  });

  test('is the newest that is open, of the five newest', async () => {
    const { simulator, job, find } = await repository();
    const [, older] = [job({ prLink: docs }), job({ prLink: docs })];
    for (let nth = 0; nth < 4; nth += 1) job({ end: 'failed' });
    expect(await find()).toBe(older);
    expect(simulator.requests.filter(isFor(routes.getJob))).toHaveLength(5);
  });

  test('is looked for no further than that', async () => {
    const { job, find } = await repository();
    job({ prLink: docs });
    for (let nth = 0; nth < 5; nth += 1) job({ end: 'failed' });
    expect(await find()).toBeUndefined();
  });

  test('counts once, however many changes went to it', async () => {
    const { simulator, job, remember, find } = await repository();
    const open = job({ prLink: docs });
    const failed = job({ end: 'failed' });
    for (let nth = 0; nth < 9; nth += 1) remember({ job: failed, message: true });
    expect(await find()).toBe(open);
    expect(simulator.requests.filter(isFor(routes.getJob))).toHaveLength(2);
  });

  test('is another where the service knows the newest no more', async () => {
    const { job, remember, find } = await repository();
    const open = job({ prLink: docs });
    remember({ job: 'job_gone' });
    expect(await find()).toBe(open);
  });
});

describe('the markers of all threads', () => {
  test('are the verified ones that name their comment, the newest first', async () => {
    const { simulator, session, remember } = await repository();
    const first = remember({ key: 'change:1' });
    remember({ key: 'change:2' });
    remember({ key: 'change:3' }, { isCopy: true });
    remember({ key: 'change:4', comment: undefined });
    simulator.github.comment('stranger', 101, first.body);
    expect((await readRepository(session)).map(({ key }) => key)).toEqual(['change:2', 'change:1']);
  });

  test('are read once a run, and no further back than 90 days', async () => {
    const { simulator, session, remember } = await repository();
    remember({ key: 'change:1' });
    simulator.clock.advance(90 * dayMs);
    remember({ key: 'change:2' });
    for (let nth = 0; nth < 2; nth += 1)
      expect((await readRepository(session)).map(({ key }) => key)).toEqual(['change:2']);
    expect(simulator.requests.filter(isFor(routes.readAllComments))).toHaveLength(1);
  });

  test('are those of the thousand last edited comments', async () => {
    const { simulator, session, remember } = await repository();
    remember({ key: 'change:1' });
    simulator.clock.advance(1_000);
    for (let nth = 0; nth < 1_000; nth += 1) simulator.github.comment('maintainer', 7, 'Chat');
    expect(await readRepository(session)).toEqual([]);
    expect(simulator.requests.filter(isFor(routes.readAllComments))).toHaveLength(10);
  });
});
