import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Project } from '../../../src/core/inputs/projects.ts';
import { ServiceError } from '../../../src/service/errors.ts';
import { parseAlertRules } from '../../../src/visitors/judge/alert-rules.ts';
import { leaveUnchecked } from '../../../src/visitors/judge/alerts.ts';
import { commentLimit, shareOut, summaryLimit } from '../../../src/visitors/tell/blocks.ts';
import type { ProjectReport, Report } from '../../../src/visitors/tell/content.ts';
import { reportPathsOf } from '../../../src/visitors/tell/files.ts';
import { digestOfProjects } from '../../../src/visitors/tell/projects/digest.ts';
import { renderProjects } from '../../../src/visitors/tell/projects/report.ts';
import { renderReport } from '../../../src/visitors/tell/report.ts';
import { contentOf, earlier, parse, rowsOf, tablesOf, withTotals } from './rendered.ts';
import { anyPath, hostilePaths, pagesOf, readOf, row, window } from './site.ts';

const runUrl = 'https://github.test/octo-org/docs/actions/runs/77';

const named = (name: string, id = name): Project => ({ id, name });
const reportOf = (projects: readonly ProjectReport[]): Report => ({ window, projects, maxRequests: 40 });
/** A project all of whose parts have something to tell. */
const rich = (project: Project, path = '/moved'): ProjectReport => {
  const now = [row(path, 900, 0), row('/ai', 10, 400), ...pagesOf(120)];
  const before = [row(path, 100, 0), row('/gone', 40, 0), ...pagesOf(120)];
  const content = contentOf(readOf(now), earlier(before), {
    charts: 'mermaid',
    trend: withTotals([900, 950, 1100]),
    rules: 'total > 5%\nai-share > 99%',
    top: 50,
  });
  return { project, content };
};
const failed = (project: Project): ProjectReport => ({
  project,
  failure: new ServiceError('forbidden', 'the service answered 403: @all', { hint: 'The key was refused.' }),
  alerts: [],
});
const numbered = (count: number) => Array.from({ length: count }, (_, index) => named(`Site ${index + 1}`));

const rowsInTable = (markdown: string) => rowsOf(tablesOf(parse(markdown))[0]);
const sectionsIn = (markdown: string) => markdown.split(/^(?=<details>\n<summary><code>)/m).slice(1);

test('a section tells what the report of its project alone tells, a level deeper', () => {
  const one = rich(named('Guides'));
  const [section = ''] = sectionsIn(renderProjects(reportOf([one, failed(named('API'))]), summaryLimit));
  const alone = 'content' in one ? renderReport(one.content, summaryLimit) : '';
  const body = section
    .replace(/^<details>\n<summary>.*<\/summary>\n\n/, '')
    .replace(/\n\n<\/details>\n+$/, '\n');
  expect(`## Docs visitors, 9–15 November 2026\n\n${body.replaceAll('#### ', '### ')}`).toBe(alone);
  expect(section).toContain('#### Top pages');
});

test('a project that could not be read is told in our own words alone', () => {
  const markdown = renderProjects(reportOf([rich(named('A')), failed(named('B'))]), summaryLimit);
  expect(rowsInTable(markdown)).toContainEqual(['B', 'not read', '–', '–', '–']);
  expect(sectionsIn(markdown)[1]).toBe(
    [
      '<details>\n<summary><code>B</code>, not read</summary>',
      '> [!WARNING]\n> Nothing could be read of this project (`forbidden`). The key was refused.',
      '</details>\n',
    ].join('\n\n'),
  );
  expect(markdown).not.toContain('@all');
});

test('that totals are never added up is said once', () => {
  const markdown = renderProjects(reportOf(numbered(3).map((one) => rich(one))), summaryLimit);
  expect(markdown.match(/never added up/g)).toHaveLength(1);
});

