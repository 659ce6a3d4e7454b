import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Project } from '../../../src/core/projects.ts';
import { ServiceError } from '../../../src/service/errors.ts';
import { parseAlertRules } from '../../../src/visitors/judge/alert-rules.ts';
import { leaveUnchecked } from '../../../src/visitors/judge/alerts.ts';
import type { JudgedSite, Report, ReportSettings, Site } from '../../../src/visitors/judge/report.ts';
import { cutOf } from '../../../src/visitors/read/window-read.ts';
import { commentBytes, renderReport } from '../../../src/visitors/write/render.ts';
import { reportPaths } from '../../../src/visitors/write/report-files.ts';
import { digestOf } from '../../../src/visitors/write/report-result.ts';
import { headline } from '../../../src/visitors/write/sentences.ts';
import { defaults, earlier, expectOwnMarkdownOnly, siteOf, tablesIn, weeksWith } from './rendered.ts';
import { pagesOf, readOf, row, runUrl, window } from './site.ts';

const named = (name: string, id = name): Project => ({ id, name });
const reportOf = (sites: readonly Site[], more: Partial<ReportSettings> = {}): Report => ({
  window,
  sites,
  settings: { ...defaults, charts: 'mermaid', top: 50, ...more },
  files: undefined,
});
/** A project whose report has every part. */
const rich = (project: Project, path = '/moved'): JudgedSite => {
  const now = [row(path, 900, 0), row('/ai', 10, 400), ...pagesOf(120, (index) => 900 - index)];
  const before = [row(path, 100, 0), row('/gone', 40, 0), ...pagesOf(120, (index) => 900 - index)];
  return siteOf(readOf(now), earlier(before), {
    project,
    earlier: weeksWith(Array(8).fill(950), () => ({ [path]: 100, '/ai': 400 })),
    rules: 'total > 5%\nai-share > 99%',
  });
};
const failed = (project: Project): Site => ({
  project,
  failure: new ServiceError('forbidden', 'The key was refused', { said: '@all', hint: 'Do this.' }),
  alerts: [],
});
const numbered = (count: number) => Array.from({ length: count }, (_, index) => named(`Site ${index + 1}`));

const sectionsIn = (markdown: string) => markdown.split(/^(?=<details>\n<summary><code>)/m).slice(1);

test('a project’s section is the report for that project alone', () => {
  const guides = rich(named('Guides'));
  const [section = ''] = sectionsIn(renderReport(reportOf([guides, failed(named('API'))])));
  const alone = renderReport(reportOf([guides]));
  const body = section
    .replace(/^<details>\n<summary>.*<\/summary>\n\n/, '')
    .replace(/\n\n<\/details>\n+$/, '\n');
  expect(`## Docs visitors, Nov 9–15, 2026\n\n${body}`).toBe(alone);
  expect(section).toContain('### 1 page stands out');
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
  const some = fc.uniqueArray(fc.oneof(fc.constantFrom(...names), text), { minLength: 2, maxLength: 4 });
  fc.assert(
    fc.property(some, ([first = '', ...others]) => {
      const report = reportOf([rich(named(first)), ...others.map((name) => failed(named(name)))]);
      const markdown = renderReport(report);
      expectOwnMarkdownOnly(markdown);
      expect(tablesIn(markdown)[0]).toHaveLength(1 + others.length);
    }),
    { numRuns: 20 },
  );
});

