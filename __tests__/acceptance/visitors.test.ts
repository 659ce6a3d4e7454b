import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import type { ErrorAnswer } from '../../simulator/http/faults.ts';
import type { RecordedRequest } from '../../simulator/http/messages.ts';
import type { RunOptions } from '../../simulator/runner/runner.ts';
import { DEFAULT_PROJECT } from '../../simulator/service/service.ts';
import { conversation, SHOWN_READERS } from '../../simulator/service/visitors/readers.ts';
import { Stage, warnings } from '../support/bundle/stage.ts';
import { textOf } from '../support/oracle/agent.ts';
import { endOf } from '../support/played.ts';
import { routes } from '../support/routes.ts';
import {
  type Change,
  firstWeek,
  mergeAll,
  serve,
  untilReport,
} from '../support/scenarios/changed-site.ts';
import { THREAD } from '../support/usual.ts';
import { asRead } from '../unit/visitors/rendered.ts';
import { schemaProblems } from '../unit/visitors/schema.ts';

describe('one project', () => {
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
  const contents = () =>
    fileNames().map((name) => readFileSync(stage.path('report', name), 'utf8'));
  const allFiles = ['csv', 'json', 'md'].map(
    (extension) => `visitors-prj_simulated_docs-2026-W46.${extension}`,
  );

  describe('the weekly report', () => {
    test('reads both weeks, and writes a summary, outputs, and files', async () => {
      stage.simulator.service.visitors.script({ rows: 600 });
      const run = await report();
      expect(run.exitCode).toBe(0);
      expect(run.outputs.digest).toMatch(
        /^🟠 Docs: 26,244 people\nNov 9–15 · up 1% from the week before · 35% AI\nCheck [\s\S]*\n\nhttps:[^ ]*\/actions\/runs\/\d+$/,
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

    test.each<[string, Record<string, string>, string, string, string]>([
      [
        'Sunday evening in California',
        { 'time-zone': 'America/Los_Angeles' },
        'Nov 2–8, 2026',
        'Nov 9–15, 2026 wasn’t over in America/Los_Angeles',
        "Schedule it for Monday there: `cron: '17 5 * * 1'` and `timezone: America/Los_Angeles`.",
      ],
      [
        'the last day of a month in Honolulu',
        { 'time-zone': 'Pacific/Honolulu', period: 'last-month' },
        'Oct 2026',
        'Nov 2026 wasn’t over in Pacific/Honolulu',
        "Schedule it for the first day of the month there: `cron: '17 5 1 * *'` and `timezone: Pacific/Honolulu`.",
      ],
    ])(
      'says so if it is about the period before, because the run was created on %s',
      async (_, inputs, reported, unfinished, advice) => {
        const { clock } = stage.simulator;
        if (inputs.period) clock.advance(Date.parse('2026-12-01T06:10:00Z') - clock.now());
        const run = await report(inputs, { runId: 7_000_000_123 });
        const note = `When this run was created, ${unfinished}, so this report is about ${reported}. ${advice}`;
        expect(run.summary).toContain(`## Docs visitors, ${reported}\n\n${note}\n\n`);
        expect(warnings(run)).toEqual([note]);
      },
    );

    test('says nothing about the time on a Monday in the time zone', async () => {
      const run = await report({ 'time-zone': 'Europe/Berlin' });
      expect(run.summary).not.toContain('When this run was created');
      expect(warnings(run)).toEqual([]);
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
    const fewer =
      ' The service sent fewer pages than requested, and said there are more, so some may be missing. Re-running the workflow doesn’t help.';

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
      'is the result of a service that %s, and a re-run can complete it once that is mended',
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
        expect(run.summary).toContain(fewer);
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
      expect(run.summary).toContain(
        ' The service sent pages that can’t be read, so some are missing.',
      );
      expect(run.log).toContain('The service sent pages that can’t be read');
    });
  });

  test('alerts that fire are an output and one annotation, and can fail the step', async () => {
    const rules = 'total > 1%\nai-share > 99%';
    const run = await report({ alerts: rules, 'fail-on': 'alert' });
    expect(run.exitCode).toBe(1);
    expect(run.outputs.alerts).toBe('total > 1%');
    const message = expect.stringMatching(/^🔴 Docs: .*\n.*\nCheck .*\nAlerts: total above 1%\n/);
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
    const historyFile = { 'history-file': 'history/visitors.jsonl', baseline: '1' };

    test('makes a re-run a day later identical, and the next report read only one week', async () => {
      stage.simulator.service.visitors.script({ rows: 300 });
      const first = await report(historyFile);
      expect(asked()).toHaveLength(6);
      const history = readFileSync(stage.path(historyFile['history-file']), 'utf8');
      const files = contents();
      await stage.simulator.clock.sleep(86_400_000);
      const again = await stage.again(first);
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
        /^## Docs visitors, Nov 9–15, 2026\n\n> \[!CAUTION\]\n> \*\*No visitors were recorded\*\*, after 6,800 visitors the week before: /,
      );
      expect(run.annotations[0]).toMatchObject({
        level: 'error',
        message: expect.stringContaining('6,800'),
      });
      expect((await report({ alerts, 'fail-on': 'incomplete, alert' })).exitCode).toBe(1);
      expect((await report({ 'fail-on': 'incomplete, alert' })).exitCode).toBe(0);
    });

    test('a week whose visitors are counted late isn’t kept as one without visitors', async () => {
      const inputs = { 'history-file': 'h.jsonl', baseline: '4' };
      stage.simulator.service.visitors.give((window) => site(backOf(window) === 0 ? 0 : 6800));
      const early = await report(inputs);
      expect(early.outputs).toMatchObject({ reason: 'no-visits', total: '0' });
      stage.simulator.service.visitors.give(() => site(6800));
      const late = await stage.again(early);
      expect(late.outputs).toMatchObject({
        reason: 'complete',
        total: '6800',
        'requests-used': '1',
      });
      expect((await stage.again(late)).outputs['requests-used']).toBe('0');
    });

    test('1,000 visitors a day are as usual in months of different lengths, and no rule fires', async () => {
      stage.simulator.clock.advance(
        Date.parse('2027-04-02T06:00:00Z') - stage.simulator.clock.now(),
      );
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
      expect(march.summary).toMatch(/\*\*21,700 people, as usual\*\*/);
      expect(asRead(march.summary)).toContain(
        '| **People** | 21,700<sub>usual 21,408–21,996</sub> | +11% |',
      );
      expect(march.summary).toContain(
        'The usual ranges allow for the lengths of the months; the changes don’t.',
      );
      expect(march.outputs.alerts).toBe('');
    });
  });
});

describe('several projects', () => {
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
    stage.simulator.service.visitors.script({ rows: 400, churn: 0 });
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

  test('a re-run with a history reads nothing and gives the same summary, in any order of projects', async () => {
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
});

describe('in a thread', () => {
  const stage = new Stage({ clock: { start: '2026-11-16T06:10:00Z' } });
  beforeEach(() => stage.simulator.service.visitors.script({ rows: 40 }));

  const report = (inputs: Record<string, string> = {}, options: Partial<RunOptions> = {}) =>
    stage.play({ mode: 'visitors', thread: `${THREAD}`, ...inputs }, options);
  const comments = () => stage.github.commentsOf(THREAD);

  test('the report is one comment, which a re-run edits, and the next week gets a new one', async () => {
    const first = await report();
    expect(first).toMatchObject({ exitCode: 0, outputs: { outcome: 'reported' } });
    expect(comments().map(textOf)).toEqual([`${first.summary.trimEnd()}\n`]);
    expect(first.outputs['comment-url']).toMatch(/#issuecomment-\d+$/);
    expect(JSON.parse(first.outputs.result ?? '').commentUrl).toBe(first.outputs['comment-url']);
    await stage.again(first);
    expect(comments()).toHaveLength(1);
    stage.simulator.clock.advance(7 * 24 * 3_600_000);
    await report({}, { runId: 7_000_000_777 });
    expect(comments().map((comment) => /^## (.*)$/m.exec(comment.body)?.[1])).toEqual([
      'Docs visitors, Nov 9–15, 2026',
      'Docs visitors, Nov 16–22, 2026',
    ]);
  });

  describe('with `report-comment: one`', () => {
    const one = { 'report-comment': 'one' };
    const headings = () =>
      comments().map(({ body }) => /^## Docs visitors, (.*)$/m.exec(body)?.[1]);
    let runs = 0;
    /** A run of a new week. */
    const nextWeek = (inputs: Record<string, string> = {}, env: Record<string, string> = {}) => {
      stage.simulator.clock.advance(7 * 24 * 3_600_000);
      runs += 1;
      return report({ ...one, ...inputs }, { runId: 7_000_000_800 + runs, env });
    };

    test('each period edits the last report, below a first line that says which week it is', async () => {
      const first = await report(one);
      stage.github.comment('maintainer', THREAD, 'Why did it rise?');
      const second = await nextWeek();
      expect(headings()).toEqual(['Nov 16–22, 2026', undefined]);
      expect(textOf(comments()[0] ?? { body: '' })).toMatch(/^## Docs visitors, Nov 16–22, 2026\n/);
      const urlOf = ({ outputs }: { outputs: Readonly<Record<string, string>> }) =>
        JSON.parse(outputs.result ?? '').commentUrl;
      expect(urlOf(second)).toBe(urlOf(first));
    });

    test('a re-run of an earlier week doesn’t replace a later report, and says so', async () => {
      const first = await report(one);
      await nextWeek();
      const again = await stage.again(first);
      expect(headings()).toEqual(['Nov 16–22, 2026']);
      expect(again.log).toContain(
        `The report in #${THREAD} is about a later period, so it wasn’t replaced.`,
      );
      expect(again.outputs).toMatchObject({ outcome: 'reported' });
      expect(JSON.parse(again.outputs.result ?? '').commentUrl).toBeNull();
    });

    test.each<[string, Record<string, string>, Record<string, string>]>([
      [
        'another workflow',
        {},
        { GITHUB_WORKFLOW_REF: 'octo-org/docs/.github/workflows/other.yml@refs/heads/main' },
      ],
      ['another step', {}, { GITHUB_ACTION: 'second' }],
      ['another job', {}, { GITHUB_JOB: 'second' }],
      ['another kind of period', { period: 'last-4-weeks' }, {}],
      ['other pages', { pages: '/guides/**' }, {}],
      ['a comment for each period', { 'report-comment': 'each' }, {}],
    ])('a report of %s is left alone', async (_, inputs, env) => {
      await report({ ...one, ...inputs }, { env });
      await nextWeek();
      expect(comments()).toHaveLength(2);
      await nextWeek(inputs, env);
      await nextWeek();
      expect(headings()).toHaveLength(inputs['report-comment'] ? 3 : 2);
      expect(headings()).toContain('Nov 30–Dec 6, 2026');
    });

    test('a deleted comment is posted anew, and one that someone edited is replaced', async () => {
      await report(one);
      stage.github.delete(comments()[0]?.id ?? 0);
      await nextWeek();
      expect(headings()).toEqual(['Nov 16–22, 2026']);
      const [posted] = comments();
      stage.github.edit(posted?.id ?? 0, `${posted?.body}\nWell done!`);
      await nextWeek();
      expect(headings()).toEqual(['Nov 23–29, 2026']);
      expect(comments()[0]?.body).not.toContain('Well done!');
    });

    test('in a locked thread, the report is in the summary, and a warning says why', async () => {
      await report(one);
      stage.github.mayEditInLocked = false;
      stage.github.thread(THREAD).locked = true;
      const second = await nextWeek();
      expect(headings()).toEqual(['Nov 9–15, 2026']);
      expect(second.summary).toContain('## Docs visitors, Nov 16–22, 2026');
      expect(warnings(second)).toEqual([expect.stringContaining('The thread is locked')]);
    });
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
    const hint = /`issues: write`.* push the fix, .*for a report or a merge, start a new run/;
    expect(warnings(run)).toContainEqual(expect.stringMatching(hint));
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
});

describe('gaps', () => {
  const stage = new Stage({ clock: { start: '2026-03-09T06:00:00Z' } });

  test('a thousand conversations of 100 KB take three requests', async () => {
    const response = 'x'.repeat(100_000);
    const assistant = Array.from({ length: 1_000 }, () => conversation('?', { response }));
    stage.simulator.service.visitors.readers.give({ ...SHOWN_READERS, assistant });
    const run = await stage.play({ mode: 'visitors', baseline: '0', gaps: 'counts' });
    expect(run.summary).toContain(
      'Counted: the first 750 questions, 2 rated pages, 3 search terms, and 11 pending feedback items.',
    );
    expect(run.service).toHaveLength(8);
    expect(warnings(run)).toEqual([]);
  });
});

describe('changed pages', () => {
  /* Weekly reports on a site whose pages change, of which some get other readers. */

  const stage = new Stage({ clock: { start: firstWeek } });
  beforeEach(() =>
    stage.simulator.elsewhere.addToken('ghs_fake_docs', { 'pull-requests': 'read' }),
  );

  /** What pages 0 to 8 get from the week after they changed on; the others stay as they are. */
  const factors = [2, 2, 0.5, 1, 1, 1, 1, 1, 1];
  const sizes = [30, 100, 400, 30, 100, 400, 30, 100, 400];

  test.each([1, 2, 3, 4])(
    'are said to have more or fewer readers, %d weeks after the changes',
    async (since) => {
      const merged = 8 - since;
      const peopleOf = (page: number, week: number) => {
        const isSince = week > merged;
        const size = sizes[page] ?? 50 + page;
        return size * (isSince ? (factors[page] ?? 1) : 1);
      };
      const weeks = [...Array(9).keys()];
      const pages = [...Array(60).keys()];
      const people = weeks.map((week) => pages.map((page) => peopleOf(page, week)));
      const ai = weeks.map(() => pages.map(() => 7));
      const changes = sizes.map((_, page): Change => [page, merged]);
      // Some change again, or a week earlier.
      const again = changes.slice(0, 4).map(([page, week]): Change => [page, week + 1]);
      const all = changes.map(([page, week]): Change => [page, page > 6 ? week - 1 : week]);
      mergeAll(stage.simulator, stage.simulator.elsewhere, [...all, ...again]);
      serve(stage.simulator, { people, ai }, (page) => `/p${page}`);
      const run = await stage.play(
        {
          ...{ mode: 'visitors', 'report-dir': 'report', 'docs-token': 'ghs_fake_docs' },
          'docs-repository': 'octo-org/handbook',
        },
        { event: stage.github.scheduleEvent() },
      );
      expect(run.outputs).toMatchObject({
        outcome: 'reported',
        complete: 'true',
        'requests-used': '14',
      });
      const json = JSON.parse(readFileSync(stage.path(run.outputs['json-file'] ?? ''), 'utf8'));
      expect(schemaProblems(json)).toEqual([]);
      const rows: {
        path: string;
        became: string;
        before: { human: number };
        since: { human: number; ai: number };
        changes: number;
      }[] = json.changed.rows;
      const becameOf = (page: number) => {
        // With fewer than two weeks since, or four before, it is too early to judge.
        const weeksSince = page > 6 ? since + 1 : since;
        if (weeksSince < 2 || weeksSince > 4) return 'early';
        return { 2: 'more', 0.5: 'fewer', 1: 'same' }[factors[page] ?? 1];
      };
      const said = rows.map(({ path, became, before, since: after, changes: count }) => {
        return [path, became, before.human, after.human, after.ai, count];
      });
      const expected = all.map(([page]) => [
        `/p${page}`,
        becameOf(page),
        sizes[page],
        (sizes[page] ?? 0) * (factors[page] ?? 1),
        7,
        // A change of the report's own week isn't read.
        page < 4 && since > 1 ? 2 : 1,
      ]);
      expect(new Set(said)).toEqual(new Set(expected));
      expect(json.changed).toMatchObject({ few: 0, shared: 0, unvisited: 0 });
      // The repository, its tree, its pull requests, and the files of each.
      const elsewhere = run.github.filter(({ path }) =>
        path.startsWith('/repos/octo-org/handbook'),
      );
      const pulls = 9 + (since > 1 ? 4 : 0);
      expect(elsewhere).toHaveLength(3 + pulls);
      expect(elsewhere.filter(({ route }) => route === routes.readFiles)).toHaveLength(pulls);
      expect(run.summary).toContain(`<summary>Pages that changed (9)</summary>`);
      expect(run.outputs.digest).toMatch(/Of 9 pages edited since \w+ \d+, /);
      expect(JSON.parse(run.outputs.result ?? '').changed).toEqual(json.changed);
    },
  );

  test.each([
    [true, 'complete'],
    [false, 'bad-input'],
  ])(
    'if the event doesn’t say whether this repository is private (%j), GitHub does',
    async (isPrivate, reason) => {
      const { github, elsewhere, clock } = stage.simulator;
      elsewhere.git.commit({ files: { 'docs.json': '{}' } });
      elsewhere.repository.isPrivate = true;
      github.repository.isPrivate = isPrivate;
      untilReport({ clock });
      const inputs = {
        mode: 'visitors',
        'docs-repository': 'octo-org/handbook',
        'docs-token': 'ghs_fake_docs',
      };
      const run = await stage.play(inputs, { event: { ...github.scheduleEvent(), payload: {} } });
      expect(run.outputs.reason).toBe(reason);
    },
  );
});
