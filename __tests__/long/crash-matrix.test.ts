import { afterAll, expect, test } from '@jest/globals';

import type { RequestMoment } from '../../simulator/http/exchange.ts';
import { inParallel, printTable } from '../support/cases.ts';
import {
  boundariesOfMain,
  boundariesOfPost,
  boundariesOfRerun,
  type CrashEnd,
  playCrash,
  playCrashedRerun,
  playKilledPost,
  playLostRunner,
} from '../support/interrupted/kill.ts';
import { routes } from '../support/routes.ts';
import {
  followUp,
  mergedPush,
  promptWithThread,
  type Scenario,
  simpleCommand,
} from '../support/scenarios/agent.ts';

/*
 * The bundle is killed for good at every request boundary, as a runner that dies kills it: at most one job, and the truth
 * in the thread, the outputs and the summary, whatever comes next. Only the one request that costs leaves what nobody can
 * know, and then that is what is said. `acceptance/crash` plays one story every day.
 */

const scenarios: readonly Scenario[] = [simpleCommand, followUp, promptWithThread, mergedPush];
const atOnce = 3;
const timeoutMs = 180_000;
const rows: (string | number)[][] = [];

/** The endings of some cases, as one row of the table; whatever is wrong with them, in full. */
function tally(name: string, ended: readonly CrashEnd[]): unknown[] {
  const wrong = ended.filter(
    ({ problems, asked, end, expected }) => problems.length > 0 || asked > 1 || end !== expected,
  );
  const count = (is: (one: CrashEnd) => boolean): number => ended.filter(is).length;
  const ends = [...new Set(ended.map(({ end }) => end))]
    .sort()
    .map((end) => `${end}: ${count((one) => one.end === end)}`);
  const asked = [0, 1].map((times) => count((one) => one.asked === times));
  rows.push([name, ended.length, ...asked, count((one) => one.asked > 1), wrong.length, ends.join(', ')]);
  return wrong;
}

afterAll(() => {
  const head = ['killed', 'cases', 'asked 0×', '1×', '2× or more', 'untrue', 'ends of the last run'];
  printTable('Crash matrix', [head, ...rows]);
});

test.each(scenarios)(
  'main killed at every boundary of the $name, then post, then a re-run',
  async (scenario) => {
    const boundaries = await boundariesOfMain(scenario);
    const ended = await inParallel(boundaries, atOnce, (boundary) => playCrash(scenario, boundary));
    expect(tally(`${scenario.name}: main, then post, then a re-run`, ended)).toEqual([]);
    expect(ended.filter(({ expected }) => expected === 'failed (unconfirmed)')).toHaveLength(2);
  },
  timeoutMs,
);

test.each(scenarios)(
  'main killed at every boundary of the $name, and a re-run without post',
  async (scenario) => {
    const boundaries = await boundariesOfMain(scenario);
    const ended = await inParallel(boundaries, atOnce, (boundary) => playLostRunner(scenario, boundary));
    expect(tally(`${scenario.name}: main, then a re-run without post`, ended)).toEqual([]);
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
    const boundaries = await inParallel(stages, atOnce, (main) => boundariesOfPost(simpleCommand, main));
    const cases = stages.flatMap((main, index) => (boundaries[index] ?? []).map((post) => ({ main, post })));
    const ended = await inParallel(cases, atOnce, (one) => playKilledPost(simpleCommand, one));
    expect(tally('command: main, its post, then a re-run', ended)).toEqual([]);
    expect(ended.length).toBeGreaterThan(20);
  },
  timeoutMs,
);

test(
  'the re-run of a run that ended well killed at every boundary',
  async () => {
    const boundaries = await boundariesOfRerun(simpleCommand);
    const ended = await inParallel(boundaries, atOnce, (boundary) =>
      playCrashedRerun(simpleCommand, boundary),
    );
    expect(tally('command: a re-run, its post, then another', ended)).toEqual([]);
  },
  timeoutMs,
);
