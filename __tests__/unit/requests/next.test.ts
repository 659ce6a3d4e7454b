import { describe, expect, test } from '@jest/globals';
import type { Card } from '../../../src/requests/card.ts';
import { type Ask, next, type Plan, type Seen, type Step } from '../../../src/requests/next.ts';
import type { Job } from '../../../src/service/schemas.ts';
import { active, card, completed, found, is, jobIn } from '../../support/samples/cards.ts';

/* The whole table of what a run does next: what its card says, what it has seen, the one step, and what it was asked. */

const nowMs = 30_000;
const asking = (ask: Partial<Ask> = {}, context?: Plan['context']): Plan => ({
  ask: { prompt: 'Add a quickstart.', jobId: undefined, continues: 'thread', wait: true, ...ask },
  context,
});
const unread = async () => Promise.reject(new Error('Nothing is read here'));
const command = asking();
const ofPush = asking({}, { findThread: unread, read: unread });
const ofChange = asking({}, { findThread: undefined, read: unread });
const fresh = asking({ continues: 'never' });
const series = asking({ continues: 'repository' });
const toJob = asking({ continues: 'never', jobId: 'job_0009' });
const attach = asking({ continues: 'never', jobId: 'job_0009', prompt: undefined });
const onPull = { ...command, pullRequest: { url: completed.prLink ?? '', createdAtMs: 0 } };
const noWait = asking({ wait: false });

const [failed, archived] = [jobIn('failed'), jobIn('archived')];
const withJob = found(20, { key: 'comment:19', state: is.ended('pr', completed) });
const earlier = found(25, { key: 'comment:24', state: is.claimed(nowMs) }, { unbound: true });

/** The thread was read, with these cards. */
const read = (...cards: Seen['cards'] & object): Seen => ({ cards });
const at = (jobId: string, job?: Job): Seen => ({ ...read(withJob), target: { jobId, job } });

/** A step in a few words, with the relevant parts of its object. */
function brief(step: Step): string {
  switch (step.do) {
    case 'look at the target':
      return `look at ${step.jobId ?? 'an open job'}`;
    case 'look at the job':
      return `${step.do}${step.mustExist ? ', which must exist' : ''}`;
    case 'attach':
      return `attach ${step.job.status}`;
    case 'ask':
      return `${step.job === undefined ? 'create' : `message ${step.job.status}`}${step.note === undefined ? '' : `: ${step.note}`}`;
    case 'watch':
      return `watch ${step.job.status}${step.isNews ? ', which is news' : ''}`;
    case 'start over':
      return step.note === undefined ? step.do : `${step.do}: ${step.note}`;
    case 'wait for an earlier command':
      return `wait for ${step.earlier.comment.id}`;
    default:
      return step.do;
  }
}

type Row = [what: string, card: Partial<Card>, seen: Seen, step: string, plan?: Plan];

function expectStep(...[, patch, seen, step, plan = command]: Row): void {
  expect(brief(next({ card: card(patch), seen }, plan, nowMs))).toBe(step);
}

