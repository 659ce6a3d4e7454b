import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Project } from '../../../src/core/projects.ts';
import { ServiceError } from '../../../src/service/errors.ts';
import { parseAlertRules } from '../../../src/visitors/judge/alerts/alert-rules.ts';
import type { ChangedPage } from '../../../src/visitors/judge/changes/changed-pages.ts';
import type {
  JudgedSite,
  Report,
  ReportSettings,
  Site,
} from '../../../src/visitors/judge/report.ts';
import { cutOf } from '../../../src/visitors/read/window-read.ts';
import { digestOf } from '../../../src/visitors/write/digest.ts';
import { maxCommentBytes, renderReport } from '../../../src/visitors/write/render.ts';
import { reportPaths } from '../../../src/visitors/write/report-files.ts';
import { timesOf } from '../../support/long.ts';
import { plain, plainAll } from '../../support/plain.ts';
import {
  asRead,
  calmTotals,
  defaults,
  expectOwnMarkdownOnly,
  siteOf,
  tablesIn,
  weeksWith,
} from './rendered.ts';
import { readOf, row, runUrl, window, windowBefore } from './site.ts';

const named = (name: string, id = name): Project => ({ id, name });
const reportOf = (sites: readonly Site[], more: Partial<ReportSettings> = {}): Report => ({
  window,
  sites,
  settings: { ...defaults, charts: 'mermaid', top: 50, ...more },
  files: undefined,
});
/** A project whose report has every part. */
const rich = (project: Project, path = '/fallen'): JudgedSite => {
  const usual = Object.fromEntries(
    Array.from({ length: 120 }, (_, page) => [`/guides/page-${page}`, 900 - 2 * page]),
  );
  const weeks = weeksWith(Array(13).fill(950), (week) => ({
    ...usual,
    '/gone': 40,
    [path]: week < 12 ? 200 : 60,
    '/risen': week < 12 ? 100 : 900,
  }));
  const pages = Object.entries({ ...usual, [path]: 60, '/burst': 80, '/risen': 900 });
  const now = readOf(pages.map(([page, people]) => row(page, people, 40)));
  return siteOf(now, weeks.at(-1), {
    project,
    earlier: weeks,
    rules: 'total > 5%\nai-share > 99%',
  });
};
const failed = (project: Project): Site => ({
  project: plainAll(project),
  failure: new ServiceError('forbidden', 'The key was refused', { said: '@all', hint: 'Do this.' }),
  alerts: [],
});
const numbered = (count: number) =>
  Array.from({ length: count }, (_, index) => named(`Site ${index + 1}`));

const sectionsIn = (markdown: string) => markdown.split(/^(?=<details>\n<summary><b>)/m).slice(1);

test('a project’s section is the report for that project alone', () => {
  const guides = rich(named('Guides'));
  const [, section = ''] = sectionsIn(renderReport(reportOf([guides, failed(named('API'))])));
  const alone = renderReport(reportOf([guides])).split('\n\n');
  const made = (text: string) => text.indexOf('<details>\n<summary>How this report was made');
  const [, ...body] = section.slice(0, made(section)).split('\n\n');
  expect(body.slice(0, -2)).toEqual(
    alone.slice(
      1,
      alone.findIndex((part) => made(part) === 0),
    ),
  );
  expect(section).toContain('### 2 pages stand out');
});