describe('a name', () => {
  const names = [
    '**bold** _it_ `code` ``x``',
    '<b>x</b> & </summary></details> "',
    '@everyone #1 GH-2 https://evil.example',
    '[x](https://evil.example) ![y](z)',
    '🚀 👩‍👩‍👧 Führung 文档',
    'a | b',
    'x'.repeat(80),
    '-',
    '# x',
    '1. x',
  ];

  test('whatever it is, stays in its cell, its summary and its code', () => {
    const text = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 80 })
      .filter((one) => one.trim() !== '');
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.oneof(fc.constantFrom(...names), text), { minLength: 2, maxLength: 4 }),
        (some) => {
          const report = reportOf(
            some.map((name, index) => (index === 0 ? rich(named(name)) : failed(named(name)))),
          );
          const markdown = renderProjects(report, summaryLimit);
          const nodes = parse(markdown);
          const types = new Set(nodes.map(({ type }) => type));
          for (const type of ['link', 'image', 'linkReference', 'delete'])
            expect([...types]).not.toContain(type);
          for (const { type, value = '' } of nodes) {
            if (type === 'html')
              expect(value).toMatch(
                /^(<details>\n<summary>(<code>[^<>]*<\/code>[a-z, ]*|[A-Za-z ]+( \([\d,]+\))?)<\/summary>|<\/details>)$/,
              );
            if (type === 'text') expect(value).not.toMatch(/@|#\d|GH-|https?:/);
          }
          expect(rowsInTable(markdown)).toHaveLength(some.length);
        },
      ),
      { numRuns: 60 },
    );
  });

  test('that is plain is shown as it is', () => {
    const markdown = renderProjects(
      reportOf(names.slice(4, 6).map((name) => rich(named(name)))),
      summaryLimit,
    );
    expect(rowsInTable(markdown).map(([name]) => name)).toEqual(['🚀 👩‍👩‍👧 Führung 文档', 'a | b']);
    expect(markdown).toContain('<summary><code>🚀 👩‍👩‍👧 Führung 文档</code>, alert</summary>');
  });

  test('is plain text in a digest, without a mention, a link or markup', () => {
    const digest = digestOfProjects(reportOf(names.map((name) => failed(named(name)))), runUrl);
    expect(digest.replace(runUrl, '')).not.toMatch(/[@#<>*`[\]!~|]|https?:/);
    expect(digest).toContain('🚀 👩‍👩‍👧 Führung 文档: not read (forbidden).');
  });
});

