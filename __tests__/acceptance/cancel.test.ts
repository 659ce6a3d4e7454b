import { expect, test } from '@jest/globals';
import { inParallel } from '../support/cases.ts';
import { agentSubject } from '../support/mishaps/agent.ts';
import { type CancelCase, playCancelled } from '../support/mishaps/cancelled.ts';
import { routes } from '../support/routes.ts';
import { simpleCommand } from '../support/scenarios/agent.ts';

/*
 * A run is canceled as GitHub does it, in real time. It ends by itself within 5 s of SIGINT, and everything it leaves in the
 * thread, the outputs and the summary is true, after main, or after post if main couldn't finish. `scenario/threads` cancels
 * generated runs at any of their requests.
 */

const command = agentSubject(simpleCommand);
const mostMs = 5_000;
const atOnce = 5;
const timeoutMs = 120_000;

const { react, writeComment: claim } = routes;
const { createJob: create, editComment: edit, getJob: look } = routes;

const [nothingAsked, jobGoesOn, unknowable] = [
  { ends: 'failed (cancelled)' },
  { ends: 'detached (cancelled)' },
  { ends: 'failed (unconfirmed)' },
];

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
    ends: 'pr-created (pull-request)',
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
    const ended = await inParallel(cases, atOnce, (one) => playCancelled(command, one));
    expect(ended).toMatchObject(cases.map(({ ends: end }) => ({ end, exitCode: 0, problems: [] })));
    expect(ended.filter(({ cancelledForMs }) => !(cancelledForMs < mostMs))).toEqual([]);
  },
  timeoutMs,
);

test(
  'killed for good in the middle of its end, and finished by post',
  async () => {
    const ended = await inParallel(killed, atOnce, (one) => playCancelled(command, one));
    expect(ended).toMatchObject(killed.map(() => ({ signal: 'SIGKILL', problems: [] })));
  },
  timeoutMs,
);