test('the pages of all projects that changed are one sentence in the open, and a line of the digest', () => {
  const visits = { human: 40, ai: 10 };
  const rest = {
    path: plain('/a'),
    before: visits,
    since: visits,
    weeksBefore: 5,
    weeksSince: 2,
    changes: 1,
  };
  const pullRequest = {
    number: 1,
    url: 'https://github.com/o/d/pull/1',
    isBot: false,
    date: '2026-10-05',
  };
  const changedIn = (name: string, ...became: ChangedPage['became'][]): Site => ({
    ...siteOf(readOf([row('/a', 50, 0)]), undefined, { project: named(name) }),
    changed: {
      ...{
        touched: became.length,
        few: 0,
        shared: 0,
        unvisited: 0,
        isTruncated: false,
        hasSwings: false,
      },
      rows: became.map((state) => ({ ...rest, became: state, pullRequest })),
      pullRequests: { read: 1, partly: 0, unread: 0, isLeast: false },
    },
  });
  const unknown: Site = { ...rich(named('D')), changed: { problem: 'No.' } };
  const said = (...sites: Site[]) => {
    const report = reportOf([...sites, unknown, failed(named('E'))]);
    const [open = ''] = asRead(renderReport(report)).split('<details>');
    const lines = [open, digestOf(report)].map((text) => /^.*edited since.*$/m.exec(text)?.[0]);
    expect(lines[1]).toBe(lines[0]);
    return lines[0];
  };
  expect(
    said(changedIn('A', 'more', 'more', 'same'), changedIn('B', 'more', 'fewer', 'new', 'early')),
  ).toBe(
    'Of 7 pages edited since Oct 5, 3 have more readers than before (A and B), 1 has fewer (B), 1 is new, 1 is as before, and 1 has too few weeks to compare.',
  );
  expect(said(changedIn('A', 'gone'))).toBe(
    'The page edited since Oct 5 is no longer visited (A).',
  );
  expect(said(changedIn('A', 'same'), changedIn('B', 'same'))).toBe(
    'All 2 pages edited since Oct 5 are as before.',
  );
  expect(said(changedIn('A', 'early'), changedIn('B'))).toBe(undefined);
  const folded = asRead(renderReport(reportOf([changedIn('A')])));
  expect(folded).toContain(
    'No page could be compared (1 pull request read): no changed file is of a page in this report.',
  );
});

