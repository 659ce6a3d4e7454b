import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { toString as textOf } from 'mdast-util-to-string';
import { ActionError } from '../../../src/core/errors.ts';
import type { Deps } from '../../../src/deps.ts';
import type { VisitorsRow } from '../../../src/service/schemas.ts';
import { startVisitors } from '../../../src/visitors/index.ts';
import type { ReportSettings } from '../../../src/visitors/judge/report.ts';
import { shiftWindow } from '../../../src/visitors/read/window.ts';
import { digestOf } from '../../../src/visitors/write/digest.ts';
import {
  maxCommentBytes,
  maxSummaryBytes,
  renderReport,
} from '../../../src/visitors/write/render.ts';
import {
  describeChange,
  formatChange,
  formatCountChange,
  formatPercent,
  formatPoints,
  formatShare,
  toPercent,
} from '../../../src/visitors/write/words/figures.ts';
import { alertResults } from '../../../src/visitors/write/words/warnings.ts';
import { plain } from '../../support/plain.ts';
import {
  asRead,
  calmTotals,
  earlier,
  expectOwnMarkdownOnly,
  render,
  reportOf,
  rowsOf,
  siteOf,
  tablesOf,
  weeksWith,
} from './rendered.ts';
import {
  anyPath,
  config,
  createdAt,
  depsOf,
  githubOf,
  honest,
  hostilePaths,
  pagesOf,
  readOf,
  row,
  serviceOf,
  window,
  windowBefore,
} from './site.ts';

describe('the chart', () => {
  const now = readOf([row('/a', 30, 3)]);
  const counted = (total: number) => ({ human: total - 300, ai: 300, total });
  const of = (
    totals: Parameters<typeof weeksWith>[0],
    charts: ReportSettings['charts'] = 'mermaid',
  ) => render(now, undefined, { charts, earlier: weeksWith(totals) });

  test('has bars for all visitors and, in front, for people', () => {
    const markdown = of([1000, 950].map(counted));
    const axes = 'xychart-beta\n  x-axis ["Oct 26", "Nov 2", "Nov 9"]\n  y-axis 0 --> 1144\n';
    const legend = '<sub>🟦 people, 🟧 only AI</sub>';
    expect(markdown).toContain(
      `${axes}  bar [1000, 950, 1100]\n  bar [700, 650, 900]\n\`\`\`\n\n${legend}\n`,
    );
  });

  test('has the ends of the usual range of people as two lines', () => {
    const markdown = of([1190, 1210, 1200, 1220, 1180].map(counted));
    const [, low, high] =
      /\*\*900 people, as usual\*\* \((\d+)–([\d,]+)\)/.exec(asRead(markdown)) ?? [];
    const line = (end: string | undefined) => Array(6).fill(end?.replace(',', '')).join(', ');
    expect(markdown).toContain(`\n  line [${line(low)}]\n  line [${line(high)}]\n\`\`\`\n`);
    expect(markdown).toContain('🟪 usual range for people');
  });

  test('has no lines if the range is too wide to call it usual', () => {
    const markdown = of([400, 4000, 500, 3000, 1200].map(counted));
    expect(markdown).toContain('varies too much to tell');
    expect(markdown).toContain('  bar [');
    expect(markdown).not.toMatch(/ {2}line|🟪/);
  });

  test('leaves out a week without a total or without people', () => {
    const markdown = of([counted(900), {}, { total: 950 }, counted(1000)]);
    expect(markdown).toContain('["Oct 12", "Nov 2", "Nov 9"]');
  });

  test('has at most eight weeks, beginning with the first visitor', () => {
    expect(of(Array(12).fill(counted(1000))).match(/"[A-Z][a-z]+ \d+"/g)).toHaveLength(8);
    expect(of([0, 0, 500, 0, 400])).toContain('  bar [500, 0, 400, 1100]\n');
    for (const totals of [[], [400], [0, 0, 0, 400]]) expect(of(totals)).not.toContain('mermaid');
    expect(of([100, 400], 'none')).not.toContain('mermaid');
  });
});

