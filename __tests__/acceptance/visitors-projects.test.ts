import { readdirSync, readFileSync } from 'node:fs';
import { beforeEach, expect, test } from '@jest/globals';
import { DEFAULT_PROJECT } from '../../simulator/service/service.ts';
import { Stage } from '../support/bundle/stage.ts';
import { endOf } from '../support/played.ts';
import { THREAD } from '../support/usual.ts';

const ids = Array.from({ length: 16 }, (_, index) => `prj_${index + 1}`);
const nameOf = (id: string) => `Site ${id.slice(4)}`;

const stage = new Stage({ clock: { start: '2026-11-16T06:10:00Z' } });
beforeEach(() => {
  const { service } = stage.simulator;
  for (const [index, id] of ids.entries()) {
    service.addProject({ id, organization: DEFAULT_PROJECT.organization });
    service.visitors.script({ seed: index + 1, topWeekly: 1_000 + 100 * index }, id);
  }
});

const projectLines = ids.map((id) => `${id} = ${nameOf(id)}`).join('\n');
const report = (inputs: Record<string, string> = {}) =>
  stage.play({ mode: 'visitors', baseline: '0', 'project-id': projectLines, ...inputs });

/** The requests to the service, each as `project week offset`. */
const asked = () =>
  stage.simulator.requests
    .filter(({ to }) => to === 'service')
    .map(({ path, query: { dateFrom, offset } }) => {
      const id = path.split('/')[3] ?? '';
      return `${id} ${dateFrom === '2026-11-09' ? 'now' : 'before'} ${offset}`;
    });
const inTurn = (week: string, offset: number) => ids.map((id) => `${id} ${week} ${offset}`);

test('sixteen projects with 400 pages each take 64 requests, and have separate files and one summary', async () => {
  stage.simulator.service.visitors.script({ rows: 400 });
  const run = await report({ 'max-requests': '64', 'report-dir': 'out' });
  expect([endOf(run), run.exitCode]).toEqual(['reported (complete)', 0]);
  // The first half of the requests reads totals.
  const weeks = [...inTurn('now', 0), ...inTurn('before', 0)];
  expect(asked()).toEqual([...weeks, ...inTurn('now', 250), ...inTurn('before', 250)]);
  expect(run.outputs).toMatchObject({
    ...{ complete: 'true', 'requests-used': '64', 'period-start': '2026-11-09' },
    'report-file': expect.stringMatching(/^out\/visitors-16-projects-[0-9a-f]{8}-2026-W46\.md$/),
    'csv-file': ids.map((id) => `out/visitors-${id}-2026-W46.csv`).join('\n'),
    'json-file': ids.map((id) => `out/visitors-${id}-2026-W46.json`).join('\n'),
  });
  for (const name of ['total', 'human', 'ai', 'ai-share', 'change-percent'])
    expect(run.outputs[name]).toBe('');
  const figures: { project: string; total: number }[] = JSON.parse(
    run.outputs.result ?? '{}',
  ).projects;
  expect(figures.map(({ project }) => project)).toEqual(ids);
  expect(new Set(figures.map(({ total }) => total)).size).toBeGreaterThan(1);
  for (const id of ids) {
    const file = JSON.parse(readFileSync(stage.path(`out/visitors-${id}-2026-W46.json`), 'utf8'));
    expect(file).toMatchObject({
      project: id,
      period: { complete: true },
      before: { complete: true },
    });
    expect(file.period.pages).toHaveLength(400);
    expect(file.period.totals.total).toBe(figures.find(({ project }) => project === id)?.total);
  }
  expect(readdirSync(stage.path('out'))).toHaveLength(33);
  expect(`${readFileSync(stage.path(run.outputs['report-file'] ?? ''), 'utf8')}\n`).toBe(
    run.summary,
  );
  expect(run.summary).toContain('\n**0 of 16 projects need a look.**\n');
  expect(run.summary.match(/^\| <b>Site \d+<\/b> \|/gm)).toHaveLength(16);
  expect(run.annotations).toHaveLength(1);
});

test('after the hourly limit is reached, the report has the projects read so far, and names the others', async () => {
  stage.simulator.service.visitors.script({ rows: 400 });
  stage.simulator.service.visitors.useElsewhere(DEFAULT_PROJECT.organization, 90);
  const run = await report({ 'max-requests': '64' });
  // Ten requests succeed. The eleventh reaches the limit, and nothing is requested after it.
  expect(asked()).toEqual(inTurn('now', 0).slice(0, 11));
  expect(run).toMatchObject({
    exitCode: 0,
    outputs: { outcome: 'reported', reason: 'incomplete' },
  });
  expect(run.summary).toContain('> **16 projects are incomplete:** Site 1,');
  const why = 'The service’s hourly limit has been reached. Try again after 07:10 UTC (in 1 h).';
  expect(run.summary).toContain(`<br>${why}\n`);
  expect(run.annotations.map(({ level }) => level)).toEqual(['warning']);
  expect(run.log).toContain(
    'Site 11: The service’s hourly limit has been reached (Reading the visitors: the service returned 429: ',
  );
});

test('a re-run with a history sends no request and gives the same summary, in any order of projects', async () => {
  const inputs = { 'history-file': 'history.jsonl', thread: `${THREAD}`, 'max-requests': '64' };
  const first = await report(inputs);
  expect(asked()).toHaveLength(32);
  const again = await stage.again(first);
  expect(again.summary).toBe(first.summary);
  expect(again.outputs['requests-used']).toBe('0');
  await report({ ...inputs, 'project-id': ids.toReversed().join('\n') });
  expect(asked()).toHaveLength(32);
  expect(stage.github.commentsOf(THREAD)).toHaveLength(1);
  await report({ ...inputs, 'project-id': ids.slice(1).join('\n') });
  expect(stage.github.commentsOf(THREAD)).toHaveLength(2);
});

test('agent mode accepts only one project, and says what to do with several', async () => {
  const run = await report({ mode: 'agent', prompt: 'x', baseline: '' });
  expect(run).toMatchObject({ exitCode: 1, outputs: { reason: 'bad-input' } });
  expect(run.log).toContain(
    '`project-id` names 16 projects, but `mode: agent` needs one.\nRun each in its own job: ',
  );
  expect(run.log).toContain('matrix');
  expect(stage.simulator.requests).toEqual([]);
});
