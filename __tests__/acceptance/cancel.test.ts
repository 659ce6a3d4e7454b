import { expect, test } from '@jest/globals';
import { inParallel, printTable } from '../support/cases.ts';
import { type CancelCase, type CancelEnd, playCancel } from '../support/interrupted/cancel.ts';
import { isFor, routes } from '../support/routes.ts';

/*
 * A run is cancelled as GitHub cancels it, in real time: it is over within 5 s of SIGINT by itself, and what it leaves in
 * the thread, the outputs and the summary is true, after main, and after post where main was kept from it.
 */

const mostMs = 5_000;
const atOnce = 4;
const timeoutMs = 120_000;

const {
  lookUpPermission: permission,
  react: reaction,
  readThread: thread,
  writeComment: claim,
  createJob: create,
  editComment: marker,
  getJob: look,
} = routes;

const nothingAsked = { comments: 'one', ends: ['failed (cancelled)'] } as const;
const jobGoesOn = { comments: 'one', ends: ['detached (cancelled)'] } as const;
const unknowable = { comments: 'one', ends: ['failed (unconfirmed)'] } as const;
/** The signal may come a moment late: then the job was asked for already, on its way or done. */
const justBefore = { comments: 'one', ends: [...nothingAsked.ends, ...jobGoesOn.ends] } as const;
const notLetIn = { comments: 'at most one', ends: ['failed (cancelled)'] } as const;

const points: readonly CancelCase[] = [
  { name: 'while the permission is looked up', at: permission, phase: 'arrived', ...notLetIn },
  { name: 'while 👀 is given', at: reaction, phase: 'handled', ...nothingAsked },
  { name: 'while the thread is read', at: thread, phase: 'arrived', ...nothingAsked },
  { name: 'while the claim is written', at: claim, phase: 'arrived', ...nothingAsked },
  { name: 'when the claim is written and not answered', at: claim, phase: 'handled', ...justBefore },
  { name: 'while the claim is looked for', at: thread, nth: 2, phase: 'arrived', ...justBefore },
  { name: 'while it is looked for once more', at: thread, nth: 3, phase: 'arrived', ...justBefore },
  { name: 'while the job is asked for', at: create, phase: 'arrived', ...jobGoesOn },
  { name: 'when there is a job and no answer', at: create, phase: 'handled', ...jobGoesOn },
  { name: 'while the marker gets the job', at: marker, phase: 'arrived', ...jobGoesOn },
  { name: 'when the marker has the job', at: marker, phase: 'handled', ...jobGoesOn },
  { name: 'between two looks', at: marker, phase: 'handled', laterMs: 500, ...jobGoesOn },
  { name: 'while the job is looked at', at: look, phase: 'arrived', ...jobGoesOn },
];

const hanging: readonly CancelCase[] = [
  {
    name: 'GitHub hangs at the thread',
    at: thread,
    phase: 'arrived',
    hanging: ['github'],
    ...nothingAsked,
  },
  { name: 'GitHub hangs at the claim', at: claim, phase: 'arrived', hanging: ['github'], ...nothingAsked },
  { name: 'GitHub hangs after the claim', at: claim, phase: 'handled', hanging: ['github'], ...nothingAsked },
  { name: 'GitHub hangs at the marker', at: marker, phase: 'arrived', hanging: ['github'], ...jobGoesOn },
  { name: 'the service hangs at the job', at: create, phase: 'arrived', hanging: ['service'], ...unknowable },
  {
    name: 'the service hangs after the job',
    at: create,
    phase: 'handled',
    hanging: ['service'],
    ...unknowable,
  },
  { name: 'the service hangs at a look', at: look, phase: 'arrived', hanging: ['service'], ...jobGoesOn },
  { name: 'both hang', at: create, phase: 'handled', hanging: ['github', 'service'], ...unknowable },
];

