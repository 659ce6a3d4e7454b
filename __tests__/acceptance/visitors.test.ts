import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import type { RecordedRequest } from '../../simulator/http/messages.ts';
import type { RunOptions } from '../../simulator/runner/runner.ts';
import { Stage } from '../support/bundle/stage.ts';
import { endOf } from '../support/played.ts';
import { asRead } from '../unit/visitors/rendered.ts';
import { schemaProblems } from '../unit/visitors/schema.ts';

/** The clock starts on a Monday. The week before is 2026-W46, from November 9 to 15. */
const stage = new Stage({ clock: { start: '2026-11-16T06:10:00Z' } });

const report = (inputs: Record<string, string> = {}, options: Partial<RunOptions> = {}) =>
  stage.play({ mode: 'visitors', 'report-dir': 'report', baseline: '0', ...inputs }, options);

const asked = () =>
  stage.simulator.requests
    .filter(({ to }) => to === 'service')
    .map(({ query: { dateFrom, dateTo, offset } }) => `${dateFrom}..${dateTo} ${offset}`);
/** The requests for the first pages of a week. */
const pagesOf = (week: string, count: number) =>
  Array.from({ length: count }, (_, page) => `${week} ${250 * page}`);
const [now, before] = ['2026-11-09..2026-11-16', '2026-11-02..2026-11-09'];
const fileNames = () =>
  existsSync(stage.path('report')) ? readdirSync(stage.path('report')).toSorted() : [];
const contents = () => fileNames().map((name) => readFileSync(stage.path('report', name), 'utf8'));
const allFiles = ['csv', 'json', 'md'].map(
  (extension) => `visitors-prj_simulated_docs-2026-W46.${extension}`,
);

describe('the weekly report', () => {
  test('reads both weeks, and writes a summary, outputs, and files', async () => {
    stage.simulator.service.visitors.script({ rows: 600 });
    const run = await report();
    expect(run.exitCode).toBe(0);
    expect(run.outputs.digest).toMatch(
      /^🟢 Docs: 37,997 visitors .*\nNov 9–15 · [\s\S]*\n\nhttps:[^ ]*\/actions\/runs\/\d+$/,
    );
    const [first, ...rest] = pagesOf(before, 3);
    expect(asked()).toEqual([...pagesOf(now, 1), first, ...pagesOf(now, 3).slice(1), ...rest]);
    const { outputs, summary } = run;
    expect(outputs).toMatchObject({
      ...{ outcome: 'reported', reason: 'complete', complete: 'true', 'requests-used': '6' },
      ...{
        'period-start': '2026-11-09',
        'period-end': '2026-11-16',
        'csv-file': `report/${allFiles[0]}`,
      },
    });
    expect(JSON.parse(outputs.result ?? '')).toMatchObject({ version: 1, requestsUsed: 6 });
    expect(fileNames()).toEqual(allFiles);
    const [csv = '', json = '', markdown] = contents();
    // The runner adds a newline to the end of the summary.
    expect(`${markdown}\n`).toBe(summary);
    const rows: Record<string, string>[] = parse(csv, { columns: true });
    const raw = JSON.parse(json);
    expect(schemaProblems(raw)).toEqual([]);
    expect(
      rows.filter(({ total }) => total !== '').map(({ path, total }) => [path, total]),
    ).toEqual(
      raw.period.pages.map(({ path, total }: { path: string; total: number }) => [
        path,
        `${total}`,
      ]),
    );
    expect(raw.period.pages).toHaveLength(600);
    expect(`${raw.period.totals.total}`).toBe(outputs.total);
    expect(run.annotations).toHaveLength(1);
  });

  test('can be limited to some pages, and be about a month', async () => {
    const pages = '/guides/**\n!/guides/webhooks/**';
    const run = await report({ period: 'last-month', pages, compare: 'none' });
    expect(asked()).toEqual(['2026-10-01..2026-11-01 0']);
    expect(run.summary).toContain('Oct 2026');
    expect(run.summary).toContain('for the whole site');
    expect(asRead(run.summary)).toContain('`/guides/');
    expect(asRead(run.summary)).not.toMatch(/`\/api\/|`\/guides\/webhooks/);
  });
});