describe('where not all fits', () => {
  const limits = [commentLimit, { ...commentLimit, most: 20_000 }];

  test.each(limits)('fifty projects keep to $most, with a whole table and every section', (limit) => {
    const report = reportOf(numbered(50).map((one) => rich(one)));
    const markdown = renderProjects(report, limit);
    expect(limit.measure(markdown)).toBeLessThanOrEqual(limit.most);
    expect(rowsInTable(markdown)).toHaveLength(50);
    const sections = sectionsIn(markdown);
    expect(sections).toHaveLength(50);
    for (const one of sections)
      expect(one).toMatch(/\*No room for \d+ more parts of this section\.\*\n\n<\/details>\n+$/);
    expect(limit.measure(renderProjects(report, summaryLimit))).toBeGreaterThan(limit.most);
  });

  test('charts go first, so that the pages that moved stay', () => {
    const report = reportOf(numbered(16).map((one) => rich(one)));
    expect(renderProjects(report, summaryLimit).match(/```mermaid/g)).toHaveLength(16);
    const markdown = renderProjects(report, commentLimit);
    expect(markdown).not.toContain('```mermaid');
    expect(markdown.match(/^#### Pages that moved\n\n.*\n\n\| Page \|/gm)).toHaveLength(16);
    expect(markdown.length).toBeGreaterThan(commentLimit.most - 10_000);
  });

  test('fifty projects with the longest names and paths that want to break it fit a comment as well', () => {
    const cut = { kind: 'budget' } as const;
    const projects = Array.from({ length: 50 }, (_, index): ProjectReport => {
      const project = named(`${index}${'|'.repeat(78)}`);
      if (index % 2 === 0) return failed(project);
      const path = hostilePaths[index] ?? '/x';
      const now = readOf([row(`/${'\u0007'.repeat(100)}${path}`, 900, 0)], { cut });
      return { project, content: contentOf(now, earlier([]), { charts: 'mermaid' }) };
    });
    const markdown = renderProjects(reportOf(projects), commentLimit);
    expect(markdown.length).toBeLessThanOrEqual(commentLimit.most);
    expect(rowsInTable(markdown)).toHaveLength(50);
  });

  test('fifty projects fit a comment, whatever their names, ids and paths are, with a whole table and every section', () => {
    // What takes more room once it is written: a longer fence, an escape, two units for a character.
    const costly = fc.constantFrom(
      '`',
      '|',
      '\\',
      '\\|',
      '&',
      '"',
      '\u{1f680}',
      '\u200b',
      '\u{e0001}',
      '\0',
      'x',
    );
    const text = fc.oneof(
      fc.string({ unit: costly, minLength: 60, maxLength: 90 }),
      costly.map((unit) => unit.repeat(78)),
    );
    const rules = 'total > 1%\ntotal /** > 1%\nhuman < -90%';
    const reasons = [
      'not-found',
      'forbidden',
      'bad-request',
      'timeout',
      'service-error',
      'invalid-response',
    ] as const;
    const projectOf = (kind: number, name: string, path: string): ProjectReport => {
      const project = named(name);
      const reason = reasons[kind];
      const hint = 'It may be one thing, or it may be another, and here is what helps. '.repeat(3) + kind;
      const failure = new ServiceError(reason ?? 'unreachable', 'no', { hint });
      const cut =
        kind % 2 === 0
          ? ({ kind: 'service', reason: failure.reason, message: 'no', hint } as const)
          : undefined;
      const now = readOf([row(path, 900, 0)], { cut });
      if (reason !== undefined)
        return { ...failed(project), failure, alerts: leaveUnchecked(parseAlertRules(rules).rules) };
      if (kind % 3 === 0) return { project, content: contentOf(now, undefined, { rules }) };
      return {
        project,
        content: contentOf(now, earlier([], { cut }), { rules, trend: withTotals([900, 950, 1100]) }),
      };
    };
    // Enough for what stands in front of the report in a comment.
    const limit = { ...commentLimit, most: commentLimit.most - 1_000 };
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat({ max: 24 }), text, text), { minLength: 50, maxLength: 50 }),
        (some) => {
          const report = reportOf(
            some.map(([kind, name, path], index) => projectOf(kind, `${name}${index}`, `/${path}`)),
          );
          const markdown = renderProjects(report, limit);
          expect(markdown.length).toBeLessThanOrEqual(limit.most);
          expect(rowsInTable(markdown)).toHaveLength(50);
          expect(sectionsIn(markdown)).toHaveLength(50);
          expect(digestOfProjects(report, runUrl).length).toBeLessThanOrEqual(3_000);
        },
      ),
      {
        numRuns: 25,
        examples: ['`', '|', '&', '\u{e0001}'].map((unit): [[number, string, string][]] => [
          Array.from({ length: 50 }, (_, index) => [index % 25, unit.repeat(78), unit.repeat(58)]),
        ]),
      },
    );
  });

  test('lists of names have five, and count the others', () => {
    const markdown = renderProjects(reportOf([rich(named('A')), ...numbered(49).map(failed)]), commentLimit);
    expect(markdown).toContain(
      'Incomplete: nothing could be read of `Site 1`, `Site 2`, `Site 3`, `Site 4`, `Site 5`, and 44 more.',
    );
  });

  test('a name that is cut says by how much, in a digest too', () => {
    const report = reportOf([
      failed(named('é'.repeat(90))),
      failed(named(`${'@'.repeat(79)}x`)),
      rich(named('A')),
    ]);
    expect(digestOfProjects(report, runUrl)).toContain(`${'é'.repeat(80)}… (10 more characters): not read`);
    expect(digestOfProjects(report, runUrl)).toContain(`${'%40'.repeat(60)}… (20 more characters): not read`);
  });

  test('the rules that fired keep their rows longest, and a list without a row is left out whole', () => {
    const report = reportOf([rich(named('Long')), failed(named('Short'))]);
    const whole = renderProjects(report, summaryLimit);
    const least = renderProjects(report, { ...summaryLimit, most: 0 }).length;
    const seen = new Set<string>();
    for (let most = least; most < whole.length; most += 100) {
      const [section = ''] = sectionsIn(renderProjects(report, { ...commentLimit, most }));
      const headings = [
        ...section.matchAll(
          /^(#### (?:Alerts|Pages that moved|Top pages)|<summary>(?:Sections|New pages) )/gm,
        ),
      ];
      for (const [index, { 0: heading, index: from }] of headings.entries()) {
        expect(section.slice(from, headings[index + 1]?.index)).toContain('\n| :-- |');
        seen.add(heading);
      }
      if (section.includes('#### Top pages')) expect(section).toContain('| `total > 5%` | the site |');
    }
    expect([...seen].toSorted()).toEqual([
      '#### Alerts',
      '#### Pages that moved',
      '#### Top pages',
      '<summary>New pages ',
      '<summary>Sections ',
    ]);
  });

  test('one long section leaves the short ones whole, and they leave their room to it', () => {
    const [long, short] = [rich(named('Long')), failed(named('Short'))];
    const whole = renderProjects(reportOf([long, short]), summaryLimit);
    const limit = { ...commentLimit, most: whole.length - 2_000 };
    const markdown = renderProjects(reportOf([long, short]), limit);
    expect(markdown.length).toBeLessThanOrEqual(limit.most);
    // Its chart went, and then as many rows as it took.
    expect(markdown.length).toBeGreaterThan(limit.most - 300);
    expect(sectionsIn(markdown)[1]).toBe(sectionsIn(whole)[1]);
    expect(sectionsIn(markdown)[0]).toMatch(/\*\d+ more not listed\.\*/);
  });

  test('a room is shared out evenly, but for what nobody needs, and never beyond', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat({ max: 1000 }), { minLength: 1 }),
        fc.nat({ max: 20_000 }),
        (needs, room) => {
          const shares = shareOut(needs, room);
          expect(shares.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(room);
          const cut = shares.filter((share, index) => share < (needs[index] ?? 0));
          for (const [index, share] of shares.entries()) {
            expect(share).toBeLessThanOrEqual(needs[index] ?? 0);
            // Nobody has more than one who is cut, but for what does not divide.
            for (const one of cut) expect(share).toBeLessThanOrEqual(one + needs.length);
          }
          if (needs.reduce((sum, one) => sum + one, 0) <= room) expect(shares).toEqual(needs);
        },
      ),
    );
  });
});