describe('numbers', () => {
  describe('a percentage', () => {
    test.each([
      [0, 7, '0%', '0%', '0.0'],
      [-1, 1, '100%', '−100%', '-100.0'],
      [-150, 10_000, '2%', '−2%', '-1.5'],
      [40, 100_000, '<1%', '<+1%', '0.1'],
      [-40, 100_000, '<1%', '>−1%', '-0.1'],
      [-99_999, 100_000, '>99%', '<−99%', '-99.9'],
      [99_999, 100_000, '>99%', '>+99%', '99.9'],
      [12_345, 10, '123,450%', '+123,450%', '123450.0'],
    ])(
      'of %d in %d is %s as a share, %s as a change, and %s as an output',
      (part, whole, ...expected) => {
        const ratio = { part, whole };
        const shown = [formatPercent(ratio), formatChange(ratio), toPercent(ratio).toFixed(1)];
        expect(shown).toEqual(expected);
      },
    );

    test('has one decimal in outputs, none in texts, and is 0 or 100 only if it is exact', () => {
      const whole = fc.integer({ min: 1, max: 1_000_000 });
      fc.assert(
        fc.property(fc.integer({ min: -3_000_000, max: 3_000_000 }), whole, (a, b) => {
          const ratio = { part: a, whole: b };
          const output = toPercent(ratio).toFixed(1);
          expect(output).toMatch(/^-?\d+\.\d$/);
          const said = formatChange(ratio)
            .replace(/[+,%<>]/g, '')
            .replace('−', '-');
          expect(said).toMatch(/^-?\d+$/);
          expect(Math.abs(Number(said) - Number(output))).toBeLessThanOrEqual(1);
          expect(Number(said) === 0).toBe(a === 0);
          expect(Math.abs(Number(said)) === 100 && Math.abs(a) < b).toBe(false);
          const tenths = Math.round(Number(output) * 10);
          expect(output === '0.0').toBe(a === 0);
          expect(Math.abs(tenths) === 1000 && Math.abs(a) < b).toBe(false);
          // Rounding changes a value by at most 0.05. Values near 0 and 100 may change by 0.1.
          const isNear = [1, 999].includes(Math.abs(tenths));
          expect(Math.abs(2 * (1000 * a - tenths * b))).toBeLessThanOrEqual(isNear ? 2 * b : b);
        }),
        { numRuns: 1000 },
      );
    });
  });

  test('of fewer than twenty are no percentages', () => {
    expect([19, 20].map((before) => formatCountChange(before, 30))).toEqual(['+11', '+50%']);
    expect([19, 20].map((whole) => formatShare({ part: 5, whole }))).toEqual(['5 of 19', '25%']);
    const words = (before: number, now: number) => {
      const { separator, words } = describeChange(before, now, 'the week before');
      return separator + words;
    };
    expect(words(0, 30)).toBe('; none the week before');
    expect(words(19, 30)).toBe('; 19 the week before');
    expect(words(20, 30)).toBe(', up 50% from the week before');
    expect(words(1000, 1004)).toBe(', about as many as the week before');
    expect(words(1000, 10)).toBe(', down 99% from the week before');
  });

  test('points are the difference of two shares', () => {
    const shares = [300, 311, 376].map((part) => ({ part, whole: 1000 }));
    const differences = shares.map((share) => formatPoints(share, shares[1]));
    expect(differences).toEqual(['−1 point', '0 points', '+7 points']);
    expect(formatPoints(shares[0], undefined)).toBe('–');
  });
});