describe('an incomplete report', () => {
  const changed =
    ' The list of pages changed while it was being read, so some may be missing. Re-run the workflow later.';

  test('stays within `max-requests`, has the previous total, and says what is missing', async () => {
    stage.simulator.service.visitors.script({ rows: 1200, order: 'shuffled' });
    const run = await report({ 'max-requests': '4', 'fail-on': 'incomplete' });
    expect(asked()).toEqual([
      ...pagesOf(now, 1),
      ...pagesOf(before, 1),
      ...pagesOf(now, 3).slice(1),
    ]);
    expect([endOf(run), run.exitCode]).toEqual(['reported (incomplete)', 1]);
    expect(run.outputs).toMatchObject({ complete: 'false', 'requests-used': '4' });
    expect(run.outputs['change-percent']).not.toBe('');
    expect(run.summary).toContain(' Raise `max-requests` to at least 8 (currently 4).');
    expect(run.summary).not.toMatch(/Top pages|sections \(|New pages|Pages no longer/);
    expect(fileNames()).toEqual(allFiles);
  });

  test.each([
    ['always announces more pages', 300, { isEndless: true }, 300],
    ['ignores `limit`', 600, { ignoredLimit: 200 }, 500],
  ] as const)(
    'is the result of a service that %s, and a re-run can complete it',
    async (_, rows, quirks, listed) => {
      const { visitors } = stage.simulator.service;
      visitors.script({ rows });
      visitors.quirks = quirks;
      const run = await report({ compare: 'none', 'history-file': 'history.jsonl' });
      expect(run.outputs).toMatchObject({
        outcome: 'reported',
        reason: 'incomplete',
        'requests-used': '3',
      });
      expect(run.summary).toContain(changed);
      expect(parse(contents()[0] ?? '')).toHaveLength(listed + 1);
      visitors.quirks = {};
      expect((await stage.again(run)).outputs).toMatchObject({ complete: 'true' });
    },
  );

  test('is the result of malformed rows', async () => {
    // These rows are parsed from text, because our types don't allow them.
    const rows =
      '[{"path":"/a","human":10,"total":12},{"path":"/b"},{"total":3},"x",{"path":"/c","total":-1}]';
    const odd = JSON.parse(`{"rows":${rows},"totals":{"human":10,"total":12}}`);
    stage.simulator.service.visitors.give(() => odd);
    const run = await report();
    expect(asked()).toHaveLength(2);
    expect(run.outputs).toMatchObject({
      complete: 'false',
      total: '12',
      human: '10',
      ai: '',
      'ai-share': '',
    });
    expect(run.summary).toContain(changed);
  });
});

test('alerts that fire are an output and one annotation, and can fail the step', async () => {
  const rules = 'total > 1%\nai-share > 99%';
  const run = await report({ alerts: rules, 'fail-on': 'alert' });
  expect(run.exitCode).toBe(1);
  expect(run.outputs.alerts).toBe('total > 1%');
  const message = expect.stringMatching(/^🔴 Docs: .*\n.*\nAlerts: total above 1%\n/);
  expect(run.annotations).toEqual([
    expect.objectContaining({ level: 'error', title: 'Visitors alert', message }),
  ]);
  expect(JSON.parse(run.outputs.result ?? '')).toHaveProperty('alerts', [
    {
      rule: 'total > 1%',
      state: 'fired',
      why: expect.stringContaining('% from the week before, '),
    },
    { rule: 'ai-share > 99%', state: 'quiet' },
  ]);
  expect((await report({ alerts: rules })).exitCode).toBe(0);
});

describe('the history', () => {
  const historyFile = { 'history-file': 'history/visitors.jsonl', baseline: '2' };

  test('makes a re-run a day later free and identical, and the next report read only one week', async () => {
    stage.simulator.service.visitors.script({ rows: 300 });
    const first = await report(historyFile);
    expect(asked()).toHaveLength(6);
    const history = readFileSync(stage.path(historyFile['history-file']), 'utf8');
    const files = contents();
    await stage.simulator.clock.sleep(86_400_000);
    const again = await stage.again(first);
    expect(asked()).toHaveLength(6);
    expect(again.outputs['requests-used']).toBe('0');
    expect(again.summary).toBe(first.summary);
    expect(contents()).toEqual(files);
    expect(readFileSync(stage.path(historyFile['history-file']), 'utf8')).toBe(history);

    await stage.simulator.clock.sleep(
      Date.parse('2026-11-23T06:00:00Z') - stage.simulator.clock.now(),
    );
    const next = await report(historyFile);
    expect(asked().slice(6)).toEqual(pagesOf('2026-11-16..2026-11-23', 2));
    expect(next.outputs.complete).toBe('true');
    expect(next.summary).toContain('["Nov 2", "Nov 9", "Nov 16"]');
  });

  test('that can’t be read or written causes only a warning', async () => {
    mkdirSync(stage.path('place'));
    const run = await report({ 'history-file': 'place' });
    expect(run.outputs).toMatchObject({ outcome: 'reported', complete: 'true' });
    expect(run.log.match(/The history file can’t be used/g)).toHaveLength(1);
    expect(fileNames()).toEqual(allFiles);
  });

  test('keeps what a canceled run has read, although that run writes no report files', async () => {
    stage.simulator.service.visitors.script({ rows: 300 });
    const cancel = new AbortController();
    const at = ({ query: { dateFrom, offset } }: RecordedRequest) =>
      dateFrom === '2026-11-02' && offset === '250';
    stage.simulator.once({ at, phase: 'arrived' }, () => {
      cancel.abort();
      // The cancel signal must arrive before the response.
      return delay(500);
    });
    const run = await report(historyFile, { signal: cancel.signal });
    expect(run.outputs).toMatchObject({ outcome: 'failed', reason: 'cancelled' });
    expect(run.durationMs).toBeLessThan(5_000);
    expect(fileNames()).toEqual([]);
    expect(readdirSync(stage.path('history'))).toEqual(['visitors.jsonl']);
    const read = asked().length;
    const again = await stage.again(run);
    expect(again.outputs).toMatchObject({ complete: 'true', 'requests-used': '2' });
    const rest = ['2026-11-02..2026-11-09 250', '2026-10-26..2026-11-02 250'];
    expect(asked().slice(read)).toEqual(rest);
  });
});

describe('what is usual', () => {
  const start = Date.parse('2026-11-09T00:00:00Z');
  const weekMs = 7 * 86_400_000;
  const backOf = ({ fromMs }: { fromMs: number }) => Math.round((start - fromMs) / weekMs);
  const site = (total: number, pages: Readonly<Record<string, number>> = {}) => ({
    rows: Object.entries(pages).map(([path, count]) => ({
      path,
      human: count,
      ai: 0,
      total: count,
    })),
    totals: { human: Math.round(0.7 * total), ai: total - Math.round(0.7 * total), total },
  });

  test('a week without visitors raises an alarm, fires rules, and can fail the step', async () => {
    stage.simulator.service.visitors.give((window) =>
      backOf(window) === 0 ? site(0) : site(6800, { '/a': 500 }),
    );
    const alerts = 'total < -30%\ntotal < usual\nhuman < 5';
    const run = await report({ alerts, 'fail-on': 'no-visits', baseline: '8' });
    const outputs = { total: '0', 'change-percent': '-100.0', reason: 'no-visits', alerts };
    expect(run).toMatchObject({ exitCode: 1, outputs });
    expect(run.summary).toMatch(
      /^## Docs visitors, Nov 9–15, 2026\n\n> \[!CAUTION\]\n> \*\*No visitors were recorded\*\*, after 6,800 in the week before/,
    );
    expect(run.annotations[0]).toMatchObject({
      level: 'error',
      message: expect.stringContaining('6,800'),
    });
    expect((await report({ alerts, 'fail-on': 'incomplete, alert' })).exitCode).toBe(1);
    expect((await report({ 'fail-on': 'incomplete, alert' })).exitCode).toBe(0);
  });

  test('1,000 visitors a day are as usual in months of different lengths, and no rule fires', async () => {
    stage.simulator.clock.advance(Date.parse('2027-04-02T06:00:00Z') - stage.simulator.clock.now());
    stage.simulator.service.visitors.give(({ fromMs, toMs }) =>
      site((1000 * (toMs - fromMs)) / 86_400_000, { '/a': 900 }),
    );
    const alerts = 'total unusual\ntotal > 11%';
    const march = await report({
      'history-file': 'h.jsonl',
      period: 'last-month',
      baseline: '8',
      alerts,
    });
    expect(march.summary).toMatch(/\*\*31,000 visitors, as usual\*\*/);
    expect(asRead(march.summary)).toContain(
      '| **All** | 31,000<sub>usual 30,372–31,642</sub> | +11% |',
    );
    expect(march.summary).toContain(
      'The usual ranges allow for the lengths of the months; the changes don’t.',
    );
    expect(march.outputs.alerts).toBe('');
  });
});