describe('a report that is too long', () => {
  test('shortens its lists before it leaves out projects, and counts those', () => {
    const report = reportOf(numbered(16).map((project) => rich(project)));
    expect(renderReport(report)).toContain('more not listed');
    const markdown = renderReport(report, commentBytes);
    expect(markdown.match(/^### 1 page stands out\n\n\| Page \|/gm)).toHaveLength(16);
    expect(markdown.length).toBeGreaterThan(commentBytes * 0.8);
    const short = renderReport(report, 15_000);
    const sections = sectionsIn(short).length;
    expect(short).toMatch(new RegExp(`\\*Left out for lack of space: ${16 - sections} projects?\\.\\*\\n$`));
    expect(Buffer.byteLength(short)).toBeLessThanOrEqual(15_000);
  });

  test('fits fifty projects in a comment, with the whole table', () => {
    // Characters that become longer in Markdown, because they need escapes or longer fences.
    const costly = fc.constantFrom(...'`|\\&"\u{1f680}\u200b\u{e0001}\0x', '\\|');
    const text = fc.oneof(
      fc.string({ unit: costly, minLength: 60, maxLength: 90 }),
      costly.map((unit) => unit.repeat(78)),
    );
    const rules = 'total > 1%\nai-share > 1%\nhuman < -90%';
    const hint = 'It may be one thing, or it may be another, and here is what helps. '.repeat(3);
    const projectOf = (kind: number, name: string, path: string): Site => {
      const project = named(name);
      const reason = (['not-found', 'forbidden', 'timeout', 'service-error'] as const)[kind];
      const failure = new ServiceError(reason ?? 'unreachable', 'no', { hint: `${hint}${kind}` });
      if (reason !== undefined)
        return { ...failed(project), failure, alerts: leaveUnchecked(parseAlertRules(rules).rules) };
      const cut = kind % 2 === 0 ? cutOf(failure) : undefined;
      const now = readOf([row(path, 900, 0)], { cut });
      if (kind % 3 === 0) return siteOf(now, undefined, { project, rules });
      return siteOf(now, earlier([], { cut }), { project, rules, earlier: weeksWith([900, 950, 1100]) });
    };
    // A comment has other text before the report.
    const maxBytes = commentBytes - 1_000;
    const some = fc.array(fc.tuple(fc.nat({ max: 24 }), text, text), { minLength: 50, maxLength: 50 });
    const longest = (unit: string): [[number, string, string][]] => [
      Array.from({ length: 50 }, (_, index) => [index % 25, unit.repeat(78), unit.repeat(58)]),
    ];
    fc.assert(
      fc.property(some, (projects) => {
        const sites = projects.map(([kind, name, path], index) =>
          projectOf(kind, `${name}${index}`, `/${path}`),
        );
        const report = reportOf(sites);
        const markdown = renderReport(report, maxBytes);
        expect(markdown.length).toBeLessThanOrEqual(maxBytes);
        expect(tablesIn(markdown)[0]).toHaveLength(50);
        const left = Number(/for lack of space: (\d+) projects?\./.exec(markdown)?.[1] ?? 0);
        expect(sectionsIn(markdown).length + left).toBe(50);
        expect(digestOf(report, runUrl).length).toBeLessThanOrEqual(3_000);
      }),
      { numRuns: 2, examples: ['`', '|'].map(longest) },
    );
  });
});

test('the digest has up to two lines for each project, in the order of `project-id`', () => {
  const digest = digestOf(reportOf([rich(named('B')), rich(named('@A'), '/other.html')]), runUrl);
  const line = headline(rich(named('A'))).replaceAll('**', '');
  const fired = 'total > 5% (+16% from the week before, 950 → 1,100).';
  expect(digest.split('\n\n')).toEqual([
    'Docs visitors, Nov 9–15, 2026, 2 projects',
    `B: ${line}\n/moved: ▲ 900 (usual 77–125)`,
    `%40A: ${line}\n/other%2Ehtml: ▲ 900 (usual 77–125)`,
    `2 of 4 alert rules fired:\n- B: ${fired}\n- %40A: ${fired}`,
    runUrl,
  ]);
});

test('files of projects whose IDs differ only in case or punctuation have different names, in any order', () => {
  const long = 'x'.repeat(300);
  const ids = ['a b', 'a_b', 'A_B', 'a/b', `${long}1`, `${long}2`, 'other'];
  const csvOf = (some: readonly string[]) => {
    const { data } = reportPaths('', some, window.slug, []);
    return new Map(some.map((id) => [id, data.get(id)?.csv ?? '']));
  };
  const names = csvOf(ids);
  expect(new Set([...names.values()].map((name) => name.toLowerCase())).size).toBe(ids.length);
  expect(names.get('other')).toBe('visitors-other-2026-W46.csv');
  expect(csvOf(ids.toReversed())).toEqual(new Map([...names].toReversed()));
  // Most file systems allow 255 bytes, and a temporary file has a longer name.
  for (const name of names.values()) expect(name.length).toBeLessThan(230);
});
