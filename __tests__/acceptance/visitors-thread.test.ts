import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { type Simulator, startSimulator } from '../../simulator/index.ts';
import type { RunOptions } from '../../simulator/runner/runner.ts';
import { rerun, runAction } from '../support/bundle/run.ts';
import { isFor, routes } from '../support/routes.ts';
import { serviceInputs } from '../support/usual.ts';

/** The issue the report is posted to. */
const THREAD = 12;

let simulator: Simulator;

beforeEach(async () => {
  simulator = await startSimulator({ clock: { start: '2026-11-16T06:10:00Z' } });
  simulator.service.visitors.script({ rows: 40 });
  simulator.github.addThread({ number: THREAD });
});

afterEach(async () => {
  expect(simulator.violations).toEqual([]);
  await simulator.close();
});

const report = (inputs: Record<string, string> = {}, more: Partial<RunOptions> = {}) => {
  const usual = { ...serviceInputs(simulator), mode: 'visitors', thread: `${THREAD}` };
  return runAction({ simulator, inputs: { ...usual, ...inputs }, ...more });
};
const comments = () => simulator.github.commentsOf(THREAD);
const told = ({ body }: { body: string }) => body.slice(body.indexOf('\n') + 1);

test('the report is one comment, with the text of the summary', async () => {
  const run = await report();
  expect(run).toMatchObject({ exitCode: 0, outputs: { outcome: 'reported' } });
  expect(comments()).toHaveLength(1);
  expect(comments().map(told)).toEqual([run.summary.trimEnd()].map((text) => `${text}\n`));
  expect(JSON.parse(run.outputs.result ?? '').commentUrl).toMatch(/#issuecomment-\d+$/);
});

test('a re-run edits it, and the next week gets a comment of its own', async () => {
  const first = await report();
  await rerun(first);
  expect(comments()).toHaveLength(1);
  simulator.clock.advance(7 * 24 * 3_600_000);
  await report({}, { runId: 7_000_000_777 });
  expect(comments().map((comment) => /^## (.*)$/m.exec(comment.body)?.[1])).toEqual([
    'Docs visitors, 9–15 November 2026',
    'Docs visitors, 16–22 November 2026',
  ]);
});

test('a long report stays within the limit, its marker included', async () => {
  const pages = Array.from({ length: 1000 }, (_, index) => `/${index}/${'x'.repeat(100)}`);
  simulator.service.visitors.give(pages.map((path) => ({ path, human: 9, ai: 1, total: 10 })));
  await report({ top: '1000' });
  const [posted] = comments();
  expect(posted?.body.length).toBeLessThanOrEqual(60_000);
  expect(posted?.body.length).toBeGreaterThan(59_000);
});

test('a marker pasted into somebody’s comment draws no report to it', async () => {
  await report();
  const [ours] = comments();
  simulator.github.comment('stranger', THREAD, ours?.body ?? '');
  simulator.github.delete(ours?.id ?? 0);
  await report({}, { attempt: 2 });
  const [pasted, posted] = comments();
  expect(pasted?.body).toBe(ours?.body);
  expect(posted?.login).toBe('github-actions[bot]');
});

test('a comment whose first edit failed is found again: one comment for one window', async () => {
  simulator.github.limits.fail({ status: 422, when: isFor(routes.editComment) });
  const first = await report();
  expect(first).toMatchObject({ exitCode: 0, outputs: { outcome: 'reported' } });
  expect(comments()).toHaveLength(1);
  await rerun(first);
  expect(comments()).toHaveLength(1);
});

test('a token that may not write there costs a warning that names what is missing, not the report', async () => {
  simulator.github.restrict({ issues: 'read' });
  const run = await report();
  expect(run).toMatchObject({ exitCode: 0, outputs: { outcome: 'reported' } });
  expect(run.annotations).toContainEqual(
    expect.objectContaining({ level: 'warning', message: expect.stringContaining('`issues: write`') }),
  );
  expect(run.summary).toContain('## Docs visitors, 9–15 November 2026');
  expect(comments()).toEqual([]);
});

test('on the event of an issue it goes there by itself, and nowhere with `none`', async () => {
  const event = simulator.github.issuesEvent(THREAD);
  await report({ thread: 'none' }, { event });
  expect(comments()).toEqual([]);
  await report({ thread: '' }, { event });
  expect(comments()).toHaveLength(1);
});
