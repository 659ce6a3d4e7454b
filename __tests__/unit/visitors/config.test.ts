import { describe, expect, test } from '@jest/globals';
import type { RawInputs, Surroundings } from '../../../src/core/common-inputs.ts';
import { inputProblems, parseConfig, outside as usual } from '../../support/samples/config.ts';
import { createdAt } from './site.ts';

const outside: Surroundings = {
  ...usual,
  now: () => createdAt,
  findDirectoryProblem: (path) => (path.startsWith('/proc') ? 'ENOENT' : undefined),
  findLinkProblem: (path) => (path === 'link' ? 'it leads out' : undefined),
};
const needed = { mode: 'visitors', 'api-key': 'mint_x', 'project-id': 'acme' };

const parse = (raw: RawInputs, more: Partial<Surroundings> = {}) =>
  parseConfig({ ...needed, ...raw }, { ...outside, ...more });

const numbered = (count: number, line: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => line(index)).join('\n');

async function problems(raw: RawInputs): Promise<Record<string, string>> {
  const all = await inputProblems({ ...needed, ...raw }, outside);
  return Object.fromEntries(all.map(({ inputs, problem }) => [`${inputs}`, problem]));
}

test('inputs are parsed', async () => {
  const custom = { period: 'custom', 'date-from': '2026-11-01', 'date-to': ' 2026-11-17 ' };
  const pages = '/guides/**\n!/guides/drafts/**\n';
  const lists = { pages, 'section-depth': '2', alerts: 'total < -30%\n' };
  expect(
    await parse({ ...custom, ...lists, 'time-zone': 'Europe/Berlin', thread: '12' }),
  ).toMatchObject({
    period: 'custom',
    dateFrom: '2026-11-01',
    dateTo: '2026-11-17',
    timeZone: 'Europe/Berlin',
    pages: ['/guides/**', '!/guides/drafts/**'],
    sectionDepth: 2,
    alerts: [{ figure: 'total', condition: { percent: -30 } }],
    thread: 12,
  });
});

test('`docs-url` is the address of the site, or one of each project', async () => {
  expect(await parse({ 'docs-url': 'https://docs.example.com/en/' })).toMatchObject({
    docsUrl: [{ project: undefined, url: 'https://docs.example.com/en' }],
  });
  const two = {
    'project-id': 'a = Guides: new\nb',
    'docs-url': 'Guides: new: https://a.example\nb: https://b.example',
  };
  expect(await parse(two)).toMatchObject({
    docsUrl: [
      { project: 'Guides: new', url: 'https://a.example' },
      { project: 'b', url: 'https://b.example' },
    ],
  });
  const bad = [
    'docs.example.com',
    'ftp://a.example',
    'https://me:x@a.example',
    'https://a.example/?x',
    'x',
  ];
  for (const url of [...bad, 'API: https://a.example'])
    expect(await problems({ 'docs-url': url })).toMatchSnapshot();
});

test('`docs-repository` is where the pages of the site are, or those of each project', async () => {
  expect(await parse({ 'docs-repository': 'octo-org/docs.site' })).toMatchObject({
    docsRepository: [{ project: undefined, owner: 'octo-org', repo: 'docs.site' }],
  });
  const two = { 'project-id': 'a = Guides: new\nb', 'docs-repository': 'Guides: new: o/x\nb: o/y' };
  expect(await parse(two)).toMatchObject({
    docsRepository: [
      { project: 'Guides: new', owner: 'o', repo: 'x' },
      { project: 'b', owner: 'o', repo: 'y' },
    ],
  });
  const bad = ['docs', 'https://github.com/o/r', 'o/r/x', 'o/..', 'o /r', '../r', 'o/r?x', 'a: b'];
  for (const lines of [...bad, 'o/r\no/s', 'API: o/r'])
    expect(await problems({ 'docs-repository': lines })).toMatchSnapshot();
});

describe('a custom window', () => {
  test.each([
    ['custom', '', ''],
    ['custom', '2026-11-01', ''],
    ['custom', '2026-02-30', '2026-03-02'],
    ['custom', '2026-02-02', '2026-02-02'],
    ['custom', '2026-11-01', '2026-11-18'],
    ['', '2026-11-01', ''],
    ['', '2026-11-01', '2026-11-02'],
  ])('is rejected with the period %j from %j to %j', async (period, from, to) => {
    expect(await problems({ period, 'date-from': from, 'date-to': to })).toMatchSnapshot();
  });

  test('ends no later than today in the time zone', async () => {
    const inputs = { period: 'custom', 'date-from': '2026-11-01', 'date-to': '2026-11-18' };
    const late = { now: () => Date.parse('2026-11-17T23:30:00Z') };
    await expect(parse({ ...inputs, 'time-zone': 'Europe/Berlin' }, late)).resolves.toBeDefined();
    await expect(parse(inputs, late)).rejects.toMatchObject({ reason: 'bad-input' });
  });
});

