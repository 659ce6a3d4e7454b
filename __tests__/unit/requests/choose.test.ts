import { describe, expect, test } from '@jest/globals';
import type { Card } from '../../../src/requests/card/card.ts';
import { whyNew } from '../../../src/requests/card/sentences.ts';
import { type Candidate, candidateFor, choose, mayStartOver } from '../../../src/requests/run/choose.ts';
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
    ['the agent’s pull request, whose thread has a job', {}, [withJob], 'thread job_0001', { pullRequest }],
    ['--new', { continues: 'never' }, [withJob], 'nowhere'],
    ['a request that starts over', {}, [withJob], 'nowhere', again],
    ['a series', { continues: 'repository' }, [withJob], 'repository'],
    ['a job from the inputs', { jobId: 'job_0009' }, [withJob], 'inputs job_0009'],
    ['a job from the inputs, started over', { jobId: 'job_0009' }, [withJob], 'inputs job_0009', again],
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
  const isNew = 'this is a new job.';
  const nowhere = `new: We found no request here that led to this pull request (it may have been requested in another repository or with a different API key); ${isNew}`;
  const rows: [what: string, source: Candidate['in'], found: Omit<Candidate, 'in'>, choice: string][] = [
    ['none is known', 'nowhere', {}, 'new'],
    [
      'earlier requests used another key',
      'nowhere',
      { why: whyNew.otherKey('in this thread') },
      'new: Earlier requests in this thread were made with another API key, so this is a new job.',
    ],
    ['the thread’s job has a pull request', 'thread', { jobId, job: completed }, 'completed'],
    ['the thread’s job failed', 'thread', { jobId, job: jobIn('failed') }, 'failed'],
    [
      'the thread’s job is archived',
      'thread',
      { jobId, job: jobIn('archived') },
      `new: The thread’s job \`job_0001\` is archived; ${isNew}`,
    ],
    [
      'the thread’s job is gone',
      'thread',
      { jobId },
      `new: The thread’s job \`job_0001\` no longer exists; ${isNew}`,
    ],
    [
      'its pull request was closed',
      'thread',
      { jobId, job: completed, pull: closed },
      `new: The pull request of job \`job_0001\` was closed; ${isNew}`,
    ],
    [
      'its pull request was merged',
      'thread',
      { jobId, job: completed, pull: { ...closed, state: 'merged' } },
      `new: The pull request of job \`job_0001\` was merged; ${isNew}`,
    ],
    [
      'its pull request is open',
      'thread',
      { jobId, job: completed, pull: { ...closed, state: 'open' } },
      'completed',
    ],
    ['the pull request’s job', 'pull request', { jobId, job: active }, 'active'],
    [
      'the pull request’s job is archived',
      'pull request',
      { jobId, job: jobIn('archived') },
      `new: This pull request’s job \`job_0001\` is archived; ${isNew}`,
    ],
    [
      'the pull request’s job is gone',
      'pull request',
      { jobId },
      `new: This pull request’s job \`job_0001\` no longer exists; ${isNew}`,
    ],
    ['no job opened the pull request', 'pull request', {}, nowhere],
    ['the inputs name an archived job', 'inputs', { jobId, job: jobIn('archived') }, 'archived'],
    [
      'the inputs name a job whose pull request was closed',
      'inputs',
      { jobId, job: completed, pull: closed },
      'completed',
    ],
    ['a series has an open job', 'repository', { jobId, job: active }, 'active'],
    ['a series has none', 'repository', {}, 'new'],
    [
      'a series whose pull request can’t be seen',
      'repository',
      { why: whyNew.unseen('https://x') },
      'new: The token can’t see [the last pull request](<https://x>), so this is a new job. To add later changes to one pull request, add `pull-requests: read` or, for another repository, a `docs-token` that can see it.',
    ],
  ];
  test.each(rows)('%s', (_, source, candidate, choice) => {
    const { job, why } = choose({ in: source, ...candidate });
    expect(job?.status ?? (why === undefined ? 'new' : `new: ${why}`)).toBe(choice);
  });
});

test('only a later attempt starts over, and only if the job of an earlier process failed', () => {
  const ended = (how: 'failed' | 'archived' | 'gone' | 'pr' | 'unconfirmed', attempt = 2): Card =>
    card({ state: is.ended(how, active), attempt });
  const hows = ['failed', 'archived', 'gone', 'pr', 'unconfirmed'] as const;
  expect(hows.filter((how) => mayStartOver(ended(how), ended(how)))).toEqual(['failed', 'archived', 'gone']);
  expect(hows.filter((how) => mayStartOver(ended(how, 1), ended(how)))).toEqual([]);
  expect(hows.filter((how) => mayStartOver(ended(how), undefined))).toEqual([]);
  expect(mayStartOver(card({ state: is.working(), attempt: 2 }), card())).toBe(false);
});
