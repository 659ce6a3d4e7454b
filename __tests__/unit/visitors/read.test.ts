import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Budget } from '../../../src/core/budget.ts';
import type { DocsService } from '../../../src/service/client.ts';
import { ServiceError } from '../../../src/service/errors.ts';
import { openHistory } from '../../../src/visitors/read/history.ts';
import { readChanges } from '../../../src/visitors/read/read-changes.ts';
import { readGapLists } from '../../../src/visitors/read/read-gaps.ts';
import { beginReading, createAsk, createReadPage } from '../../../src/visitors/read/read-page.ts';
import {
  chooseWindow,
  type PeriodChoice,
  shiftWindow,
  type Window,
} from '../../../src/visitors/read/window.ts';
import { isRanked, type WindowRead } from '../../../src/visitors/read/window-read.ts';
import { MemoryFiles } from '../../support/files.ts';
import { plain, plainAll } from '../../support/plain.ts';
import { answeredBy } from '../github/memory-github.ts';
import {
  type Answer,
  config,
  createdAt,
  depsOf,
  honest,
  hostilePaths,
  pagesOf,
  readOf,
  row,
  serviceOf,
  unused,
  window,
  windowBefore,
} from './site.ts';

const projects = plainAll([...config.projects]);

describe('windows', () => {
  const at = (period: PeriodChoice['period'], iso: string) =>
    chooseWindow({ period, timeZone: 'UTC' }, Date.parse(iso));
  /** The date in a time zone, calculated by the platform. */
  const dayIn = (timeZone: string, ms: number) =>
    new Intl.DateTimeFormat('sv-SE', { timeZone }).format(ms);
  const custom = (dateFrom: string, dateTo: string) =>
    chooseWindow({ period: 'custom', timeZone: 'UTC', dateFrom, dateTo }, 0);

  test.each([
    ['last-week', '2026-11-16', '2026-11-09', '2026-11-16', '2026-W46', 'Nov 9–15, 2026'],
    ['last-week', '2027-01-04', '2026-12-28', '2027-01-04', '2026-W53', 'Dec 28, 2026–Jan 3, 2027'],
    ['last-week', '2027-01-11', '2027-01-04', '2027-01-11', '2027-W01', 'Jan 4–10, 2027'],
    ['last-week', '2026-03-02', '2026-02-23', '2026-03-02', '2026-W09', 'Feb 23–Mar 1, 2026'],
    [
      'last-4-weeks',
      '2026-03-03',
      '2026-02-02',
      '2026-03-02',
      '2026-W06_2026-W09',
      'Feb 2–Mar 1, 2026',
    ],
    ['last-month', '2026-03-31', '2026-02-01', '2026-03-01', '2026-02', 'Feb 2026'],
    ['last-month', '2026-01-01', '2025-12-01', '2026-01-01', '2025-12', 'Dec 2025'],
  ] as const)(
    'the %s of a run created on %s is from %s to %s, %s, %s',
    (period, created, ...expected) => {
      const { start, end, slug, label } = at(period, created);
      expect([start, end, slug, label]).toEqual(expected);
    },
  );

  test.each([
    ['four weeks', at('last-4-weeks', '2026-02-03'), '2025-12-08', '2026-01-05'],
    ['a month', at('last-month', '2026-03-31'), '2026-01-01', '2026-02-01'],
    ['fourteen days', custom('2026-03-01', '2026-03-15'), '2026-02-15', '2026-03-01'],
    ['a day', custom('2026-03-01', '2026-03-02'), '2026-02-28', '2026-03-01'],
  ])('the window before %s has the same length', (_, window, start, end) => {
    expect(shiftWindow(window, -1)).toMatchObject({ start, end });
  });

  test('the last week is the latest complete week from Monday to Sunday, in any time zone', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: Date.parse('1990-01-01'), max: Date.parse('2100-01-01') }),
        fc.constantFrom(
          'UTC',
          'Europe/Berlin',
          'Pacific/Apia',
          'America/Sao_Paulo',
          'Asia/Kathmandu',
        ),
        (created, zone) => {
          const window = chooseWindow({ period: 'last-week', timeZone: zone }, created);
          expect(new Date(window.start).getUTCDay()).toBe(1);
          expect(Date.parse(window.end) - Date.parse(window.start)).toBe(7 * 86_400_000);
          const now = dayIn(zone, created);
          expect(window.end <= now).toBe(true);
          expect(Date.parse(now) - Date.parse(window.end)).toBeLessThan(7 * 86_400_000);
          expect(shiftWindow(window, -1).end).toBe(window.start);
        },
      ),
      {
        numRuns: 300,
        // Just before and after midnight on the Mondays after each clock change.
        examples: [
          '2026-10-25T22:30Z',
          '2026-10-25T23:00Z',
          '2027-03-28T21:59Z',
          '2027-03-28T22:00Z',
        ].map((iso): [number, string] => [Date.parse(iso), 'Europe/Berlin']),
      },
    );
  });

  test.each([
    ['2026-03-01', '2026-03-15', 'Mar 1–14, 2026', 'the 14 days before'],
    ['2026-02-28', '2026-03-01', 'Feb 28, 2026', 'the day before'],
  ])('a custom window from %s to %s is %s, after “%s”', (start, end, label, previousName) => {
    expect(custom(start, end)).toMatchObject({ start, end, label, previousName });
  });

  describe('a window’s short names', () => {
    test.each([
      [at('last-week', '2026-03-02T06:00:00Z'), 'Feb 23–Mar 1', 'Feb 23'],
      [at('last-week', '2026-01-05T06:00:00Z'), 'Dec 29–Jan 4', 'Dec 29'],
      [at('last-month', '2026-03-09T06:00:00Z'), 'Feb', 'Feb'],
      [custom('2026-03-01', '2026-03-02'), 'Mar 1', 'Mar 1'],
      [custom('2026-03-01', '2026-04-01'), 'Mar 1–31', 'Mar 1'],
      [custom('2026-03-01', '2026-04-02'), 'Mar 1–Apr 1, 2026', 'Mar 2026'],
      [custom('2025-12-01', '2026-03-01'), 'Dec 1, 2025–Feb 28, 2026', 'Dec 2025'],
    ])('are for columns and charts (%#)', (window, shortLabel, startLabel) => {
      expect(window).toMatchObject({ shortLabel, startLabel });
    });

    test('are different for each window in a chart', () => {
      fc.assert(
        fc.property(
          fc.integer({ min: 1, max: 800 }),
          fc.integer({ min: 0, max: 3000 }),
          (days, first) => {
            const date = (day: number) =>
              new Date(Date.UTC(2015, 0, 1 + day)).toISOString().slice(0, 10);
            const windows = [custom(date(first), date(first + days))];
            while (windows.length < 8)
              windows.push(shiftWindow(windows.at(-1) ?? custom('', ''), -1));
            expect(new Set(windows.map(({ startLabel }) => startLabel)).size).toBe(8);
            expect(new Set(windows.map(({ shortLabel }) => shortLabel)).size).toBe(8);
          },
        ),
        { numRuns: 200 },
      );
    });
  });
});

