import { describe, expect, test } from '@jest/globals';
import type { Ask } from '../../../src/requests/ask.ts';
import type { Card } from '../../../src/requests/card.ts';
import { next, type Seen, type Step } from '../../../src/requests/next.ts';
import { active, card, completed, found, is, jobIn } from '../../support/samples/cards.ts';

/* The whole table of what a run does next: what its card says, what it has seen, what it was asked, and the one step. */

const nowMs = 30_000;
const command: Ask = {
  prompt: 'Add a quickstart.',
  jobId: undefined,
  continues: 'thread',
  wait: true,
  findsThread: false,
  readsContext: false,
};
const fresh: Ask = { ...command, continues: 'nowhere' };
const series: Ask = { ...command, continues: 'repository' };
const toJob: Ask = { ...fresh, jobId: 'job_0009' };
const attach: Ask = { ...toJob, prompt: undefined };
const noWait: Ask = { ...command, wait: false };

const [failed, archived] = [jobIn('failed'), jobIn('archived')];
const withJob = found(20, { key: 'comment:19', state: is.ended('pr', completed) });
const earlier = found(25, { key: 'comment:24', state: is.claimed(nowMs) }, { unbound: true });

/** The thread was read, with these cards. */
const read = (...cards: Seen['cards'] & object): Seen => ({ cards });
const target = (job: Seen['target'] & object): Seen => ({ ...read(withJob), target: job });
const look = (jobId: string, mustExist: boolean): Step => ({ do: 'look at the target', jobId, mustExist });
const create = (note?: string): Step => ({ do: 'create', note });
const message = (job: typeof active): Step => ({ do: 'message', job });
const anew = (note?: string): Step => ({ do: 'start anew', note });

type Row = [what: string, card: Partial<Card>, seen: Seen, ask: Ask, step: Step | Step['do']];

function expectStep(...[, patch, seen, ask, step]: Row): void {
  expect(next({ card: card(patch), seen }, ask, nowMs)).toEqual(
    typeof step === 'string' ? { do: step } : step,
  );
}

describe('before anything is asked', () => {
  const mine = { comment: { id: 41, url: '' }, state: is.claimed(60_000) };
  const rows: Row[] = [
    ['a push finds its thread first', {}, {}, { ...command, findsThread: true }, 'find the thread'],
    ['and then reads it', {}, { isThreadFound: true }, { ...command, findsThread: true }, 'read the thread'],
    ['the thread comes first', {}, {}, command, 'read the thread'],
    ['then what the prompt is about', {}, read(), { ...command, readsContext: true }, 'read the context'],
    ['once', {}, { ...read(), context: null }, { ...command, readsContext: true }, 'claim'],
    ['then the claim', {}, read(), command, 'claim'],
    ['which attaching takes as well', { ask: 'attach' }, read(), attach, 'claim'],
    ['and a run without a thread', { thread: undefined }, {}, command, 'claim'],
    ['another process is busy', {}, { ...read(), isElsewhere: true }, command, 'end'],
    ['another process won the claim', mine, { ...read(), isElsewhere: true }, command, 'end'],
    ['the run has stopped', { stop: { outcome: 'skipped', reason: 'no-base' } }, {}, command, 'end'],

    ['a thread without a job gets one', mine, read(), command, create()],
    [
      'an earlier command is about to get its job',
      mine,
      read(earlier),
      command,
      { do: 'wait for an earlier command', earlier },
    ],
    ['but not forever', mine, { ...read(earlier), looksAtEarlier: 4 }, command, create()],
    ['the thread’s job is looked at', mine, read(withJob), command, look('job_0001', false)],
    [
      'and gets the message',
      mine,
      target({ jobId: 'job_0001', job: completed }),
      command,
      message(completed),
    ],
    ['even if it failed', mine, target({ jobId: 'job_0001', job: failed }), command, message(failed)],
    [
      'not if it is archived',
      mine,
      target({ jobId: 'job_0001', job: archived }),
      command,
      create('The thread’s job `job_0001` is archived; this is a new job.'),
    ],
    [
      'nor if it is gone',
      mine,
      target({ jobId: 'job_0001', job: undefined }),
      command,
      create('The thread’s job `job_0001` is no longer there; this is a new job.'),
    ],
    [
      'a target that was another job',
      mine,
      target({ jobId: 'x', job: active }),
      command,
      look('job_0001', false),
    ],
    ['--new asks for a new job', mine, read(withJob), fresh, create()],
    ['as does a retry', mine, { ...read(withJob), startsAnew: true }, command, create()],
    ['a job of the inputs must exist', mine, read(), toJob, look('job_0009', true)],
    ['it gets the message', mine, target({ jobId: 'job_0009', job: archived }), toJob, message(archived)],
    [
      'or is followed',
      mine,
      target({ jobId: 'job_0009', job: active }),
      attach,
      { do: 'attach', job: active },
    ],
    ['a series looks for an open job', mine, read(withJob), series, 'find an open job'],
    ['and without one creates it', mine, { ...read(), isRepositorySearched: true }, series, create()],
    [
      'or sends it the message',
      mine,
      { ...target({ jobId: 'job_0001', job: active }), isRepositorySearched: true },
      series,
      message(active),
    ],
  ];
  test.each(rows)('%s', expectStep);
});