const waits: readonly CancelCase[] = [
  {
    name: 'while a Retry-After of the service is waited for',
    prepare: ({ service }) =>
      service.fail({ on: ['create'], status: 429, headers: { 'retry-after': '45' }, times: 1 }),
    at: create,
    phase: 'handled',
    laterMs: 500,
    ...nothingAsked,
  },
  {
    name: 'while a secondary limit of GitHub is waited out',
    prepare: ({ github }) => github.limits.secondary({ retryAfterSeconds: 60, when: isFor(claim) }),
    at: claim,
    phase: 'handled',
    laterMs: 500,
    ...nothingAsked,
  },
  { name: 'by SIGTERM alone', at: look, phase: 'arrived', by: 'SIGTERM', ...jobGoesOn },
];

function table(title: string, ended: readonly CancelEnd[]): void {
  const rows = ended.map(({ name, end, jobs, cancelledForMs, problems }) => [
    name,
    end,
    jobs,
    `${(cancelledForMs / 1000).toFixed(1)} s`,
    problems.length,
  ]);
  printTable(title, [['cancelled', 'end', 'jobs', 'over after', 'untrue'], ...rows]);
}

function expectAllWell(cases: readonly CancelCase[], ended: readonly CancelEnd[]): void {
  const wrong = ended.filter(
    ({ end, exitCode, jobs, problems }, index) =>
      !cases[index]?.ends.includes(end) || exitCode !== 0 || jobs > 1 || problems.length > 0,
  );
  expect(wrong).toEqual([]);
  expect(ended.filter(({ cancelledForMs }) => !(cancelledForMs < mostMs))).toEqual([]);
  expect(ended).toHaveLength(cases.length);
}

test(
  'cancelled at every point of a run',
  async () => {
    const ended = await inParallel(points, atOnce, playCancel);
    table('Cancelled, everything else at its best', ended);
    expectAllWell(points, ended);
  },
  timeoutMs,
);

test(
  'cancelled while GitHub or the service hangs',
  async () => {
    const ended = await inParallel(hanging, atOnce, playCancel);
    table('Cancelled, and somebody hangs', ended);
    expectAllWell(hanging, ended);
  },
  timeoutMs,
);

test(
  'cancelled while it waits to be let in again, and by SIGTERM',
  async () => {
    const ended = await inParallel(waits, atOnce, playCancel);
    table('Cancelled while waiting', ended);
    expectAllWell(waits, ended);
  },
  timeoutMs,
);

const isReady = { comments: 'one', ends: ['pr-created (pull-request)'] } as const;
const shortJob: CancelCase['prepare'] = ({ service }) => service.script({ activeMs: 1_000 });
const atItsEnd: readonly CancelCase[] = [
  {
    name: 'while GitHub hangs at the last edit',
    prepare: shortJob,
    at: marker,
    nth: 2,
    phase: 'arrived',
    hanging: ['github'],
    ...isReady,
  },
  {
    name: 'while GitHub hangs at the last reaction',
    prepare: shortJob,
    at: reaction,
    nth: 2,
    phase: 'arrived',
    hanging: ['github'],
    ...isReady,
  },
];

test(
  'cancelled while it tells its end',
  async () => {
    const ended = await inParallel(atItsEnd, atOnce, playCancel);
    table('Cancelled at its end', ended);
    expectAllWell(atItsEnd, ended);
  },
  timeoutMs,
);

test(
  'killed for good in the middle of its end, and finished by post',
  async () => {
    const cancelTimes = { sigtermAfterMs: 100, sigkillAfterMs: 100 };
    const cases: readonly CancelCase[] = [
      {
        name: 'killed while watching',
        at: look,
        phase: 'arrived',
        hanging: ['github'],
        cancelTimes,
        ...jobGoesOn,
      },
      {
        name: 'killed while asking',
        at: create,
        phase: 'handled',
        hanging: ['service'],
        cancelTimes,
        ...unknowable,
      },
    ];
    const ended = await inParallel(cases, atOnce, playCancel);
    table('Killed by the runner', ended);
    expect(ended.map(({ signal, problems, jobs }) => ({ signal, problems, jobs }))).toEqual(
      cases.map(() => ({ signal: 'SIGKILL', problems: [], jobs: 1 })),
    );
  },
  timeoutMs,
);
