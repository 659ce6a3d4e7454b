import type { Known } from '../../../src/agent/known.ts';
import type { RunContext } from '../../../src/runner/context.ts';
import type { Job } from '../../../src/service/schemas.ts';

export const context: RunContext = {
  eventName: 'issue_comment',
  payload: {},
  repository: 'octo-org/docs',
  repositoryId: '790000001',
  repositoryUrl: 'https://github.com/octo-org/docs',
  sha: 'b'.repeat(40),
  workflow: 'octo-org/docs/.github/workflows/docs.yml',
  runId: '7000000001',
  runAttempt: 1,
  stepId: 'docs.__action',
  apiUrl: 'https://api.github.com',
  runUrl: 'https://github.com/octo-org/docs/actions/runs/7000000001',
};

export const completed: Job = {
  id: 'job_0001',
  status: 'completed',
  prLink: 'https://github.com/octo-org/docs/pull/101',
  source: { repository: 'octo-org/docs', ref: 'main' },
  model: 'sim-writer-1',
};

/** A command that was followed to its end. */
export function knownWith(patch: Partial<Known> = {}): Known {
  return {
    nonce: 'nonce-of-a-test',
    key: 'comment:40',
    threadNumber: 7,
    sourceCommentId: 40,
    isCommand: true,
    asker: 'maintainer',
    command: '/docs',
    prompt: 'add a quickstart',
    removed: 0,
    asked: { is: 'yes', by: 'creating', jobId: completed.id, job: completed },
    status: {
      told: 'at work',
      generation: 1,
      comment: { id: 41, url: 'https://github.com/octo-org/docs/issues/7#issuecomment-41', body: '' },
    },
    notes: [],
    beganAtMs: 0,
    askedAtMs: 0,
    isLetIn: true,
    isOver: false,
    ...patch,
  };
}

/** The same with another job. */
export function knownOf(job: Job): Known {
  return knownWith({ asked: { is: 'yes', by: 'creating', jobId: job.id, job } });
}
