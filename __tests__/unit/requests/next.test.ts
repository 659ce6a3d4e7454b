import { describe, expect, test } from '@jest/globals';
import type { Card } from '../../../src/requests/card.ts';
import { type Ask, next, type Plan, type Seen, type Step } from '../../../src/requests/next.ts';
import type { Job } from '../../../src/service/schemas.ts';
import { active, card, completed, found, is, jobIn } from '../../support/samples/cards.ts';

/* Every next step of a run, which depends on its card, on what it has read, and on the request. */

const nowMs = 30_000;
const asking = (ask: Partial<Ask> = {}, context?: Plan['context']): Plan => ({
  ask: { prompt: 'Add a quickstart.', jobId: undefined, continues: 'thread', wait: true, ...ask },
  context,
});
const unread = async () => Promise.reject(new Error('Nothing should be read'));
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

/** The run has read the thread, which contains these cards. */
const read = (...cards: Seen['cards'] & object): Seen => ({ cards });
const at = (jobId: string, job?: Job): Seen => ({ ...read(withJob), target: { jobId, job } });

/** A short description of a step. */
function brief(step: Step): string {
  switch (step.do) {
    case 'check the target':
      return `look at ${step.jobId ?? 'an open job'}`;
    case 'check the job':
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

describe('before anything is sent', () => {
  const mine = { comment: { id: 41, url: '' }, state: is.claimed(60_000) };
  const stopped: Partial<Card> = { stop: { outcome: 'skipped', reason: 'no-base' } };
  const none = { ...read(), target: { jobId: undefined, job: undefined } };
  const made = (jobId: string, job?: Job): Seen => ({ ...read(), target: { jobId, job } });
  const notMaker = (why: string) => `create: This pull request’s job \`job_0001\` ${why}; this is a new job.`;
  const notFound =
    'create: We found no request here that led to this pull request (it may have been requested in another repository or with a different API key); this is a new job.';
  const instead = (why: string) => `create: The thread’s job \`job_0001\` ${why}; this is a new job.`;
  const rows: Row[] = [
    ['a push reads the thread that it merged', { thread: undefined }, {}, 'read the thread', ofPush],
    ['the thread is read first', {}, {}, 'read the thread'],
    ['then the context is read', {}, read(), 'read the context', ofChange],
    ['the context is read only once', {}, { ...read(), context: null }, 'claim', ofChange],
    ['then the claim is written', {}, read(), 'claim'],
    ['a claim is written to attach, too', { ask: 'attach' }, read(), 'claim', attach],
    ['a claim is written without a thread, too', { thread: undefined }, {}, 'claim'],
    ['a claim is written to start over, too', { attempt: 2 }, { ...read(), startsOver: true }, 'claim'],
    ['the run has stopped', stopped, {}, 'end'],

    ['a thread without a job gets one', mine, read(), 'create'],
    ['an earlier command has no job yet', mine, read(earlier), 'wait for 25'],
    ['the run doesn’t wait forever', mine, { ...read(earlier), looksAtEarlier: 4 }, 'create'],
    ['the thread’s job is checked', mine, read(withJob), 'look at job_0001'],
    ['the job gets the message', mine, at('job_0001', completed), 'message completed'],
    ['the job gets it even if it failed', mine, at('job_0001', failed), 'message failed'],
    ['an archived job is replaced', mine, at('job_0001', archived), instead('is archived')],
    ['a missing job is replaced', mine, at('job_0001'), instead('no longer exists')],
    ['the checked job is not the newest one', mine, at('job_0002', active), 'look at job_0001'],
    ['--new creates a new job', mine, read(withJob), 'create', fresh],
    ['a retry creates a new job', mine, { ...read(withJob), startsOver: true }, 'create'],
    ['the job of the agent’s pull request is searched for', mine, read(), 'look at an open job', onPull],
    ['that job gets the message', mine, made('job_0001', completed), 'message completed', onPull],
    ['that job is replaced if archived', mine, made('job_0001', archived), notMaker('is archived'), onPull],
    ['that job is replaced if it is missing', mine, made('job_0001'), notMaker('no longer exists'), onPull],
    ['no job opened the pull request', mine, none, notFound, onPull],
    ['the thread’s own job comes first', mine, read(withJob), 'look at job_0001', onPull],
    ['a job from the inputs is checked', mine, read(), 'look at job_0009', toJob],
    ['a job from the inputs gets the message', mine, at('job_0009', archived), 'message archived', toJob],
    ['a job from the inputs is followed', mine, at('job_0009', active), 'attach active', attach],
    ['a series searches for an open job', mine, read(withJob), 'look at an open job', series],
    ['a series without an open job creates one', mine, none, 'create', series],
    ['a series sends the message to the open job', mine, at('job_0001', active), 'message active', series],
  ];
  test.each(rows)('%s', expectStep);
});

describe('once something may have been sent', () => {
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
  const startOver = (how: string) =>
    `start over: The previous run ended with job \`job_0001\` (${how}); this is a new job.`;
  const rows: Row[] = [
    ['a request without a response ends the run', { state: is.sent(60_000) }, read(), 'end'],
    ['an unconfirmed request ends the run', unknown, takenOver(unknown), 'end'],
    ['an unconfirmed request ends a later attempt, too', again(unknown), takenOver(unknown), 'end'],
    ['an answer ends the run', { state: is.ended('answered') }, read(), 'end'],
    ['a new job is followed', begun, looked, 'watch active, which is news'],
    ['a new job is left running without `wait`', begun, looked, 'leave', noWait],
    ['a job that has already ended is read without `wait`, too', over, looked, 'watch completed', noWait],
    ['a result that may be from before the message is not read', stale, looked, 'leave', noWait],
    ['a job with such a result is followed', stale, looked, 'watch completed, which is news'],
    ['a job from another process is checked', begun, unlooked(begun), 'check the job, which must exist'],
    ['in a later attempt, the job may be missing', again(begun), unlooked(begun), 'check the job'],
    ['a checked job is followed', begun, takenOver(begun), 'watch active, which is news'],
    ['a job that works again is followed without a new comment text', begun, takenOver(done), 'watch active'],
    ['the pull request is checked', done, takenOver(begun), 'check the pull request'],
    ['the pull request is checked only once', done, { ...takenOver(begun), isPullChecked: true }, 'end'],
    ['a result without a pull request ends the run', none, takenOver(begun), 'end'],
    ['a failure ends the run in the same attempt', fell, takenOver(fell), 'end'],
    ['a later attempt starts over after a failure', again(fell), takenOver(fell), startOver('failed')],
    ['a later attempt starts over if the job is gone', again(lost), takenOver(lost), startOver('gone')],
    ['a later attempt replaces an archived job', again(stored), takenOver(stored), startOver('archived')],
    ['a job from the inputs starts over without a note', again(fell), takenOver(fell), 'start over', attach],
    ['a later attempt checks the job first', again(fell), unlooked(fell), 'check the job'],
    ['a failure of the attempt’s own job ends the run', again(fell), looked, 'end'],
  ];
  test.each(rows)('%s', expectStep);
});
