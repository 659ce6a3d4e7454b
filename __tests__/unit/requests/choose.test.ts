import { describe, expect, test } from '@jest/globals';
import type { Card } from '../../../src/requests/card/card.ts';
import { whyNew } from '../../../src/requests/card/remarks.ts';
import {
  type Candidate,
  candidateFor,
  choose,
  mayStartOver,
} from '../../../src/requests/run/choose.ts';
import type { Plan } from '../../../src/requests/run/plan.ts';
import { active, card, completed, found, is, jobIn } from '../../support/samples/cards.ts';

/* Which job gets a prompt, and why. */

type Ask = Plan['ask'];

const withJob = found(20, { key: 'comment:19', state: is.ended('pr', completed) });
const claim = found(25, { key: 'comment:24', state: is.claimed(60_000) });
const pullRequest = { url: completed.prLink ?? '', createdAtMs: 0 };
const again = { sentBefore: [5] };

describe('where a job is looked for', () => {
  const sources: [
    what: string,
    ask: Partial<Ask>,
    cards: (typeof withJob)[],
    where: string,
    about?: object,
  ][] = [
    ['a thread without a job', {}, [], 'nowhere'],
    ['a thread with a job', {}, [withJob], 'thread job_0001'],
    ['a thread with a job and a newer claim', {}, [withJob, claim], 'thread job_0001'],
    ['the agent’s pull request', {}, [], 'pull request', { pullRequest }],
    [
      'the agent’s pull request, whose thread has a job',
      {},
      [withJob],
      'thread job_0001',
      { pullRequest },
    ],
    ['--new', { continues: 'never' }, [withJob], 'nowhere'],
    ['a request that starts over', {}, [withJob], 'nowhere', again],
    ['a series', { continues: 'repository' }, [withJob], 'repository'],
    ['a job from the inputs', { jobId: 'job_0009' }, [withJob], 'inputs job_0009'],
    [
      'a job from the inputs, started over',
      { jobId: 'job_0009' },
      [withJob],
      'inputs job_0009',
      again,
    ],
  ];
  test.each(sources)('%s', (_, ask, cards, where, about = {}) => {
    const usual = { prompt: 'Add it.', jobId: undefined, continues: 'thread', wait: true } as const;
    const source = candidateFor({ ...about }, cards, { ...about, ask: { ...usual, ...ask } });
    expect(source.jobId === undefined ? source.in : `${source.in} ${source.jobId}`).toBe(where);
  });
});

describe('the job that gets the prompt', () => {
  const jobId = 'job_0001';
  const closed = { state: 'closed', headSha: '' } as const;
  const rows: [what: string, source: Candidate['in'], found: Omit<Candidate, 'in'>][] = [
    ['none is known', 'nowhere', {}],
    ['earlier requests used another key', 'nowhere', { why: whyNew.otherKey('in this thread') }],
    ['the thread’s job has a pull request', 'thread', { jobId, job: completed }],
    ['the thread’s job failed', 'thread', { jobId, job: jobIn('failed') }],
    ['the thread’s job is archived', 'thread', { jobId, job: jobIn('archived') }],
    ['the thread’s job is gone', 'thread', { jobId }],
    ['its pull request was closed', 'thread', { jobId, job: completed, pull: closed }],
    [
      'its pull request was merged',
      'thread',
      { jobId, job: completed, pull: { ...closed, state: 'merged' } },
    ],
    [
      'its pull request is open',
      'thread',
      { jobId, job: completed, pull: { ...closed, state: 'open' } },
    ],
    ['the pull request’s job', 'pull request', { jobId, job: active }],
    ['the pull request’s job is archived', 'pull request', { jobId, job: jobIn('archived') }],
    ['the pull request’s job is gone', 'pull request', { jobId }],
    ['no job opened the pull request', 'pull request', {}],
    ['the inputs name an archived job', 'inputs', { jobId, job: jobIn('archived') }],
    [
      'the inputs name a job with a closed pull request',
      'inputs',
      { jobId, job: completed, pull: closed },
    ],
    ['a series has an open job', 'repository', { jobId, job: active }],
    ['a series has none', 'repository', {}],
    [
      'a series whose pull request can’t be seen',
      'repository',
      { why: whyNew.unseen('https://x') },
    ],
  ];
  test('depends on where it was found, and why it is a new one is said', () => {
    const choices = rows.map(([what, source, candidate]) => {
      const { job, why } = choose({ in: source, ...candidate });
      return `${what}: ${job?.status ?? (why === undefined ? 'new' : `new: ${why}`)}`;
    });
    expect(choices).toMatchSnapshot();
  });
});

test('only a later attempt starts over, and only if the job of an earlier process failed', () => {
  const ended = (how: 'failed' | 'archived' | 'gone' | 'pr' | 'unconfirmed', attempt = 2): Card =>
    card({ state: is.ended(how, active), attempt });
  const hows = ['failed', 'archived', 'gone', 'pr', 'unconfirmed'] as const;
  expect(hows.filter((how) => mayStartOver(ended(how), ended(how)))).toEqual([
    'failed',
    'archived',
    'gone',
  ]);
  expect(hows.filter((how) => mayStartOver(ended(how, 1), ended(how)))).toEqual([]);
  expect(hows.filter((how) => mayStartOver(ended(how), undefined))).toEqual([]);
  expect(mayStartOver(card({ state: is.working(), attempt: 2 }), card())).toBe(false);
});