describe('reports', () => {
  describe('hostile paths', () => {
    const shownAs = (path: string) => {
      const text = path.replace(/\r\n|\r|\n/g, '⏎').replaceAll('\t', '\\u{9}');
      return text.length > 44 ? `${text.slice(0, 24)}…${text.slice(-19)}` : text;
    };

    test('stay readable, each in its own table cell', () => {
      const rows = hostilePaths.map((path, index) => row(path, 1000 - index, index, 1000));
      const nodes = expectOwnMarkdownOnly(render(readOf(rows), earlier([]), { top: 1000 }));
      const top = tablesOf(nodes).find((table) => textOf(table.children[0]) === 'PagePeople');
      const shown = rowsOf(top);
      expect(shown).toHaveLength(rows.length);
      expect(shown[hostilePaths.indexOf('')]?.[0]).toMatch(/^\(empty path\)\d% AI$/);
      for (const [index, path] of hostilePaths.entries()) {
        expect(shown[index]?.[1]).toBe(new Intl.NumberFormat('en-US').format(1000 - index));
        if (/[\p{C}]/u.test(path.replace(/[\n\r\t]/g, '')) || path.trim() === '') continue;
        expect(shown[index]?.[0]?.replace(/(<1|\d)% AI$/, '').trim()).toBe(shownAs(path).trim());
      }
    });

    test('don’t change the rows of any table', () => {
      const figure = fc.integer({ min: 0, max: 200 });
      const rows = fc.uniqueArray(fc.tuple(anyPath, figure, figure), {
        selector: ([path]) => path,
        maxLength: 12,
      });
      fc.assert(
        fc.property(rows, rows, rows, (a, b, c) => {
          const [now = [], before = [], past = []] = [a, b, c].map((list) =>
            list.map((page) => row(...page)),
          );
          const weeks = Array.from({ length: 8 }, (_, age) =>
            readOf(past, { window: shiftWindow(window, age - 9) }),
          );
          const windows = [...weeks, readOf(before, { window: windowBefore })];
          const scene = [readOf(now), windows.at(-1), { earlier: windows, top: 100 }] as const;
          const { findings } = siteOf(...scene);
          const nodes = expectOwnMarkdownOnly(render(...scene));
          const lengths = tablesOf(nodes).map((table) => rowsOf(table).length);
          const { standingOut, changes, top = [], sections } = findings;
          const isOpen = findings.whyNotJudged?.cause === 'few-people';
          const mostRead = isOpen ? top.slice(0, 5) : [];
          const folded = isOpen && top.length <= 5 ? [] : top;
          const lists = [standingOut, changes, mostRead, folded, sections, Array(4)];
          expect(lengths).toEqual(lists.flatMap((list) => list?.length || []));
        }),
        { numRuns: 40 },
      );
    });

    test('have no effect as a project ID, glob, or file name either', () => {
      const now = readOf([row('/a', 30, 3)]);
      const id = '@x <b> [a](https://b.c)';
      const data = new Map([
        [id, { csv: '@z/`a.csv', json: '@z/#1.json', gaps: '@z/#1.gaps.csv' }],
      ]);
      const files = { markdown: '@z/a.md', data };
      const pages = ['/**', '!/@y/<b>`'].map(plain);
      const report = {
        ...reportOf(now, earlier([]), { project: { id, name: 'x' }, pages }),
        files,
      };
      expectOwnMarkdownOnly(renderReport(report));
    });
  });

  describe('paths', () => {
    const top = (paths: readonly string[], docsUrl?: string) => {
      const markdown = render(
        readOf(paths.map((path, index) => row(path, 900 - index, 0))),
        undefined,
        {
          docsUrl,
        },
      );
      return [...markdown.matchAll(/^\| (.*)<br><sub>0% AI<\/sub> \| \d+ \|$/gm)].map(
        ([, cell]) => cell,
      );
    };

    test('may wrap after each slash and in long words, and are shortened in the middle', () => {
      const long = '/api/v1/organizations/{organizationId}/projects/{projectId}/environments';
      expect(top(['/', '/guides/quickstart', long, `/${'x'.repeat(30)}`])).toEqual([
        '<code>/</code>',
        '<code>/guides/<wbr>quick<wbr>start</code>',
        expect.stringMatching(
          /^<code>\/api\/<wbr>v1\/<wbr>organ<wbr>izations\/<wbr>&#123;<wbr>o….*nments<\/code>$/,
        ),
        expect.stringMatching(/^<code>\/(x{5}(<wbr>)?)*x*<\/code>$/),
      ]);
      for (const path of [long, `/${'x'.repeat(300)}`]) {
        const [cell = ''] = top([path]);
        const pieces = asRead(cell.replaceAll('<wbr>', '\n')).replaceAll('`', '').split('\n');
        expect(pieces.join('')).toHaveLength(44);
        for (const piece of pieces) expect(piece.length).toBeLessThanOrEqual(9);
      }
    });

    test('are links with `docs-url`, if they are ordinary', () => {
      const site = 'https://docs.example.com/en';
      expect(
        top(
          ['/', '/a/b%20c', '/文', 'x', '/../x', '//evil.example', '/a b', '/a)<b>', '/?x'],
          site,
        ),
      ).toEqual([
        `[<code>/</code>](<${site}/>)`,
        expect.stringContaining(`](<${site}/a/b%20c>)`),
        `[<code>/文</code>](<${site}/%E6%96%87>)`,
        '<code>x</code>',
        ...Array(5).fill(expect.not.stringContaining('](')),
      ]);
    });
  });

  test('a report of too many pages shortens its lists, and counts what it leaves out', () => {
    const maxBytes = 20_000;
    // These limits are smaller than the real ones, because parsing a megabyte of Markdown takes half a minute.
    expect([maxSummaryBytes, maxCommentBytes]).toEqual([900 * 1024, 60_000]);
    const long = (count: number, offset: number) =>
      Array.from({ length: count }, (_, index) =>
        row(
          `/${index}-${'\u202e'.repeat(150)}${offset + index}/x`,
          90 + ((index + offset) % 50),
          400,
        ),
      );
    const weeks = [-2, -1].map((age) =>
      readOf(long(300, 150), { window: shiftWindow(window, age) }),
    );
    const report = reportOf(readOf(long(300, 0)), weeks[1], { earlier: weeks, top: 1000 });
    const markdown = renderReport(report, maxBytes);
    expect(Buffer.byteLength(markdown)).toBeLessThanOrEqual(maxBytes);
    expect(Buffer.byteLength(markdown)).toBeGreaterThan(maxBytes * 0.7);
    expectOwnMarkdownOnly(markdown);
    const lists = [
      ...markdown.matchAll(
        /<summary>(?:Top pages|Sections) \((\d+)\)<\/summary>(.*?\*\d+ more.*?)\n/gs,
      ),
    ];
    expect(lists).toHaveLength(2);
    for (const [, count, list = ''] of lists) {
      const left = Number(/\*(\d+) more not listed\.\*/.exec(list)?.[1]);
      expect((list.match(/^\| .* \|$/gm)?.length ?? 0) - 2 + left).toBe(Number(count));
    }
  });

  test('the order of the rows doesn’t change the report', () => {
    const pages = pagesOf(30, (index) => 100 + (index % 3));
    const pagesBefore = pagesOf(40, (index) => 20 + 380 * (index % 2)).slice(5);
    const more = { charts: 'mermaid' } as const;
    const markdown = render(readOf(pages), earlier(pagesBefore), more);
    const anyOrder = (rows: VisitorsRow[]) => fc.shuffledSubarray(rows, { minLength: rows.length });
    fc.assert(
      fc.property(anyOrder(pages), anyOrder(pagesBefore), (a, b) => {
        expect(render(readOf(a), earlier(b), more)).toBe(markdown);
      }),
      { numRuns: 10 },
    );
  });

  describe('alerts', () => {
    const now = readOf([row('/a', 100, 0), row('/b', 10, 90), row('/new', 50, 0)]);
    const before = earlier([row('/a', 200, 0), row('/b', 100, 100)]);

    test('are listed if they fired', () => {
      const rules = 'total > 5%\nhuman < 901\nai-share > 20%\nai > 900%\nai unusual';
      const markdown = render(now, before, { rules, earlier: weeksWith(calmTotals) });
      const fired =
        '`total > 5%` (+16%), `human < 901` (900), `ai-share > 20%` (27%), `ai unusual` (300)';
      expect(markdown).toContain(`<br>Alerts: ${fired}.\n\n`);
      const unspaced = { rules: 'total>5%\nhuman<901' };
      expect(digestOf(reportOf(now, before, unspaced))).toContain(
        '\nAlerts: total above 5%, human below 901\n',
      );
      expect(render(now, before, { rules: 'total > 90%' })).not.toMatch(/CAUTION|Alert/);
      const { alerts } = siteOf(now, before, { rules, earlier: weeksWith(calmTotals) });
      expect(alertResults(alerts, now.window).map(({ why }) => why)).toEqual([
        '+16% from the week before, 950 → 1,100',
        '900',
        '27%',
        undefined,
        expect.stringMatching(/^300; usual \d+–\d+$/),
      ]);
    });

    test('are listed with the reason if they could not be checked', () => {
      const why = '`compare: none` leaves out earlier periods';
      const markdown = render(now, undefined, {
        rules: `total < 90\n${'total > 90%\n'.repeat(2_000)}`,
      });
      expect(markdown).toContain(
        `<summary>Alert rules not checked (2,000)</summary>\n\n- \`total > 90%\`: ${why}.\n`,
      );
      expect(markdown.match(/^- `total > 90%`: /gm)).toHaveLength(10);
      const young = weeksWith([0, 0, 0, 1000]);
      expect(render(now, before, { rules: 'human unusual', earlier: young })).toContain(
        '\n- `human unusual`: there is no usual range: it takes 4 earlier weeks with people; this site has 1.\n',
      );
      expect(markdown).toContain('\n- and 1,990 more\n');
    });
  });
});

describe('visitors mode', () => {
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
});