describe('pages', () => {
  const totals = { human: 9, ai: 3, total: 10 };

  async function play(answer: Answer, most = 40) {
    const { service, queries } = serviceOf(answer);
    const budget = new Budget(most);
    const readPage = createReadPage({
      ...config,
      projects,
      window,
      service,
      budget,
      history: openHistory(undefined, 1, depsOf(service).deps),
    });
    const reading = beginReading('acme', {
      ...readOf([], { cut: { kind: 'budget' } }),
      rows: new Map(),
    });
    while (reading.next !== undefined) await readPage(reading);
    if (reading.failure) throw reading.failure;
    return { queries, budget, read: reading };
  }

  test('reading sends as many requests as the rows and the budget allow', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: 2600 }),
        fc.integer({ min: 1, max: 12 }),
        async (count, most) => {
          const rows = pagesOf(count);
          const tries: (number | undefined)[] = [];
          const answer: Answer = (query, options) => {
            tries.push(options.tries);
            return honest(() => rows)(query);
          };
          const { queries, budget, read } = await play(answer, most);
          const needed = Math.max(1, Math.ceil(count / 250));
          expect(budget.used).toBe(Math.min(most, needed));
          expect(queries.map(({ offset }) => offset)).toEqual(
            queries.map((_, index) => index * 250),
          );
          expect(tries).toEqual(queries.map((_, index) => Math.min(4, most - index)));
          expect([...read.rows.values()]).toEqual(rows.slice(0, 250 * most));
          expect(read.cut).toEqual(needed > most ? { kind: 'budget' } : undefined);
        },
      ),
      { numRuns: 60 },
    );
  });

  test.each([
    ['complete if the totals stay the same', 0, undefined],
    ['incomplete if the totals changed', 1, { kind: 'changed' }],
  ])('reading ends at an empty page after a full one, and is %s', async (_, more, cut) => {
    const rows = pagesOf(500);
    const { queries, read } = await play(({ offset }) => ({
      totals: offset < 500 ? totals : { ...totals, total: totals.total + more },
      visitors: rows.slice(offset, offset + 250),
      hasMore: offset < 500,
    }));
    expect(read).toMatchObject({ totals, cut });
    expect(queries).toHaveLength(3);
  });

  describe('a list that the service doesn’t send as documented is incomplete, and the reason says whose fault it is:', () => {
    const [first = row('/', 1, 0), ...others] = pagesOf(600);

    test.each<[string, Answer, object]>([
      [
        'shorter pages than requested',
        ({ offset }) => ({
          totals,
          visitors: [first, ...others].slice(offset, offset + 200),
          hasMore: offset + 200 < 600,
        }),
        { kind: 'service', what: expect.stringMatching(/fewer pages than requested/) },
      ],
      [
        'rows that can’t be read',
        () => ({ totals, visitors: [first, null], hasMore: false }),
        { kind: 'service', what: expect.stringMatching(/can’t be read/) },
      ],
      [
        'a row twice, as if the list changed meanwhile',
        ({ offset }) => ({
          totals,
          visitors: offset === 0 ? [first, ...others].slice(0, 250) : [first],
          hasMore: offset === 0,
        }),
        { kind: 'changed' },
      ],
    ])('%s', async (_, answer, cut) => {
      const { read } = await play(answer);
      expect(read.cut).toMatchObject(cut);
      expect(isRanked(read)).toBe(false);
    });
  });

  test.each([
    ['descending', [9, 7, 7, 2], true],
    ['ascending', [2, 7, 7, 9], false],
    ['equal, which any order could be', [2, 2, 2, 2], false],
    ['a single row', [2], false],
  ])(
    'a partly read list has the most-read pages only if its order shows that: %s',
    (_, counts, expected) => {
      const rows = counts.map((count, index) => row(`/${index}`, count, 0));
      expect(isRanked(readOf(rows, { cut: { kind: 'budget' } }))).toBe(expected);
      expect(isRanked(readOf(rows))).toBe(true);
    },
  );

  test('requests end after two in a row without a response, not after two in all', async () => {
    const ask = createAsk(new Budget(9));
    const silence = new ServiceError('timeout', 'The service didn’t respond in time');
    const answers: unknown[] = [];
    for (const answer of ['a', silence, 'b', silence, 'c', silence, silence, 'never sent']) {
      const request = async () => (typeof answer === 'string' ? answer : Promise.reject(answer));
      answers.push(await ask(request, 1));
    }
    expect(answers).toEqual(['a', silence, 'b', silence, 'c', silence, silence, silence]);
  });
});