describe('several projects', () => {
  const usual = { human: 700, ai: 300, total: 1000 };
  const weeks = weeksWith(
    calmTotals.map((total) => ({ human: 0.7 * total, ai: 0.3 * total, total })),
    () => ({ '/': 100, '/install': 40 }),
  );
  const siteWith = (
    name: string,
    total: number,
    more: Parameters<typeof siteOf>[2] = {},
    cut = false,
  ) =>
    siteOf(
      readOf([row('/', 100, 0), row('/install', 40, 0)], {
        totals: { human: Math.round(0.7 * total), ai: Math.round(0.3 * total), total },
        cut: cut ? { kind: 'budget' } : undefined,
      }),
      weeks.at(-1),
      { project: named(name), earlier: weeks, ...more },
    );
  const calm = (name: string) => siteWith(name, 1000);
  const young = siteOf(readOf([], { totals: usual }), undefined, { project: named('Young') });
  const read = (...sites: Site[]) => asRead(renderReport(reportOf(sites)));
  const titles = (text: string) =>
    [...text.matchAll(/^<summary>(.*)<\/summary>$/gm)].map(([, title]) => title);

  test('begin with how many need a look, and have those, the worst first, and one fold with the others', () => {
    const sites = [
      calm('Calm'),
      siteWith('Partial', 1000, {}, true),
      siteWith('Rise', 1300),
      siteWith('Fall', 800),
      siteWith('Deep fall', 500),
      siteWith('Alert', 1010, { rules: 'total < 2000' }),
      siteOf(readOf([], { totals: { human: 0, ai: 0, total: 0 } }), weeks.at(-1), {
        project: named('Silent'),
        earlier: weeks,
      }),
      failed(named('Gone')),
    ];
    expect(read(...sites)).toMatchSnapshot();
    expect(digestOf(reportOf(sites), runUrl)).toMatchSnapshot();
  });

  test('are as usual, or not known to be', () => {
    expect(read(calm('A'), calm('B'))).toContain('\n**All 2 projects are as usual.**\n');
    expect(digestOf(reportOf([calm('A'), calm('B')]))).toMatch(
      /^🟢 Docs: All 2 projects are as usual\nNov 9–15\n\nAs usual: A 700 · B 700$/,
    );
    const some = read(calm('A'), young);
    expect(some).toContain('\n**0 of 2 projects need a look.**\n');
    expect(titles(some)).toContain('2 other projects');
  });

  describe('say what to check first:', () => {
    const opening = (...sites: Site[]) => {
      const report = reportOf(sites);
      const [, verdict = ''] = asRead(renderReport(report)).split('\n\n');
      return [verdict.replace(/^> \[!CAUTION\]\n> /, ''), digestOf(report).split('\n\n')[0]];
    };
    const fallen = (name: string, path: string) => ({ ...rich(named(name), path), alerts: [] });

    test('the page of the worst project, in the words of its own report', () => {
      const said = fallen('CLI & SDK', '/sdk/go');
      const [alone = ''] = /Check .*?\./.exec(asRead(renderReport(reportOf([said])))) ?? [];
      expect(alone).toBe('Check `/sdk/go` first: 140 fewer people a week than before.');
      const words = alone.replace(' first', ' in **CLI & SDK** first');
      expect(opening(failed(named('Gone')), calm('A'), said)).toEqual([
        `**2 of 3 projects need a look.** The others are as usual. ${words}`,
        `🟠 Docs: 2 of 3 projects need a look\nNov 9–15\n${words.replaceAll('`', '').replace('**CLI & SDK**', 'CLI and SDK')}`,
      ]);
    });

    test('the project, if it is the whole of it', () => {
      const [verdict, digest] = opening(fallen('CLI', '/a'), siteWith('Fall', 500), calm('A'));
      expect(verdict).toContain(' Check **Fall** first: ▼ 350 people (usually 649–755).');
      expect(digest).toContain('\nCheck Fall first: ▼ 350 people (usually 649–755).');
    });

    test('nothing, if only data is missing', () => {
      const said = opening(calm('A'), siteWith('Partial', 1000, {}, true), failed(named('Gone')));
      expect(said.join()).not.toContain('Check ');
    });
  });

  test('say that pages aren’t judged yet, and what helps, if too few lists were read', () => {
    const unread = (name: string) => {
      const site = calm(name);
      const earlier = site.earlier.map((past, index) => {
        const cut = { kind: 'budget' } as const;
        return index < 4 ? { ...past, rows: new Map(), cut } : past;
      });
      return siteWith(name, 1000, { earlier });
    };
    const words =
      'Pages of 2 projects aren’t judged: too few earlier weeks were read. Raise `max-requests` to 84 (currently 60).';
    const sites = [calm('A'), unread('B'), unread('C')];
    expect(read(...sites)).toContain(`\n**All 3 projects are as usual.**\n\n${words}\n`);
    expect(digestOf(reportOf(sites))).toContain(`\n${words.replaceAll('`', '')}\n`);
  });
});

test('the digest writes names as they are read', () => {
  const digest = digestOf(reportOf([rich(named('API & SDK')), rich(named('R&D'))]));
  expect(digest).toContain('API and SDK: alert');
  expect(digest).toContain('R and D: alert');
  expect(digest).not.toMatch(/[<>&]/);
});

test('a project name cannot leave its table cell or summary', () => {
  const names = [
    '**bold** _it_ `code` ``x``',
    '<b>x</b> & </summary></details> "',
    '@everyone #1 GH-2 https://evil.example',
    '[x](https://evil.example) ![y](z)',
    '🚀 👩‍👩‍👧 Führung 文档',
    'a | b',
    'x'.repeat(80),
    ...['-', '# x', '1. x'],
  ];
  const anyText = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 80 });
  const text = anyText.filter((name) => name.trim() !== '');
  const some = fc.uniqueArray(fc.oneof(fc.constantFrom(...names), text), {
    minLength: 2,
    maxLength: 4,
  });
  fc.assert(
    fc.property(some, ([first = '', ...others]) => {
      const report = reportOf([rich(named(first)), ...others.map((name) => failed(named(name)))]);
      const markdown = renderReport(report);
      expectOwnMarkdownOnly(markdown);
      expect(tablesIn(markdown)[0]).toHaveLength(1 + others.length);
    }),
    { numRuns: timesOf(8) },
  );
});