test('an error about an input says what the input accepts', async () => {
  const problem = {
    top: '0',
    'max-requests': '-1',
    charts: 'text',
    'report-comment': 'both',
    pages: '/a/**\n/[',
    thread: '#1',
  };
  expect(
    await problems({ ...problem, 'report-dir': '/proc/x', 'history-file': 'link' }),
  ).toMatchSnapshot();
});

test.each([
  ['- /guides/**', 'each line is a glob, not YAML: remove the dash and any quotes'],
  ["/a\n!'/guides/**'", 'each line is a glob, not YAML: remove the dash and any quotes'],
  ['! /guides/**', 'remove the space after the exclamation mark'],
])('pages %j are rejected, because they would match nothing', async (pages, why) => {
  expect(await problems({ pages })).toEqual({ pages: expect.stringContaining(`\`: ${why}`) });
});

test('globs can’t be separated by a comma and a space, which are accepted only in braces', async () => {
  const listed = expect.stringContaining(
    '`: put each glob on its own line, or write `[,]` for the comma',
  );
  for (const pages of ['/a/**, /b/**', '/a\n/{b,c}/**, !/d', '/{a, b}/**,\t/c'])
    expect(await problems({ pages })).toEqual({ pages: listed });
  const meant = ['/{a, b}/**', '/{a,{b, c}, d}', '/a,b', '/[a, b]', '/a,?b'];
  expect(await parse({ pages: meant.join('\n') })).toMatchObject({ pages: meant });
});

test('an error lists the first five mistakes and counts the others', async () => {
  const { 'project-id': ids = '' } = await problems({
    'project-id': Array(60).fill('a').join('\n'),
  });
  expect(ids).toMatch(
    /^has 59 invalid projects\n`a` \(line 2\): the same .*\. `a` \(line 6\): the same ID or name as line 1\.$/,
  );
  const alerts = numbered(1_000, (index) => `S${index}: total < 5%`);
  await expect(parse({ alerts })).rejects.toThrow(
    /^`alerts` names a project that `project-id` doesn’t list: `S0`, `S1`, `S2`, `S3`, `S4`, and 995 more$/,
  );
});

describe('projects', () => {
  test('are listed one per line, by ID or by ID and name', async () => {
    expect(
      await parse({ 'project-id': '\n  a1 \n\nb2=API\n c3 = The = sign: yes \r\n' }),
    ).toMatchObject({
      projects: [
        { id: 'a1', name: 'a1' },
        { id: 'b2', name: 'API' },
        { id: 'c3', name: 'The = sign: yes' },
      ],
    });
    const most = await parse({ 'project-id': numbered(50, (index) => `id${index}`) });
    expect(most).toHaveProperty('projects.length', 50);
  });

  test.each([
    ...[
      'a\nb =',
      'a\n= B',
      'a\n\n..',
      'a\nb\na = Again',
      'a = b\nb = c',
      '# the guides\na',
      'a\u0000b',
    ],
    ...[`a = ${'x'.repeat(81)}\nb = C\u200b`, numbered(51, (index) => `id${index}`)],
  ])('are rejected if they are %j', async (lines) => {
    expect(await problems({ 'project-id': lines })).toMatchSnapshot();
  });

  test('take at least one request each, if `max-requests` is set', async () => {
    const lines = numbered(12, (index) => `id${index}`);
    expect(await problems({ 'project-id': lines, 'max-requests': '11' })).toEqual({
      'max-requests': 'is less than one request for each of 12 projects\nUse 12 or more.',
    });
    expect(await parse({ 'project-id': lines, 'max-requests': '12' })).toMatchObject({
      maxRequests: 12,
    });
    // The default is enough for as many projects as there can be.
    const many = numbered(50, (index) => `id${index}`);
    expect(await parse({ 'project-id': many })).toMatchObject({ maxRequests: 60, baseline: 12 });
  });

  test('can have their own alert rules, but an unknown name is an error that lists all names', async () => {
    const lines = 'a1 = Guides\nb2 = API: v2';
    const rules = 'total < 5%\nGuides: ai > 5%\nAPI: v2: total < 5%\nb2: human < 5%';
    expect(await parse({ 'project-id': lines, alerts: rules })).toMatchObject({
      alerts: [undefined, 'Guides', 'API: v2', 'b2'].map((project) => ({ project })),
    });
    expect(
      await problems({ 'project-id': lines, alerts: 'total < 5%\nguides: total < 5%' }),
    ).toEqual({
      alerts:
        'names a project that `project-id` doesn’t list: `guides`\nUse one of these: `Guides`, `API: v2`.',
    });
  });
});