describe('changes', () => {
  /** The answers of a repository whose pull requests were merged, or closed, at these times. */
  function githubWith(mergedAt: readonly (string | null)[]) {
    const pulls = mergedAt.map((merged_at, index) => ({
      number: index + 1,
      html_url: `https://github.com/octo-org/docs/pull/${index + 1}`,
      merged_at,
      // Someone commented on the first one last. That isn't a change.
      updated_at: new Date(createdAt - index * 60_000).toISOString(),
      user: { login: 'octocat', type: 'User' },
    }));
    const lists: [RegExp, object][] = [
      [/\/pulls\?/, pulls],
      [/\/files\?/, [{ filename: 'a.mdx', status: 'modified', additions: 1, deletions: 0 }]],
      [/\/trees\//, { tree: [], truncated: false }],
    ];
    const about = { default_branch: 'main', private: false, full_name: 'octo-org/docs' };
    return answeredBy((path) => ({
      body: lists.find(([pattern]) => pattern.test(path))?.[1] ?? about,
    }));
  }

  test('a change belongs to the day on which it was merged, whenever it was updated', async () => {
    const github = githubWith([
      '2026-10-11T21:59:59Z', // the day before the range begins, in Berlin
      '2026-10-11T22:00:00Z', // the first day
      '2026-11-04T12:00:00Z',
      '2026-11-08T22:59:59Z', // the last day
      '2026-11-08T23:00:00Z', // the day on which the range ends
      null,
    ]);
    const range = { from: shiftWindow(window, -4), to: window, timeZone: 'Europe/Berlin' };
    const { deps } = depsOf(serviceOf(unused).service, { github });
    const changes = await readChanges({ owner: 'octo-org', repo: 'docs' }, range, deps);
    expect(changes).toMatchObject({
      pulls: [
        { number: 4, date: '2026-11-08' },
        { number: 3, date: '2026-11-04' },
        { number: 2, date: '2026-10-12' },
      ],
      unread: 0,
      isLeast: false,
    });
  });
});

describe('gaps', () => {
  const row = { missed: 1, asked: 1 };

  test.each([
    ['ends where the service says so, even if there is a cursor', { hasMore: false }, 1, false],
    ['goes on from its cursor while there is more', { hasMore: true }, 3, true],
    ['goes on from its cursor if the service doesn’t say whether there is more', {}, 3, true],
    ['ends without a cursor, even if there is more', { hasMore: true, nextCursor: null }, 1, true],
  ])('a list %s', async (_, paging, pages, hasMore) => {
    const cursors: (string | undefined)[] = [];
    const getGaps: DocsService['getGaps'] = async (list, { cursor }, options) => {
      options?.beforeSend?.();
      if (list !== 'searches') return { rows: [], nextCursor: null, hasMore: false };
      cursors.push(cursor);
      return { rows: [row], nextCursor: `page-${cursors.length}`, hasMore: undefined, ...paging };
    };
    const service: DocsService = {
      ...serviceOf(unused).service,
      getGaps,
      forProject: () => service,
    };
    const { deps } = depsOf(service);
    const [site] = (
      await readGapLists(projects, {
        ...config,
        projects,
        window,
        service,
        budget: new Budget(6),
        history: openHistory(undefined, 1, deps),
      })
    ).values();
    // Six requests read the four lists, and then two more pages.
    expect(cursors).toEqual([undefined, 'page-1', 'page-2'].slice(0, pages));
    const part = site?.find(({ list }) => list === 'searches');
    expect(part).toMatchObject({ hasMore, rows: cursors.map(() => row) });
  });
});

describe('the history', () => {
  const path = 'h.jsonl';
  const cut = { kind: 'budget' } as const;
  const rows = [
    ...hostilePaths.map((path, index) => row(path, index, 2)),
    { path: plain('/uncounted'), total: 7 },
  ];

  const isWhole = (read: WindowRead) => read.cut === undefined;
  const unreadable = 'warning: h.jsonl has lines that can’t be read (line ';
  const totalsOf = (total: number) => ({ totals: { human: total, ai: 0, total } });

  /** Opens a history file with this text. Its `keep` also writes the file. */
  function open(text = '', windowsNeeded = 9, files = new MemoryFiles()) {
    if (text !== '') files.write(path, text);
    const { deps, log } = depsOf(serviceOf(unused).service, { files });
    const history = openHistory(path, windowsNeeded, deps);
    const keep: typeof history.keep = (...args) => {
      history.keep(...args);
      history.save();
    };
    return { ...history, keep, log, text: () => files.read(path) ?? '' };
  }

  /** A window and those before it, newest first. */
  function windowsBack(which: Window, count: number): Window[] {
    return count === 0 ? [] : [which, ...windowsBack(shiftWindow(which, -1), count - 1)];
  }

  /** The text of the history file after a run whose report is about one window. */
  function runOf(before: string, which: Window, windowsOfReport: number): string {
    const history = open(before, windowsOfReport);
    history.find('acme', which);
    history.keep('acme', readOf(rows, { window: which }));
    return history.text();
  }

  function lineOf(read: WindowRead, project = 'acme'): string {
    const history = open();
    history.keep(project, read);
    return history.text();
  }

  test('each window is one line, and a complete window is restored exactly', () => {
    const read = readOf(rows);
    const text = lineOf(read);
    expect(text).toMatch(/^.*\}\n$/);
    expect(open(text).find('acme', window)).toEqual(read);
    const unknown = { totals: {}, rows: new Map(), cut };
    expect(open(text).find('acme', windowBefore)).toMatchObject(unknown);
    expect(open(text).find('other', window)).toMatchObject(unknown);
  });

  test('if two lines are about the same complete window, the later one is used', () => {
    const line = (total: number) => lineOf(readOf([], totalsOf(total)));
    expect(open(`${line(5)}${line(6)}`).find('acme', window).totals.total).toBe(6);
    const history = open(`${line(5)}${lineOf(readOf(rows), 'other')}${line(6)}`);
    history.keep('acme', readOf([], totalsOf(7)));
    expect(history.text()).toBe(`${lineOf(readOf(rows), 'other')}${line(7)}`);
  });

  test('an incomplete window has its totals and, if they are known, its most-read pages, labeled', () => {
    const first = [row('/a', 7, 2, 8), { path: plain('/b'), total: 5 }];
    const read = readOf(first, { cut });
    const line = lineOf(read);
    expect(JSON.parse(line)).toMatchObject({ complete: false, rows: null, first });
    expect(open(line).find('acme', window)).toEqual(read);
    const rising = readOf(first.toReversed(), { cut });
    const changed = readOf(first, { cut: { kind: 'changed' }, flaw: { kind: 'changed' } });
    for (const other of [rising, changed]) {
      expect(lineOf(other)).not.toContain('first');
      expect(open(lineOf(other)).find('acme', window)).toMatchObject({
        rows: new Map(),
        cut,
        totals: read.totals,
      });
    }
  });

  test('the file of an earlier version is read, and reads ours as far as it can', () => {
    const totals = '"totals":{"human":900,"ai":300,"total":1100}';
    const head = '{"v":1,"project":"acme","start":"2026-11-09","end":"2026-11-16"';
    const whole = `${head},"complete":true,${totals},"rows":[["/a",7,2,8],["/b",null,null,5]]}\n`;
    const first = [
      row('/a', 7, 2, 8),
      { path: plain('/b'), human: undefined, ai: undefined, total: 5 },
    ];
    expect(open(whole).find('acme', window)).toEqual(readOf(first));
    const old = { human: 900, ai: 300, total: 1100 };
    expect(
      open(`${head},"complete":false,${totals},"rows":null}\n`).find('acme', window),
    ).toMatchObject({
      ...{ totals: old, cut, rows: new Map() },
    });
    // Earlier versions read whole windows, and the totals of others. They know nothing of `first`, and keep it.
    expect(lineOf(readOf(first))).toBe(whole);
    expect(JSON.parse(lineOf(readOf(first, { cut })))).toMatchObject({
      v: 1,
      complete: false,
      totals: old,
      rows: null,
    });
  });

  test('lines are in the order of their dates, and those that can’t be read come first', () => {
    const history = open(
      `${lineOf(readOf(rows), 'b')}{"v":2}\n${lineOf(readOf(rows, { window: windowBefore }))}`,
    );
    history.keep('acme', readOf(rows));
    const starts = history
      .text()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).start);
    expect(starts).toEqual([undefined, windowBefore.start, window.start, window.start]);
  });

  test('fields that a version doesn’t know are ignored, and counts may be null', () => {
    const text = lineOf(readOf([row('/a', 7, 2)])).replace('"v":1,', '"v":1,"new":[1],');
    expect(open(text).find('acme', window)).toEqual(readOf([row('/a', 7, 2)]));
    const partial = lineOf(readOf([], { totals: { total: 3 } }));
    expect(partial).toContain('"totals":{"human":null,"ai":null,"total":3}');
    expect(open(partial).find('acme', window).totals).toEqual({ total: 3 });
  });

  describe('the history keeps', () => {
    test('a complete window until another complete one replaces it', () => {
      const which = fc.constantFrom(window, windowBefore);
      const step = fc.record({ whole: fc.boolean(), total: fc.nat(), which });
      fc.assert(
        fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
          let text = '';
          const expected = new Map<Window, { whole: boolean; total: number }>();
          for (const { whole, total, which } of steps) {
            const history = open(text);
            const more = { window: which, ...totalsOf(total), cut: whole ? undefined : cut };
            history.keep('acme', readOf([row('/a', total, 0)], more));
            text = history.text();
            if (whole || expected.get(which)?.whole !== true) expected.set(which, { whole, total });
          }
          for (const which of [window, windowBefore]) {
            const [history, known] = [open(text), expected.get(which)];
            const { totals, cut } = history.find('acme', which);
            expect([totals.total, cut === undefined]).toEqual([
              known?.total,
              known?.whole ?? false,
            ]);
          }
        }),
        { numRuns: 100 },
      );
    });

    const sound = lineOf(readOf([row('/a', 1, 2)]));

    test('unknown lines, broken rows, and other projects unchanged', () => {
      const broken = ['5', 'null', '"/a"'].map((row) =>
        sound.trimEnd().replace('["/a",1,2,3]', row),
      );
      const lines = [
        '{"v":2,"new":true}',
        'no json',
        ...broken,
        lineOf(readOf(rows), 'other').trimEnd(),
      ];
      const history = open(['', ...lines, ''].join('\n'));
      expect(history.log).toEqual([`${unreadable}1, 2, 3, 4, 5). They are kept, but not used.`]);
      history.keep('acme', readOf(rows));
      expect(history.text().trimEnd().split('\n')).toEqual([
        ...lines,
        lineOf(readOf(rows)).trimEnd(),
      ]);
    });

    test('the totals of all windows, and the rows of the latest ones', () => {
      const text = lineOf(readOf(rows), 'other');
      const windows = windowsBack(window, 15);
      let later = text;
      for (const which of windows.toReversed()) later = runOf(later, which, 5);
      const history = open(later);
      const kept = windows.map((which) => isWhole(history.find('acme', which)));
      // One more than the next report needs: a re-run of this one reads it.
      expect(kept).toEqual(windows.map((_, index) => index < 6));
      expect(windows.every((which) => history.find('acme', which).totals.total === 1100)).toBe(
        true,
      );
      expect(isWhole(history.find('other', window))).toBe(true);
      // The oldest line lost its rows but is still complete, so an incomplete window must not replace it.
      history.keep('acme', readOf([], { window: windows.at(-1) ?? window, cut }));
      expect(history.text()).toBe(later);
    });

    test.each([
      ['windows that overlap', ['last-4-weeks']],
      ['weeks and months', ['last-week', 'last-month']],
    ] as const)(
      'all rows that the next report or a re-run needs, even with %s in one file',
      (_, periods) => {
        let text = '';
        for (let week = 0; week < 60; week += 1) {
          for (const period of periods) {
            const now = Date.parse('2026-11-16') + week * 7 * 86_400_000;
            const needed = windowsBack(chooseWindow({ period, timeZone: 'UTC' }, now), 9);
            const history = open(text, needed.length - 1);
            const unknown = needed.filter((which) => !isWhole(history.find('acme', which)));
            if (week >= 5) expect(unknown.filter((which) => which !== needed[0])).toEqual([]);
            for (const which of unknown) history.keep('acme', readOf(rows, { window: which }));
            text = history.text() || text;
            const rerun = open(text, needed.length - 1);
            expect(needed.every((which) => isWhole(rerun.find('acme', which)))).toBe(true);
          }
        }
      },
    );

    test('only the totals of an old window, even if this run has just read it', () => {
      const old = { ...window, start: '2024-01-01', end: '2024-01-08' };
      const text = runOf(lineOf(readOf(rows)), old, 2);
      const found = open(text).find('acme', old);
      expect(found).toMatchObject({ totals: { total: 1100 }, rows: new Map(), cut });
      expect(isWhole(open(text).find('acme', window))).toBe(true);
    });
  });
});