describe('a report that is too long', () => {
  test('shortens its lists before it leaves out projects, and counts those', () => {
    const report = reportOf(numbered(16).map((project) => rich(project)));
    expect(renderReport(report)).toContain('more not listed');
    const markdown = renderReport(report, maxCommentBytes);
    expect(Buffer.byteLength(markdown)).toBeLessThanOrEqual(maxCommentBytes);
    expect(markdown.match(/^### 2 pages stand out\n\n\| Page \|/gm)).toHaveLength(16);
    expect(markdown.length).toBeGreaterThan(maxCommentBytes * 0.8);
    const short = renderReport(report, 15_000);
    const sections = sectionsIn(short).length;
    expect(short).toMatch(
      new RegExp(`\\*Left out for lack of space: ${16 - sections} projects?\\.\\*\\n`),
    );
    expect(Buffer.byteLength(short)).toBeLessThanOrEqual(15_000);
  });

  test('fits fifty projects in a comment, with the whole table', () => {
    const rules = 'total > 1%\nai-share > 1%\nhuman < -90%';
    const hint = 'It may be one thing, or it may be another, and here is what helps. '.repeat(3);
    const projectOf = (kind: number, name: string, path: string): Site => {
      const project = named(name);
      const reason = (['not-found', 'forbidden', 'timeout', 'service-error'] as const)[kind];
      const failure = new ServiceError(reason ?? 'unreachable', 'no', { hint: `${hint}${kind}` });
      const alerts = plainAll(parseAlertRules(rules).rules).map((rule) => {
        return { rule, state: 'unchecked', why: { cause: 'unread-project' } } as const;
      });
      if (reason !== undefined) return { ...failed(project), failure, alerts };
      const cut = kind % 2 === 0 ? cutOf(failure) : undefined;
      const now = readOf([row(path, 900, 0)], { cut });
      if (kind % 3 === 0) return siteOf(now, undefined, { project, rules });
      return siteOf(now, readOf([], { window: windowBefore, cut }), {
        project,
        rules,
        earlier: weeksWith([900, 950, 1100]),
      });
    };
    // A comment has other text before the report.
    const maxBytes = maxCommentBytes - 1_000;
    for (const unit of ['`', '|']) {
      const sites = Array.from({ length: 50 }, (_, index) =>
        projectOf(index % 25, `${unit.repeat(78)}${index}`, `/${unit.repeat(58)}`),
      );
      const report = reportOf(sites);
      const markdown = renderReport(report, maxBytes);
      expect(markdown.length).toBeLessThanOrEqual(maxBytes);
      expect(tablesIn(markdown)[0]).toHaveLength(50);
      const left = Number(/for lack of space: (\d+) projects?\./.exec(markdown)?.[1] ?? 0);
      expect(sectionsIn(markdown).length + left).toBe(50);
      expect(digestOf(report, runUrl).length).toBeLessThanOrEqual(3_000);
    }
  });
});

test('the digest has a line for each project that needs a look, and names nothing that a chat would turn into a link', () => {
  const digest = digestOf(reportOf([rich(named('B')), rich(named('@A'), '/other.html')]), runUrl);
  expect(digest.split('\n\n')).toEqual([
    [
      '🔴 Docs: 2 of 2 projects need a look\nNov 9–15',
      'Check /fallen in B first: 140 fewer people a week than before.',
      'Alerts: B: total above 5%, %40A: total above 5%',
    ].join('\n'),
    'B: alert, ▼ /fallen\n%40A: alert, ▼ /other%2Ehtml',
    runUrl,
  ]);
});

test('files of projects whose IDs differ only in case or punctuation have different names, in any order', () => {
  const long = 'x'.repeat(300);
  const ids = ['a b', 'a_b', 'A_B', 'a/b', `${long}1`, `${long}2`, 'other'];
  const csvOf = (some: readonly string[]) => {
    const { data } = reportPaths('', some.map(plain), window.slug, []);
    return new Map(some.map((id) => [id, data.get(plain(id))?.csv ?? '']));
  };
  const names = csvOf(ids);
  expect(new Set([...names.values()].map((name) => name.toLowerCase())).size).toBe(ids.length);
  expect(names.get('other')).toBe('visitors-other-2026-W46.csv');
  expect(csvOf(ids.toReversed())).toEqual(new Map([...names].toReversed()));
  // Most file systems allow 255 bytes, and a temporary file has a longer name.
  for (const name of names.values()) expect(name.length).toBeLessThan(230);
});
