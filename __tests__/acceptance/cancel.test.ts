import { expect, test } from '@jest/globals';
import { inParallel } from '../support/cases.ts';
import { type CancelCase, playCancel } from '../support/mishaps/cancelled-command.ts';
import { routes } from '../support/routes.ts';

/*
 * A run is cancelled as GitHub cancels it, in real time: it is over within 5 s of SIGINT by itself, and what it leaves in the
 * thread, the outputs and the summary is true, after main, and after post where main was kept from it. `scenario/threads`
 * cancels generated runs at any of their requests.
 */

const mostMs = 5_000;
const atOnce = 5;
const timeoutMs = 120_000;

const { react, writeComment: claim } = routes;
const { createJob: create, editComment: edit, getJob: look } = routes;

const nothingAsked = { comments: 'one', ends: ['failed (cancelled)'] } as const;
const jobGoesOn = { comments: 'one', ends: ['detached (cancelled)'] } as const;
const unknowable = { comments: 'one', ends: ['failed (unconfirmed)'] } as const;
const isReady = { comments: 'one', ends: ['pr-created (pull-request)'] } as const;

const cases: readonly CancelCase[] = [
  { name: 'while the claim is written', at: claim, phase: 'arrived', ...nothingAsked },
  { name: 'when there is a job and no answer', at: create, phase: 'handled', ...jobGoesOn },
  { name: 'between two looks', at: edit, phase: 'handled', laterMs: 500, ...jobGoesOn },
  { name: 'GitHub hangs at the claim', at: claim, phase: 'handled', hanging: ['github'], ...nothingAsked },
  { name: 'the service hangs', at: create, phase: 'handled', hanging: ['service'], ...unknowable },
  { name: 'both hang', at: create, phase: 'handled', hanging: ['github', 'service'], ...unknowable },
  {
    name: 'while a Retry-After is waited for',
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
    ...isReady,
  },
];

const cancelTimes = { sigtermAfterMs: 100, sigkillAfterMs: 100 };
const killed: readonly CancelCase[] = [
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

test(
  'cancelled at the points of a run, also while GitHub or the service hangs',
  async () => {
    const ended = await inParallel(cases, atOnce, playCancel);
    const wrong = ended.filter(
      ({ end, exitCode, jobs, cancelledForMs, problems }, index) =>
        !cases[index]?.ends.includes(end) ||
        exitCode !== 0 ||
        jobs > 1 ||
        !(cancelledForMs < mostMs) ||
        problems.length > 0,
    );
    expect(wrong).toEqual([]);
  },
  timeoutMs,
);

test(
  'killed for good in the middle of its end, and finished by post',
  async () => {
    const ended = await inParallel(killed, atOnce, playCancel);
    expect(ended.map(({ signal, problems, jobs }) => ({ signal, problems, jobs }))).toEqual(
      killed.map(() => ({ signal: 'SIGKILL', problems: [], jobs: 1 })),
    );
  },
  timeoutMs,
);
