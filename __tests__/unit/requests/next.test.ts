import { describe, expect, test } from '@jest/globals';
import type { Card } from '../../../src/requests/card/card.ts';
import { type Ask, type Known, next, type Plan, type Step } from '../../../src/requests/run/next.ts';
import type { Job } from '../../../src/service/schemas.ts';
import { active, card, completed, found, is, jobIn } from '../../support/samples/cards.ts';

/* Every next step of a run, which depends on its card, on what it has read, and on the request. */

const nowMs = 30_000;
const asking = (ask: Partial<Ask> = {}, context?: Plan['context']): Plan => ({
  ask: { prompt: 'Add a quickstart.', jobId: undefined, continues: 'thread', wait: true, ...ask },
  context,
  cap: undefined,
});
const unread = async () => Promise.reject(new Error('Nothing should be read'));
const command = asking();
const ofPush = asking({}, { findThread: unread, read: unread });
const ofChange = asking({}, { findThread: undefined, read: unread });
const fresh = asking({ continues: 'never' });
const series = asking({ continues: 'repository' });
const toJob = asking({ continues: 'never', jobId: 'job_0009' });
const attach = asking({ continues: 'never', jobId: 'job_0009', prompt: undefined });
const onPull = { ...command, pullRequest: { url: completed.prLink ?? '', createdAtMs: 0, isClosed: false } };
const noWait = asking({ wait: false });

const [failed, archived] = [jobIn('failed'), jobIn('archived')];
const withJob = found(20, { key: 'comment:19', state: is.ended('pr', completed) });
const earlier = found(25, { key: 'comment:24', state: is.claimed(nowMs) }, { unbound: true });

/** The run has read the thread, which contains these cards. */
const read = (...cards: Known['cards'] & object): Known => ({ cards });
const at = (jobId: string, job?: Job): Known => ({ ...read(withJob), recipient: { jobId, job } });

/** A short description of a step. */
function brief(step: Step): string {
  switch (step.do) {
    case 'find the recipient':
      return `look for ${step.jobId ?? 'an open job'}`;
    case 'attach':
      return `attach ${step.job.status}`;
    case 'ask':
      return `${step.job === undefined ? 'create' : `message ${step.job.status}`}${step.whyNew === undefined ? '' : `: ${step.whyNew}`}`;
    case 'watch':
      return `watch ${step.job.status}${step.isNews ? ', which is news' : ''}`;
    case 'start over':
      return step.whyNew === undefined ? step.do : `${step.do}: ${step.whyNew}`;
    case 'wait for an earlier command':
      return `wait for ${step.earlier.comment.id}`;
    default:
      return step.do;
  }
}

type Row = [what: string, card: Partial<Card>, known: Known, step: string, plan?: Plan];

function expectStep(...[, patch, known, step, plan = command]: Row): void {
  expect(brief(next({ card: card(patch), known }, plan, nowMs))).toBe(step);
}

describe('before anything is sent', () => {
  const mine = { comment: { id: 41, url: '' }, state: is.claimed(60_000) };
  const stopped: Partial<Card> = { stop: { outcome: 'skipped', reason: 'no-base' } };
  const none = { ...read(), recipient: { jobId: undefined, job: undefined } };
  const made = (jobId: string, job?: Job): Known => ({ ...read(), recipient: { jobId, job } });
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
    ['the run doesn’t wait forever', mine, { ...read(earlier), waits: 4 }, 'create'],
    ['the thread’s job is checked', mine, read(withJob), 'look for job_0001'],
    ['the job gets the message', mine, at('job_0001', completed), 'message completed'],
    ['the job gets it even if it failed', mine, at('job_0001', failed), 'message failed'],
    ['an archived job is replaced', mine, at('job_0001', archived), instead('is archived')],
    ['a missing job is replaced', mine, at('job_0001'), instead('no longer exists')],
    ['the checked job is not the newest one', mine, at('job_0002', active), 'look for job_0001'],
    ['--new creates a new job', mine, read(withJob), 'create', fresh],
    ['a retry creates a new job', mine, { ...read(withJob), startsOver: true }, 'create'],
    ['the job of the agent’s pull request is searched for', mine, read(), 'look for an open job', onPull],
    ['that job gets the message', mine, made('job_0001', completed), 'message completed', onPull],
    ['that job is replaced if archived', mine, made('job_0001', archived), notMaker('is archived'), onPull],
    ['that job is replaced if it is missing', mine, made('job_0001'), notMaker('no longer exists'), onPull],
    ['no job opened the pull request', mine, none, notFound, onPull],
    ['the thread’s own job comes first', mine, read(withJob), 'look for job_0001', onPull],
    ['a job from the inputs is checked', mine, read(), 'look for job_0009', toJob],
    ['a job from the inputs gets the message', mine, at('job_0009', archived), 'message archived', toJob],
    ['a job from the inputs is followed', mine, at('job_0009', active), 'attach active', attach],
    ['a series searches for an open job', mine, read(withJob), 'look for an open job', series],
    ['a series without an open job creates one', mine, none, 'create', series],
    ['a series sends the message to the open job', mine, at('job_0001', active), 'message active', series],
  ];
  test.each(rows)('%s', expectStep);
});

describe('once something may have been sent', () => {
  const takenOver = (patch: Partial<Card>): Known => ({ ...read(), takenOver: card(patch), isChecked: true });
  const unchecked = (patch: Partial<Card>): Known => ({ ...takenOver(patch), isChecked: false });
  const again = (patch: Partial<Card>) => ({ ...patch, attempt: 2 });
  const unknown = { state: is.ended('unconfirmed') };
  const begun = { state: is.working(active) };
  const over = { state: is.working(completed) };
  const stale = { state: is.working(completed, { before: completed }) };
  const done = { state: is.ended('pr', completed) };
  const none = { state: is.ended('none', jobIn('completed')) };
  const [fell, lost] = [{ state: is.ended('failed', failed) }, { state: is.ended('gone', active) }];
  const stored = { state: is.ended('archived', archived) };
  const checked = { ...read(), isChecked: true };
  const startOver = (how: string) =>
    `start over: The previous run’s job, \`job_0001\`, has ended (${how}); this is a new job.`;
  const rows: Row[] = [
    ['a request without a response ends the run', { state: is.sent(60_000) }, read(), 'end'],
    ['an unconfirmed request ends the run', unknown, takenOver(unknown), 'end'],
    ['an unconfirmed request ends a later attempt, too', again(unknown), takenOver(unknown), 'end'],
    ['an answer ends the run', { state: is.ended('answered') }, read(), 'end'],
    ['a new job is followed', begun, checked, 'watch active, which is news'],
    ['a new job is left running without `wait`', begun, checked, 'leave', noWait],
    ['a job that has already ended is read without `wait`, too', over, checked, 'watch completed', noWait],
    ['a result that may be from before the message is not read', stale, checked, 'leave', noWait],
    ['a job with such a result is followed', stale, checked, 'watch completed, which is news'],
    ['a job from another process is checked', begun, unchecked(begun), 'check the job'],
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
    ['a later attempt checks the job first', again(fell), unchecked(fell), 'check the job'],
    ['a failure of the attempt’s own job ends the run', again(fell), checked, 'end'],
  ];
  test.each(rows)('%s', expectStep);
});