describe('before anything is asked', () => {
  const mine = { comment: { id: 41, url: '' }, state: is.claimed(60_000) };
  const stopped: Partial<Card> = { stop: { outcome: 'skipped', reason: 'no-base' } };
  const none = { ...read(), target: { jobId: undefined, job: undefined } };
  const made = (jobId: string, job?: Job): Seen => ({ ...read(), target: { jobId, job } });
  const notMaker = (why: string) => `create: This pull request’s job \`job_0001\` ${why}; this is a new job.`;
  const notFound =
    'create: We found no request here that led to this pull request (it may have been requested in another repository or with a different API key); this is a new job.';
  const instead = (why: string) => `create: The thread’s job \`job_0001\` ${why}; this is a new job.`;
  const rows: Row[] = [
    ['a push has the thread that it merged', { thread: undefined }, {}, 'read the thread', ofPush],
    ['the thread comes first', {}, {}, 'read the thread'],
    ['then what the prompt is about', {}, read(), 'read the context', ofChange],
    ['once', {}, { ...read(), context: null }, 'claim', ofChange],
    ['then the claim', {}, read(), 'claim'],
    ['also to attach', { ask: 'attach' }, read(), 'claim', attach],
    ['also without a thread', { thread: undefined }, {}, 'claim'],
    ['also to ask anew', { attempt: 2 }, { ...read(), startsOver: true }, 'claim'],
    ['the run has stopped', stopped, {}, 'end'],

    ['a thread without a job gets one', mine, read(), 'create'],
    ['an earlier command is about to get its job', mine, read(earlier), 'wait for 25'],
    ['but not forever', mine, { ...read(earlier), looksAtEarlier: 4 }, 'create'],
    ['the thread’s job is looked at', mine, read(withJob), 'look at job_0001'],
    ['and gets the message', mine, at('job_0001', completed), 'message completed'],
    ['even if it failed', mine, at('job_0001', failed), 'message failed'],
    ['not if it is archived', mine, at('job_0001', archived), instead('is archived')],
    ['nor if it is gone', mine, at('job_0001'), instead('no longer exists')],
    ['a target that was another job', mine, at('job_0002', active), 'look at job_0001'],
    ['--new asks for a new job', mine, read(withJob), 'create', fresh],
    ['as does a retry', mine, { ...read(withJob), startsOver: true }, 'create'],
    ['on the agent’s pull request, its job is looked for', mine, read(), 'look at an open job', onPull],
    ['and gets the message', mine, made('job_0001', completed), 'message completed', onPull],
    ['not if it is archived', mine, made('job_0001', archived), notMaker('is archived'), onPull],
    ['nor if it is gone', mine, made('job_0001'), notMaker('no longer exists'), onPull],
    ['nor if none made it', mine, none, notFound, onPull],
    ['the thread’s own job comes first', mine, read(withJob), 'look at job_0001', onPull],
    ['a job of the inputs', mine, read(), 'look at job_0009', toJob],
    ['gets the message', mine, at('job_0009', archived), 'message archived', toJob],
    ['or is followed', mine, at('job_0009', active), 'attach active', attach],
    ['a series looks for an open job', mine, read(withJob), 'look at an open job', series],
    ['and without one creates it', mine, none, 'create', series],
    ['or sends it the message', mine, at('job_0001', active), 'message active', series],
  ];
  test.each(rows)('%s', expectStep);
});

describe('once something may have been asked', () => {
  const takenOver = (patch: Partial<Card>): Seen => ({ ...read(), takenOver: card(patch), isChecked: true });
  const unlooked = (patch: Partial<Card>): Seen => ({ ...takenOver(patch), isChecked: false });
  const again = (patch: Partial<Card>) => ({ ...patch, attempt: 2 });
  const unknown = { state: is.ended('unconfirmed') };
  const begun = { state: is.working(active) };
  const over = { state: is.working(completed) };
  const stale = { state: is.working(completed, { before: completed }) };
  const done = { state: is.ended('pr', completed) };
  const none = { state: is.ended('none', jobIn('completed')) };
  const [fell, lost] = [{ state: is.ended('failed', failed) }, { state: is.ended('gone', active) }];
  const stored = { state: is.ended('archived', archived) };
  const looked = { ...read(), isChecked: true };
  const anew = (how: string) =>
    `start over: The previous run ended with job \`job_0001\` (${how}); this is a new job.`;
  const rows: Row[] = [
    ['a request without an answer ends the run', { state: is.sent(60_000) }, read(), 'end'],
    ['so does one that nobody can know of', unknown, takenOver(unknown), 'end'],
    ['also in a later attempt', again(unknown), takenOver(unknown), 'end'],
    ['an answer is the end', { state: is.ended('answered') }, read(), 'end'],
    ['a new job is followed', begun, looked, 'watch active, which is news'],
    ['unless the run does not wait', begun, looked, 'leave', noWait],
    ['one that has ended already is read at once', over, looked, 'watch completed', noWait],
    ['not if it may be from before the message', stale, looked, 'leave', noWait],
    ['or is followed like any other', stale, looked, 'watch completed, which is news'],
    ['a job that is taken over', begun, unlooked(begun), 'look at the job, which must exist'],
    ['in a later attempt it may be gone', again(begun), unlooked(begun), 'look at the job'],
    ['then it is followed', begun, takenOver(begun), 'watch active, which is news'],
    ['an end in the thread stays there while its job is at work', begun, takenOver(done), 'watch active'],
    [
      'of a pull request, it is looked at what became of it',
      done,
      takenOver(begun),
      'look at the pull request',
    ],
    ['once', done, { ...takenOver(begun), isPullChecked: true }, 'end'],
    ['an end without one is the end', none, takenOver(begun), 'end'],
    ['a failure too, in the same attempt', fell, takenOver(fell), 'end'],
    ['a later attempt asks anew', again(fell), takenOver(fell), anew('failed')],
    ['also when the job is gone', again(lost), takenOver(lost), anew('gone')],
    ['or archived', again(stored), takenOver(stored), anew('archived')],
    ['without a note for a job of the inputs', again(fell), takenOver(fell), 'start over', attach],
    ['not before it has looked', again(fell), unlooked(fell), 'look at the job'],
    ['nor when its own job failed', again(fell), looked, 'end'],
  ];
  test.each(rows)('%s', expectStep);
});
