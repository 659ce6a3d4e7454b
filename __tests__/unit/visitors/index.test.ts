import { expect, test } from '@jest/globals';
import { ActionError } from '../../../src/core/errors.ts';
import type { Deps } from '../../../src/deps.ts';
import { startVisitors } from '../../../src/visitors/index.ts';
import { config, createdAt, depsOf, githubOf, honest, pagesOf, serviceOf, window } from './site.ts';

const site = honest((from) => pagesOf(from === window.start ? 600 : 300));

test('the report covers the week before the run was created, or before two hours ago if that is unknown', async () => {
  const { service, queries } = serviceOf(honest(() => []));
  const report = async (github: Deps['github'], now: number) => {
    const { deps, log } = depsOf(service, { github });
    const clock = { ...deps.clock, now: () => now };
    await startVisitors({ ...config, compare: 'none' }, { ...deps, clock });
    return log.join('\n');
  };
  const refusal = new ActionError('github-error', '403: actions: read is missing');
  const monday = Date.parse('2026-11-16T01:59:00Z');
  const created = githubOf(async () => Date.parse('2026-11-09T00:00:00Z'));
  await report(created, createdAt);
  await report(undefined, monday);
  const refusing = githubOf(() => Promise.reject(refusal));
  const log = await report(refusing, monday);
  expect(log).toMatch(
    /^warning: .*the report assumes that it was created two hours ago.*actions: read is missing$/m,
  );
  expect(queries.map(({ dateFrom }) => dateFrom)).toEqual([
    '2026-11-02',
    '2026-11-02',
    '2026-11-02',
  ]);
});

test('a file that can’t be written fails the step, but not the report', async () => {
  const { service } = serviceOf(site);
  const whole = await startVisitors({ ...config, reportDir: undefined }, depsOf(service).deps);
  const write = (path: string) => {
    if (path.endsWith('.json'))
      throw new ActionError('file-error', `Writing ${path} failed`, { hint: 'Free some space.' });
  };
  const { deps } = depsOf(service, { files: { read: () => undefined, write } });
  const result = await startVisitors(config, deps);
  const error = 'Writing out/visitors-acme-2026-W46.json failed.\nFree some space.';
  const failed = { outcome: 'failed', reason: 'file-error', error };
  expect(result.result).toEqual({ mode: 'visitors', ...failed, requestsUsed: 5 });
  expect(result.red).toBe(true);
  expect(result.outputs).toEqual({ 'requests-used': '5' });
  expect(result.summary).toBe(
    `### ❌ ${error.replace('.\n', '\n\n')}\n\nThe files could not be written, but here is the report:\n\n${whole.summary}`,
  );
  expect(result.message).toMatchObject({ level: 'error', text: error });
});

test('the history is saved before the files, so a run that is killed between them keeps what it has read', async () => {
  const written: string[] = [];
  const files = { read: () => undefined, write: (path: string) => void written.push(path) };
  await startVisitors(
    { ...config, historyFile: 'h.jsonl' },
    depsOf(serviceOf(site).service, { files }).deps,
  );
  expect(written[0]).toBe('h.jsonl');
});
