import { expect, test } from '@jest/globals';
import fc from 'fast-check';

import { isDocumented, isTerminal } from '../../src/agent/job/status.ts';
import { endingOf, pullRequestOf } from '../../src/agent/tell/ending.ts';
import { type Job, jobSchema } from '../../src/service/schemas.ts';

const job = (over: Partial<Job> = {}): Job => ({
  ...jobSchema.parse({ id: 'job_1', status: 'completed' }),
  ...over,
});

test.each([
  ['https://github.com/octo-org/docs/pull/101', '101'],
  ['https://github.com/octo-org/docs/pull/101/files#diff', '101'],
  ['https://github.example.com/o/r/pull/7?w=1', '7'],
  ['https://gitlab.com/group/sub/docs/-/merge_requests/42', '42'],
  ['https://gitlab.example.com/docs/merge_requests/42/diffs', '42'],
  ['https://bitbucket.org/team/docs/pull-requests/9', '9'],
  ['https://codeberg.org/team/docs/pulls/5', '5'],
  ['https://github.com/octo-org/docs/pull/new', ''],
  ['https://github.com/octo-org/docs/pull/12abc', ''],
  ['https://github.com/octo-org/docs/compare/main...branch', ''],
  [`https://github.com/octo-org/docs/pull/${'9'.repeat(40)}`, ''],
  ['https://dev.azure.com/o/p/_git/r/pullrequest/3', ''],
])('the link %s has the number %j', (prLink, number) => {
  expect(pullRequestOf(job({ prLink }))).toEqual({ url: prLink, number });
});

test.each([
  'http://github.com/o/r/pull/1',
  'https://user:secret@github.com/o/r/pull/1',
  'https://token@github.com/o/r/pull/1',
  'javascript:alert(1)',
  'data:text/html,<b>',
  '//github.com/o/r/pull/1',
  '/o/r/pull/1',
  'pull request 1',
  '',
])('%j is no link to hand on', (prLink) => {
  expect(pullRequestOf(job({ prLink }))).toBeUndefined();
  expect(endingOf(job({ prLink }))).toEqual({ outcome: 'pr-created', reason: 'unusable-pr-link' });
});

test('what is handed on can stand between angle brackets and in one line of output', () => {
  const anything = fc.string({ unit: 'binary', maxLength: 30 });
  fc.assert(
    fc.property(
      fc.oneof(
        anything,
        anything.map((rest) => `https://github.com/${rest}`),
      ),
      (prLink) => {
        const pullRequest = pullRequestOf(job({ prLink }));
        if (pullRequest === undefined) return;
        expect(pullRequest.url).toMatch(/^https:\/\/[^\s<>@]+[^\s<>]*$/);
        expect(pullRequest.number).toMatch(/^\d{0,15}$/);
      },
    ),
  );
});

test.each([
  ['completed', null, 'no-changes', 'no-pull-request'],
  ['completed', 'https://github.com/o/r/pull/1', 'pr-created', 'pull-request'],
  ['archived', null, 'archived', 'job-archived'],
  ['archived', 'https://github.com/o/r/pull/1', 'archived', 'job-archived'],
  ['failed', null, 'failed', 'job-failed'],
  ['failed', 'https://github.com/o/r/pull/1', 'failed', 'job-failed'],
])('a job %s with the link %j ends as %s', (status, prLink, outcome, reason) => {
  expect(isTerminal(status)).toBe(true);
  expect(endingOf(job({ status, prLink }))).toEqual({ outcome, reason });
});

test.each(['active', 'queued', 'COMPLETED', 'cancelled', 'toString', ''])('%j ends no job', (status) => {
  expect(isTerminal(status)).toBe(false);
  expect(isDocumented(status)).toBe(status === 'active');
});

test('without a job there is no pull request', () => {
  expect(pullRequestOf(undefined)).toBeUndefined();
  expect(pullRequestOf(job())).toBeUndefined();
});
