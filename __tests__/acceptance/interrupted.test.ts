import { expect, test } from '@jest/globals';
import { inParallel } from '../support/cases.ts';
import { chooseQuarter } from '../support/long.ts';
import { agentSubject } from '../support/mishaps/agent.ts';
import { type CancelCase, playCancelled } from '../support/mishaps/cancelled.ts';
import { endsOf, playOnBundle } from '../support/mishaps/matrix.ts';
import { reportSubject } from '../support/mishaps/report.ts';
import { routes } from '../support/routes.ts';
import { simpleCommand } from '../support/scenarios/agent.ts';

/*
 * Cancels runs in real time, as GitHub does. A run must exit within 5 s of SIGINT. What it writes to the thread, the outputs, and
 * the summary must be true after main, or after post if main was killed. `scenario/threads` cancels runs at any request.
 *
 * By day, a quarter of the points is played.
 *
 * Also kills runs, as if the runner had died. `scenario/mishaps` does so at every request in memory, and `long/bundle-mishaps` with
 * the bundle.
 */

const command = agentSubject(simpleCommand);
const maxMs = 5_000;
const atOnce = 5;

const { react, writeComment: claim } = routes;
const { createJob: create, editComment: edit, getJob: look } = routes;

const nothingAsked = { ends: 'failed (cancelled)' };
const jobGoesOn = { ends: 'detached (cancelled)' };
const unknowable = { ends: 'failed (unconfirmed)' };

const cases: readonly CancelCase[] = [
  { name: 'while the claim is written', at: claim, phase: 'arrived', ...nothingAsked },
  { name: 'when there is a job, but no response yet', at: create, phase: 'handled', ...jobGoesOn },
  { name: 'between two checks of the job', at: edit, phase: 'handled', laterMs: 500, ...jobGoesOn },
  {
    name: 'GitHub hangs at the claim',
    at: claim,
    phase: 'handled',
    hanging: ['github'],
    ...nothingAsked,
  },
  { name: 'the service hangs', at: create, phase: 'handled', hanging: ['service'], ...unknowable },
  {
    name: 'both hang',
    at: create,
    phase: 'handled',
    hanging: ['github', 'service'],
    ...unknowable,
  },
  {
    name: 'while waiting for a Retry-After',
    prepare: ({ faults }) => faults.refuse(create, 429, { retryAfter: 45 }),
    at: create,
    phase: 'arrived',
    laterMs: 500,
    ...nothingAsked,
  },
  { name: 'by SIGTERM alone', at: look, phase: 'arrived', by: 'SIGTERM', ...jobGoesOn },
  {
    name: 'while GitHub hangs at the last reaction',
    prepare: ({ service }) => service.script({ activeMs: 1_000 }),
    at: react,
    nth: 2,
    phase: 'arrived',
    hanging: ['github'],
    ends: 'pr-created (pull-request)',
  },
];

const page = { at: routes.readVisitors, phase: 'arrived' } as const;
const ofReport: readonly CancelCase[] = [
  {
    name: 'GitHub hangs',
    at: routes.readRun,
    phase: 'arrived',
    hanging: ['github'],
    ...nothingAsked,
  },
  { name: 'the service hangs', ...page, nth: 5, hanging: ['service'], ...nothingAsked },
  {
    name: 'while waiting for a Retry-After',
    prepare: ({ faults }) => faults.refuse(routes.readVisitors, 429, { nth: 2, retryAfter: 45 }),
    ...page,
    nth: 2,
    laterMs: 500,
    ...nothingAsked,
  },
];

const early = { cancelTimes: { sigtermAfterMs: 100, sigkillAfterMs: 100 } };
const killed: readonly CancelCase[] = [
  {
    name: 'killed while watching',
    at: look,
    phase: 'arrived',
    hanging: ['github'],
    ...early,
    ...jobGoesOn,
  },
  {
    name: 'killed while asking',
    at: create,
    phase: 'handled',
    hanging: ['service'],
    ...early,
    ...unknowable,
  },
];

test.each([
  ['command', command, chooseQuarter(cases)],
  ['report', reportSubject, chooseQuarter(ofReport)],
])(
  'a %s canceled at different points, also while GitHub or the service hangs',
  async (_, subject, points) => {
    const ended = await inParallel(points, atOnce, (canceled) => playCancelled(subject, canceled));
    expect(ended).toMatchObject(
      points.map(({ ends: end }) => ({ end, exitCode: 0, problems: [] })),
    );
    expect(ended.filter(({ cancelledForMs }) => !(cancelledForMs < maxMs))).toEqual([]);
  },
);

test('a canceled run that is killed before it can exit, and finished by post', async () => {
  const ended = await inParallel(killed, atOnce, (canceled) => playCancelled(command, canceled));
  expect(ended).toMatchObject(killed.map(() => ({ signal: 'SIGKILL', problems: [] })));
});

test('main is killed while it claims, sends, and edits, then post and a re-run are played', async () => {
  const kills = await endsOf(command, { kind: 'kill', isPostRun: true });
  const kinds: readonly unknown[] = [claim, create, edit];
  const points = chooseQuarter(kills.filter(({ at, nth }) => nth === 1 && kinds.includes(at)));
  const ended = await inParallel(points, 3, (kill) => playOnBundle(command, kill));
  expect(ended.filter(({ problems }) => problems.length > 0)).toEqual([]);
  // The outcome is unknown only if the run is killed during the request that costs credits.
  const unknown = points.filter((_, index) => ended[index]?.next === 'failed (unconfirmed)');
  expect(unknown).toEqual(points.filter(({ at }) => at === create));
});
