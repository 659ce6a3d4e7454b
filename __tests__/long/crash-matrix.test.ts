import { expect, test } from '@jest/globals';

import type { RequestMoment } from '../../simulator/http/exchange.ts';
import { inParallel } from '../support/cases.ts';
import { boundariesIn, playCrash, wrongOf } from '../support/interrupted/kill.ts';
import { routes } from '../support/routes.ts';
import { scenarios, simpleCommand } from '../support/scenarios/agent.ts';

/*
 * The bundle is killed for good at every request boundary, as a runner that dies kills it: at most one job, and the truth
 * in the thread, the outputs and the summary, whatever comes next. Only the one request that costs leaves what nobody can
 * know, and then that is what is said. `acceptance/crash` plays one story every day.
 */

const atOnce = 3;
const timeoutMs = 300_000;

test.each(scenarios)(
  'main killed at every boundary of the $name, then post, then a re-run; and a re-run without post',
  async (scenario) => {
    const boundaries = await boundariesIn('main', scenario);
    const finished = await inParallel(boundaries, atOnce, (main) => playCrash(scenario, { main }));
    expect(wrongOf(finished)).toEqual([]);
    const unknowable = finished.filter(({ end }) => end === 'failed (unconfirmed)');
    expect(unknowable.map(({ crash }) => crash.main?.phase)).toEqual(['arrived', 'handled']);
    const lost = await inParallel(boundaries, atOnce, (main) => playCrash(scenario, { main, post: 'never' }));
    expect(wrongOf(lost)).toEqual([]);
  },
  timeoutMs,
);

test(
  'post killed as well, after each stage of main',
  async () => {
    const stages: readonly RequestMoment[] = [
      { at: routes.react, phase: 'handled' },
      { at: routes.writeComment, phase: 'handled' },
      { at: routes.readThread, nth: 3, phase: 'handled' },
      { at: routes.createJob, phase: 'handled' },
      { at: routes.editComment, phase: 'arrived' },
      { at: routes.getJob, nth: 3, phase: 'handled' },
      { at: routes.editComment, nth: 2, phase: 'handled' },
    ];
    const boundaries = await inParallel(stages, atOnce, (main) => boundariesIn('post', simpleCommand, main));
    const cases = stages.flatMap((main, index) => (boundaries[index] ?? []).map((post) => ({ main, post })));
    const ended = await inParallel(cases, atOnce, (crash) => playCrash(simpleCommand, crash));
    expect(wrongOf(ended)).toEqual([]);
    expect(ended.length).toBeGreaterThan(20);
  },
  timeoutMs,
);

test(
  'the re-run of a run that ended well killed at every boundary',
  async () => {
    const boundaries = await boundariesIn('re-run', simpleCommand);
    const ended = await inParallel(boundaries, atOnce, (rerun) => playCrash(simpleCommand, { rerun }));
    expect(wrongOf(ended)).toEqual([]);
    expect(ended.filter(({ end }) => end !== 'pr-created (pull-request)')).toEqual([]);
  },
  timeoutMs,
);
