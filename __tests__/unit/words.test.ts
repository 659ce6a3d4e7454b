import { describe, expect, test } from '@jest/globals';
import { toString as wordsIn } from 'mdast-util-to-string';
import type { Known } from '../../src/agent/known.ts';
import { deniedComment, statusComment } from '../../src/agent/tell/render.ts';
import type { State } from '../../src/agent/tell/words.ts';
import { explain } from '../../src/core/errors.ts';
import { ServiceError } from '../../src/service/errors.ts';
import { nodesOf, parseGfm } from '../support/gfm.ts';
import { completed, context, knownWith } from '../support/samples/known.ts';

/* What a reader of a thread meets: the state at a glance, what to do, and everything else folded away. */

const minuteMs = 60_000;
const prompt = 'Add a quickstart for the Python SDK.';
const commanded = { threadNumber: 7, sourceCommentId: 41, prompt };
const yes = { is: 'yes', by: 'creating', jobId: completed.id, job: completed } as const;
const messaged = { ...yes, by: 'messaging' } as const;
const without = { ...yes, job: { ...completed, prLink: null } } as const;

/** The open lines of a status comment as they are read, the folded ones, and whether the first has a link. */
function read(markdown: string): { open: string[]; folded: string; link: string | undefined } {
  const { children } = parseGfm(markdown);
  const at = children.findIndex((node) => node.type === 'html');
  const open = at === -1 ? children : children.slice(0, at);
  const [first] = open;
  const link = first && nodesOf(first).find((node) => node.type === 'link');
  return {
    open: open.map((node) => wordsIn(node)),
    folded: at === -1 ? '' : markdown.slice(children[at]?.position?.start.offset),
    link: link?.type === 'link' ? link.url : undefined,
  };
}

type Row = [name: string, state: State, known: Partial<Known>, open: string[], link?: string];

const rows: Row[] = [
  ['asking', { outcome: 'starting', reason: '' }, { asked: { is: 'no' } }, ['⏳ Asking the writing agent …']],
  [
    'at work',
    { outcome: 'working', reason: '' },
    { asked: yes },
    ['⏳ The writing agent is working on it.', 'The pull request will be linked here.'],
  ],
  [
    'ready',
    { outcome: 'pr-created', reason: 'pull-request', tookMs: 155_000 },
    { asked: yes },
    [
      '✅ Pull request #101 is ready after 2 min 35 s.',
      'Ask for changes with /docs …; start over with /docs --new ….',
    ],
    completed.prLink ?? '',
  ],
  [
    'a follow-up is ready',
    { outcome: 'pr-created', reason: 'pull-request', tookMs: 70_000 },
    { asked: messaged },
    [
      '✅ The follow-up is done: Pull request #101 after 1 min 10 s.',
      'Ask for changes with /docs …; start over with /docs --new ….',
    ],
    completed.prLink ?? '',
  ],
  [
    'a follow-up that was not seen to be taken up',
    { outcome: 'pr-created', reason: 'follow-up-unseen', isUnseen: true, tookMs: 2 * minuteMs },
    { asked: messaged },
    [
      '⚠️ The job was not seen to take up the follow-up. It shows Pull request #101; that may be from before.',
      'If it is, ask again with /docs ….',
    ],
    completed.prLink ?? '',
  ],
  [
    'no pull request',
    { outcome: 'no-changes', reason: 'no-pull-request', tookMs: minuteMs },
    { asked: without },
    [
      '☑️ The agent finished without a pull request: nothing had to change, or it is set to commit directly.',
      'Ask for more with /docs ….',
    ],
  ],
  [
    'a job that failed',
    { outcome: 'failed', reason: 'job-failed', tookMs: minuteMs },
    { asked: without },
    [
      '❌ The job failed after 1 min. The service gives no reason; its dashboard may.',
      'Re-running starts a new job.',
    ],
  ],
  [
    'a job that was archived',
    { outcome: 'archived', reason: 'job-archived' },
    { asked: without },
    ['⚠️ The job was archived.', '/docs --new … starts a new one.'],
  ],
  [
    'stopped waiting',
    { outcome: 'timed-out', reason: 'deadline', tookMs: 30 * minuteMs + 2_000 },
    { asked: yes },
    [
      '⏳ Still running after 30 min; this run stopped waiting.',
      '/docs status shows how it stands; re-running the workflow follows it to its end.',
    ],
  ],
  [
    'left running',
    { outcome: 'detached', reason: 'not-waited' },
    { asked: yes },
    [
      '⏳ Started; this run does not wait.',
      '/docs status shows how it stands. That, or a run with mode: collect brings its end into the thread.',
    ],
  ],
  [
    'unconfirmed',
    { outcome: 'failed', reason: 'unconfirmed' },
    { asked: { is: 'maybe', by: 'creating' } },
    [
      '⚠️ We can’t tell whether the service accepted the request. A job may exist.',
      'Nothing is sent again by itself. If the service’s dashboard does not show it, ask again with /docs --new ….',
    ],
  ],
  [
    'the hourly limit',
    {
      outcome: 'failed',
      reason: 'rate-limited',
      error: explain(
        new ServiceError('rate-limited', 'Creating the job: the service answered 429', {
          hint: 'Try again after 07:00 UTC (in 1 h).',
        }),
      ),
    },
    { asked: { is: 'no' } },
    [
      '⚠️ The service’s hourly limit is reached. Nothing was asked of the agent.',
      'Creating the job: the service answered 429. Try again after 07:00 UTC (in 1 h).',
    ],
  ],
];

describe('a status comment', () => {
  test.each(rows)('tells at a glance: %s', (...row) => {
    const [, state, patch, open, link] = row;
    const known = knownWith({ ...commanded, ...patch });
    const seen = read(statusComment({ state, known, context }));
    expect(seen.open).toEqual(open);
    expect(seen.link).toBe(link);
    // The command stands right above.
    expect(seen.open.join('\n')).not.toContain(prompt);
    expect(seen.folded).toMatch(/^<details><summary>Request<\/summary>\n/);
    expect(seen.folded).toContain(prompt);
  });

  test('names no command where none is listened to', () => {
    for (const [, state, patch] of rows) {
      const known = knownWith({ ...commanded, ...patch, isCommand: false });
      expect(read(statusComment({ state, known, context })).open.join('\n')).not.toContain('/docs');
    }
  });
});

test('somebody who may not command reads why', () => {
  const refusal = {
    reason: 'permission',
    headline: '`stranger` can’t use `/docs` here:',
    more: 'it takes `write` permission, and they have `read`.',
  } as const;
  expect(read(deniedComment(refusal)).open).toEqual([
    '🚫 stranger can’t use /docs here: it takes write permission, and they have read.',
  ]);
});
