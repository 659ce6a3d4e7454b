import { expect, test } from '@jest/globals';

import { runAction, withSimulator } from '../support/bundle/run.ts';
import { inParallel } from '../support/cases.ts';
import { headlineOf, statusComments } from '../support/oracle/agent.ts';
import { requestIn } from '../support/prompts.ts';
import { serviceInputs, THREAD } from '../support/usual.ts';

/* Processes side by side against one simulator; `scenario/one-job` plays more of them in memory. */

const atOnce = 4;

test('twelve runs of one comment: one job, one status comment', async () => {
  await withSimulator({}, async (simulator) => {
    const { github, service } = simulator;
    service.script({ activeMs: 20_000 });
    github.addThread({ number: THREAD });
    const event = github.issueCommentEvent(github.comment('maintainer', THREAD, '/docs add a quickstart'));
    const runs = Array.from({ length: 12 }, () => ({ simulator, event, inputs: serviceInputs(simulator) }));
    const ended = await inParallel(runs, atOnce, runAction);
    expect(service.jobs.map(({ prompts }) => prompts.map(requestIn))).toEqual([['add a quickstart']]);
    const own = statusComments(simulator, { thread: THREAD, prompt: 'add a quickstart' });
    expect(own.map(headlineOf)).toEqual([expect.stringContaining('is ready')]);
    // Those that come while it is asked leave it to the first; those that come when it is done tell the same again.
    const reasons = ended.map(({ outputs }) => outputs.reason);
    expect(reasons).toContain('pull-request');
    expect(reasons.filter((reason) => reason !== 'pull-request' && reason !== 'another-run')).toEqual([]);
    expect(simulator.violations).toEqual([]);
  });
}, 60_000);

test('eight commands at once in one thread: each is asked, and each is told its end', async () => {
  await withSimulator({}, async (simulator) => {
    const { github, service } = simulator;
    service.script({ activeMs: 20_000 });
    github.addThread({ number: THREAD });
    const prompts = Array.from({ length: 8 }, (_, index) => `prompt ${index}.`);
    const runs = prompts.map((prompt) => {
      const event = github.issueCommentEvent(github.comment('maintainer', THREAD, `/docs ${prompt}`));
      return { simulator, event, inputs: serviceInputs(simulator) };
    });
    const ended = await inParallel(runs, atOnce, runAction);
    expect(ended.map(({ outputs }) => outputs.outcome)).toEqual(prompts.map(() => 'pr-created'));
    const asked = service.jobs.flatMap((job) => job.prompts.map(requestIn));
    expect(asked.toSorted()).toEqual(prompts);
    for (const prompt of prompts)
      expect(statusComments(simulator, { thread: THREAD, prompt }).map(headlineOf)).toEqual([
        expect.stringMatching(/is ready|is done/),
      ]);
    expect(simulator.violations).toEqual([]);
  });
}, 60_000);