describe('once something may have been asked', () => {
  const retry = { attempt: 2 };
  const takenOver = (patch: Partial<Card>): Seen => ({ ...read(), takenOver: card(patch), isLooked: true });
  const unknown = { state: is.ended('unconfirmed') };
  const begun = { state: is.working(active) };
  const stale = { state: is.working(completed, { before: completed }) };
  const done = { state: is.ended('pr', completed) };
  const [fell, lost] = [{ state: is.ended('failed', failed) }, { state: is.ended('gone', active) }];
  const looked = { ...read(), isLooked: true };
  const shown = { ...looked, isAnnounced: true };
  const why = (how: string) => `The run before ended with job \`job_0001\` (${how}); this is a new job.`;
  const rows: Row[] = [
    ['a request without an answer ends the run', { state: is.sent(60_000) }, read(), command, 'end'],
    ['so does one that nobody can know of', unknown, takenOver(unknown), command, 'end'],
    ['also in a later attempt', { ...unknown, ...retry }, takenOver(unknown), command, 'end'],
    ['a new job is announced', begun, looked, command, 'announce'],
    ['and followed', begun, shown, command, { do: 'watch', job: active }],
    ['unless the run does not wait', begun, looked, noWait, 'leave'],
    [
      'one that has ended already is read at once',
      { state: is.working(completed) },
      looked,
      noWait,
      { do: 'watch', job: completed },
    ],
    ['not if it may be from before the message', stale, looked, noWait, 'leave'],
    ['or is followed like any other', stale, looked, command, 'announce'],
    [
      'a job that is taken over is looked at',
      begun,
      { ...read(), takenOver: card(begun) },
      command,
      { do: 'look at the job', mustExist: true },
    ],
    [
      'in a later attempt it may be gone',
      { ...begun, ...retry },
      { ...read(), takenOver: card(begun) },
      command,
      { do: 'look at the job', mustExist: false },
    ],
    ['then it is announced', begun, takenOver(begun), command, 'announce'],
    [
      'an end in the thread stays there while its job is at work',
      begun,
      takenOver(done),
      command,
      { do: 'watch', job: active },
    ],
    ['an end is the end', done, takenOver(begun), command, 'end'],
    ['a failure too, in the same attempt', fell, takenOver(fell), command, 'end'],
    ['a later attempt asks anew', { ...fell, ...retry }, takenOver(fell), command, anew(why('failed'))],
    ['also when the job is gone', { ...lost, ...retry }, takenOver(lost), command, anew(why('gone'))],
    [
      'or archived',
      { state: is.ended('archived', archived), ...retry },
      takenOver({}),
      command,
      anew(why('archived')),
    ],
    ['without a note for a job of the inputs', { ...fell, ...retry }, takenOver(fell), attach, anew()],
    [
      'not before it has looked',
      { ...fell, ...retry },
      { ...takenOver(fell), isLooked: false },
      command,
      { do: 'look at the job', mustExist: false },
    ],
    ['nor when its own job failed', { ...fell, ...retry }, looked, command, 'end'],
    ['an answer is the end', { state: is.ended('answered') }, read(), command, 'end'],
  ];
  test.each(rows)('%s', expectStep);
});

test('a card that was freed is claimed again', () => {
  expectStep('', { state: is.freed, attempt: 2 }, { ...read(), startsAnew: true }, command, 'claim');
});