describe('the digest', () => {
  test('has a line or two each, in their order', () => {
    const digest = digestOfProjects(reportOf([rich(named('B')), rich(named('A'), '/other.html')]), runUrl);
    const line = '1,100 visitors, up 15.8% from the week before (950). AI was 27.3% of them, up 6.2 points.';
    expect(digest.split('\n\n')).toEqual([
      'Docs visitors, 9–15 November 2026, 2 projects',
      `B: ${line}\n+800 /moved`,
      `A: ${line}\n+800 /other%2Ehtml`,
      '2 of 4 rules fired, in 2 places.',
      runUrl,
    ]);
  });

  test('too long for all has the largest changes, and counts the others', () => {
    const projects = numbered(50).map((project, index): ProjectReport => {
      const totals = { human: 900, ai: 300, total: 2_000 + 100 * index };
      return { project, content: contentOf(readOf([], { totals }), earlier([])) };
    });
    const digest = digestOfProjects(reportOf(projects), runUrl);
    const shown = [...digest.matchAll(/^Site (\d+): /gm)].map(([, number]) => Number(number));
    expect(shown.length).toBeGreaterThan(15);
    expect(shown).toEqual(shown.map((_, index) => 50 - index));
    expect(digest).toContain(`${50 - shown.length} more projects not listed.`);
    expect(digest.endsWith(runUrl)).toBe(true);
  });

  test('has at most 3,000 characters, whatever the paths and names are', () => {
    const name = fc.string({ unit: 'binary', maxLength: 80 });
    fc.assert(
      fc.property(fc.array(fc.tuple(name, anyPath), { minLength: 2, maxLength: 50 }), (some) => {
        const projects = some.map(([one, path]) => rich(named(one), path));
        expect(digestOfProjects(reportOf(projects), runUrl).length).toBeLessThanOrEqual(3_000);
      }),
      { numRuns: 10 },
    );
  });
});

describe('files', () => {
  test('of several are data for each and one report', () => {
    const paths = reportPathsOf('out', [named('A', 'a1'), named('B', 'b2')], window);
    expect(paths('b2')).toEqual({
      markdown: 'out/visitors-2026-W46.md',
      csv: 'out/visitors-b2-2026-W46.csv',
      json: 'out/visitors-b2-2026-W46.json',
    });
  });

  test('of ids that a disk may take for one are told apart, in any order', () => {
    const long = 'x'.repeat(200);
    const ids = ['a b', 'a_b', 'A_B', 'a/b', `${long}1`, `${long}2`, 'other'];
    const csvOf = (some: readonly string[]) => {
      const [first = '', ...others] = some;
      const paths = reportPathsOf('', [named(first), ...others.map((id) => named(id))], window);
      return new Map(some.map((id) => [id, paths(id).csv]));
    };
    const names = csvOf(ids);
    expect(new Set([...names.values()].map((name) => name.toLowerCase())).size).toBe(ids.length);
    expect(names.get('other')).toBe('visitors-other-2026-W46.csv');
    expect(csvOf(ids.toReversed())).toEqual(new Map([...names].toReversed()));
    for (const name of names.values()) expect(name.length).toBeLessThanOrEqual(200);
    // An id may be what the digest makes of another, and another what the digest makes of that.
    const slug = /^visitors-(.*)-2026-W46\.csv$/;
    const digested = csvOf(['abc', 'ABC']).get('abc')?.match(slug)?.[1] ?? '';
    expect(digested).toMatch(/^abc-[0-9a-f]{12}$/);
    const again = csvOf(['abc', 'ABC', digested]).get(digested)?.match(slug)?.[1] ?? '';
    expect(again).toMatch(/^abc-[0-9a-f]{12}-[0-9a-f]{12}$/);
    const chain = ['abc', 'ABC', digested, again.toUpperCase()];
    const chained = [...csvOf(chain).values()].map((name) => name.toLowerCase());
    expect(new Set(chained).size).toBe(chain.length);
  });
});
