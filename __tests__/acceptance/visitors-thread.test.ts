import { readdirSync } from 'node:fs';
import { beforeEach, expect, test } from '@jest/globals';
import type { ErrorAnswer } from '../../simulator/http/faults.ts';
import type { RunOptions } from '../../simulator/runner/runner.ts';
import { Stage, warnings } from '../support/bundle/stage.ts';
import { textOf } from '../support/oracle/agent.ts';
import { routes } from '../support/routes.ts';
import { THREAD } from '../support/usual.ts';

const stage = new Stage({ clock: { start: '2026-11-16T06:10:00Z' } });
beforeEach(() => stage.simulator.service.visitors.script({ rows: 40 }));

const report = (inputs: Record<string, string> = {}, options: Partial<RunOptions> = {}) =>
  stage.play({ mode: 'visitors', thread: `${THREAD}`, ...inputs }, options);
const comments = () => stage.github.commentsOf(THREAD);

test('the report is one comment, which a re-run edits, and the next week gets a new one', async () => {
  const first = await report();
  expect(first).toMatchObject({ exitCode: 0, outputs: { outcome: 'reported' } });
  expect(comments().map(textOf)).toEqual([`${first.summary.trimEnd()}\n`]);
  expect(JSON.parse(first.outputs.result ?? '').commentUrl).toMatch(/#issuecomment-\d+$/);
  await stage.again(first);
  expect(comments()).toHaveLength(1);
  stage.simulator.clock.advance(7 * 24 * 3_600_000);
  await report({}, { runId: 7_000_000_777 });
  expect(comments().map((comment) => /^## (.*)$/m.exec(comment.body)?.[1])).toEqual([
    'Docs visitors, Nov 9–15, 2026',
    'Docs visitors, Nov 16–22, 2026',
  ]);
});

test('reports on the same week with different `pages` have separate comments and files', async () => {
  const inputs = [{}, { pages: '/guides/**' }, { pages: '/api/**' }, { pages: '/guides/**' }];
  for (const input of inputs) await report({ 'report-dir': 'report', ...input });
  expect(comments()).toHaveLength(3);
  expect(readdirSync(stage.path('report'))).toHaveLength(9);
});

test('a long report stays within the size limit, with its hidden first line', async () => {
  const pages = Array.from({ length: 1000 }, (_, index) => `/${index}/${'x'.repeat(100)}`);
  stage.simulator.service.visitors.give(
    pages.map((path) => ({ path, human: 9, ai: 1, total: 10 })),
  );
  await report({ top: '1000' });
  const [posted] = comments();
  expect(posted?.body.length).toBeLessThanOrEqual(60_000);
  expect(posted?.body.length).toBeGreaterThan(53_000);
});

test('a stranger’s copy of the comment is not edited', async () => {
  await report();
  const [ours] = comments();
  stage.github.comment('stranger', THREAD, ours?.body ?? '');
  stage.github.delete(ours?.id ?? 0);
  await report({}, { attempt: 2 });
  const [pasted, posted] = comments();
  expect(pasted?.body).toBe(ours?.body);
  expect(posted?.login).toBe('github-actions[bot]');
});

test('a comment whose first edit failed is found again even below a copy of it', async () => {
  stage.simulator.faults.refuse(routes.editComment, 422);
  await report();
  const [ours] = comments();
  stage.github.comment('stranger', THREAD, ours?.body ?? '');
  await report({}, { attempt: 2 });
  expect(comments().map(({ login, history }) => [login, history.length])).toEqual([
    ['github-actions[bot]', 2],
    ['stranger', 1],
  ]);
});

test('a comment whose first edit failed is found again by a re-run', async () => {
  stage.simulator.faults.refuse(routes.editComment, 422);
  const first = await report();
  expect(first).toMatchObject({ exitCode: 0, outputs: { outcome: 'reported' } });
  expect(comments()).toHaveLength(1);
  expect(warnings(first)).toEqual([expect.stringContaining('could not be written or updated')]);
  await stage.again(first);
  expect(comments()).toHaveLength(1);
});

test('with a token that can’t write there, the report is in the summary, and a warning names the permission', async () => {
  stage.github.restrict({ issues: 'read' });
  const run = await report();
  expect(run).toMatchObject({ exitCode: 0, outputs: { outcome: 'reported' } });
  expect(warnings(run)).toContainEqual(expect.stringContaining('`issues: write`'));
  expect(run.summary).toContain('## Docs visitors, Nov 9–15, 2026');
  expect(comments()).toEqual([]);
});

test.each<[string, Record<string, string>, Partial<ErrorAnswer> & { times?: number }]>([
  ['a rate limit', {}, { status: 429, says: 'No', retryAfter: 1_170 }],
  ['an outage', {}, { status: 500, says: 'Oops', times: 4 }],
  ['a thread that does not exist', { thread: '999' }, {}],
])(
  'a report that can’t be posted is in the summary, and a warning says why: %s',
  async (_, inputs, answer) => {
    const { status, ...more } = answer;
    if (status !== undefined) stage.simulator.faults.refuse(routes.writeComment, status, more);
    const run = await report(inputs);
    expect(run).toMatchObject({ exitCode: 0, outputs: { outcome: 'reported' } });
    expect(warnings(run)).toMatchSnapshot();
    expect(run.summary).toContain('## Docs visitors, Nov 9–15, 2026');
  },
);

test('on an issue’s event, the report is posted there, unless `thread` is `none`', async () => {
  const event = stage.github.issuesEvent(THREAD);
  await report({ thread: 'none' }, { event });
  expect(comments()).toEqual([]);
  await report({ thread: '' }, { event });
  expect(comments()).toHaveLength(1);
});
