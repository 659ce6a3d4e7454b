import { expect, test } from '@jest/globals';

import type { RequestMoment } from '../../simulator/http/exchange.ts';
import { inParallel } from '../support/cases.ts';
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

/** Those of the cases in which something was untrue, or the service was asked twice. */
function wrong(ended: readonly CrashEnd[]): unknown[] {
  return ended.filter(
    ({ problems, asked, end, expected }) => problems.length > 0 || asked > 1 || end !== expected,
  );
}

test.each(scenarios)(
  'main killed at every boundary of the $name, then post, then a re-run',
  async (scenario) => {
    const boundaries = await boundariesOfMain(scenario);
    const ended = await inParallel(boundaries, atOnce, (boundary) => playCrash(scenario, boundary));
    expect(wrong(ended)).toEqual([]);
    expect(ended.filter(({ expected }) => expected === 'failed (unconfirmed)')).toHaveLength(2);
  },
  timeoutMs,
);

test.each(scenarios)(
  'main killed at every boundary of the $name, and a re-run without post',
  async (scenario) => {
    const boundaries = await boundariesOfMain(scenario);
    const ended = await inParallel(boundaries, atOnce, (boundary) => playLostRunner(scenario, boundary));
    expect(wrong(ended)).toEqual([]);
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
    expect(wrong(ended)).toEqual([]);
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
    expect(wrong(ended)).toEqual([]);
  },
  timeoutMs,
);
