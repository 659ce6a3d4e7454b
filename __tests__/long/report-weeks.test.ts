import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, jest, test } from '@jest/globals';
import { ACTION_DIR } from '../../simulator/runner/action.ts';
import type { GivenWindow } from '../../simulator/service/visitors/analytics.ts';
import { Stage } from '../support/bundle/stage.ts';
import { sitesOf } from '../support/usual-weeks/cells.ts';
import { countOf, type Random, randomOf } from '../support/usual-weeks/random.ts';
import { namedIn, playEvent, playLarge, playSite } from '../support/usual-weeks/sites.ts';

/* Runs the bundle for many weekly reports on generated sites, and compares the rule with the simulation that it was chosen by. */

type Weeks = readonly (readonly number[])[];

const weekMs = 7 * 86_400_000;
const firstReport = '2026-11-16T06:10:00Z';
const stage = new Stage({ clock: { start: firstReport } });
const weeksBefore = 9;
const sections = 12;
const pathOf = (page: number) => `/s${page % sections}/p${page}`;
jest.setTimeout(1_800_000);

/** Lets the service answer with these weeks, oldest first. The next report is about the last one but `after`. */
function serve(weeks: Weeks, after: number, pathOfPage = pathOf): void {
  const { clock } = stage.simulator;
  const lastMondayMs = Date.parse('2026-11-09T00:00:00Z') + clock.now() - clock.startMs;
  stage.simulator.service.visitors.give(({ fromMs }): GivenWindow => {
    const week = weeks[weeks.length - 1 - after + (fromMs - lastMondayMs) / weekMs] ?? [];
    const rows = week.flatMap((total, page) => {
      const [human, ai] = [Math.ceil(0.7 * total), Math.floor(0.3 * total)];
      return total === 0 ? [] : { path: pathOfPage(page), human, ai, total };
    });
    rows.sort((a, b) => b.total - a.total);
    const add = (kind: 'human' | 'ai' | 'total') => rows.reduce((sum, row) => sum + row[kind], 0);
    return { rows, totals: { human: add('human'), ai: add('ai'), total: add('total') } };
  });
}

interface Json {
  readonly pages: readonly { readonly path: string }[];
  readonly sections: readonly { readonly path: string }[];
  readonly new: readonly { readonly path: string }[] | null;
  readonly usual: { readonly total: { readonly side: string } | null };
  readonly comparedPages: { readonly periods: number; readonly mostRead: number | null } | null;
}

const inputs = {
  mode: 'visitors',
  'report-dir': 'report',
  'history-file': 'history.jsonl',
  baseline: '8',
};
const withoutHistory = { ...inputs, 'history-file': '' };

async function report(given: Readonly<Record<string, string>> = inputs) {
  const { outputs, summary } = await stage.play(given, {
    event: stage.simulator.github.scheduleEvent(),
  });
  expect(outputs).toMatchObject({ outcome: 'reported' });
  const json: Json = JSON.parse(readFileSync(stage.path(outputs['json-file'] ?? ''), 'utf8'));
  const paths = (rows: readonly { readonly path: string }[]) => rows.map(({ path }) => path);
  const requests = Number(outputs['requests-used']);
  const names = {
    pages: paths(json.pages),
    sections: paths(json.sections),
    appeared: paths(json.new ?? []),
  };
  return { json, summary, requests, ...names, side: json.usual.total?.side };
}

/** Plays that many weekly reports on a site's last weeks, one a week. */
async function playReports(
  weeks: Weeks,
  reports: number,
  given: Readonly<Record<string, string>> = inputs,
) {
  serve(weeks, reports - 1);
  const said: Awaited<ReturnType<typeof report>>[] = [];
  for (let week = 0; week < reports; week += 1) {
    said.push(await report(given));
    stage.simulator.clock.advance(weekMs);
  }
  return said;
}

/** Of 100 sites, how often the reports on the last two weeks say something. Prints it. */
async function share(
  what: string,
  play: () => Weeks,
  isSaid: (first: Awaited<ReturnType<typeof report>>, second: typeof first) => boolean,
  sites = 200,
): Promise<number> {
  let times = 0;
  for (let site = 0; site < sites; site += 1) {
    const [first, second] = await playReports(play(), 2, withoutHistory);
    if (first && second && isSaid(first, second)) times += 1;
  }
  console.log(`${what}: ${(100 * times) / sites} of 100 (${sites} sites)`);
  return (100 * times) / sites;
}

const some = (random: Random, count: number) => {
  const pages = Array.from({ length: 120 }, (_, page) => ({ page, order: random() }));
  return pages
    .sort((a, b) => a.order - b.order)
    .slice(0, count)
    .map(({ page }) => page);
};
const ten = Array.from({ length: 10 }, (_, index) => 2 + sections * index);
const eight = Array<number>(8).fill(1);

test.each([20, 40, 70, 90])(
  'in the week after a crawl of %d pages, at most 12 of 100 reports name something',
  async (count) => {
    const random = randomOf(count);
    const crawl = () => playEvent({ who: some(random, count), added: 40 }, random);
    const isNamed = (_: unknown, { pages, sections }: { pages: string[]; sections: string[] }) =>
      pages.length + sections.length > 0;
    expect(
      await share(`the week after a crawl of ${count} pages has a name`, crawl, isNamed),
    ).toBeLessThanOrEqual(12);
  },
);

test('a section that falls by 40% is found by the second week in at least 90 of 100', async () => {
  const random = randomOf(40);
  const fall = () => playEvent({ who: ten, size: 40, change: [...eight, 0.6, 0.6] }, random);
  const isFound = (...reports: readonly { sections: string[] }[]) =>
    reports.some((said) => said.sections.includes('/s2'));
  expect(
    await share('a section that falls by 40% is found by week 2', fall, isFound),
  ).toBeGreaterThanOrEqual(90);
});

test('12,000 pages are judged with 9 requests, and a page that doubles is found', async () => {
  const random = randomOf(12_000);
  const large = () => playLarge(100, 2, random);
  let found = 0;
  for (let site = 0; site < 20; site += 1) {
    const reports = await playReports(large(), 2, { ...withoutHistory, 'max-requests': '9' });
    for (const { json, requests, summary } of reports) {
      expect([requests, json.comparedPages]).toEqual([9, { periods: 8, mostRead: 250 }]);
      expect(summary).toContain('the 250 most-read pages of each week');
    }
    found += Number(reports.some(({ pages }) => pages.includes(pathOf(900))));
  }
  console.log(
    `of 12,000 pages, one of 100 that doubles is found by week 2: ${(100 * found) / 20} of 100 (20 sites)`,
  );
  expect(found).toBeGreaterThanOrEqual(11);
});

test('each launch is told once, whether it begins slowly or not', async () => {
  const random = randomOf(5);
  const isNew = (page: number) => page >= 120;
  for (const first of [0, 6, 60, 400]) {
    const drawn = playSite({ pages: 120, spread: 0.1, swing: 0.03, weeks: 12 }, random).weeks;
    const launch = (week: number) => (week < 9 ? 0 : week === 9 ? first : countOf(400, random));
    const weeks = drawn.map((pages, week) => [
      ...pages,
      ...Array.from({ length: 20 }, () => launch(week)),
    ]);
    const said = await playReports(weeks, 5, {
      ...inputs,
      'history-file': `launch-${first}.jsonl`,
    });
    const told = said.flatMap(({ appeared }) =>
      appeared.filter((path) => isNew(Number(/\d+$/.exec(path)))),
    );
    expect([first, told.length, new Set(told).size]).toEqual([first, 20, 20]);
  }
});

test('94 generated sites have the same report in the second week with a history and without', async () => {
  const random = randomOf(94);
  const settings = [20, 100].flatMap((pages) => sitesOf([pages]));
  let names = 0;
  for (let index = 0; index < 94; index += 1) {
    const site = settings[index % settings.length] ?? { pages: 20, spread: 0, swing: 0 };
    serve(playSite(site, random).weeks, 1);
    const history = { ...inputs, 'history-file': `history-${index}.jsonl` };
    await report(history);
    stage.simulator.clock.advance(weekMs);
    const kept = await report(history);
    const read = await report(withoutHistory);
    // One of them is for the same week last year.
    expect([kept.requests, read.requests]).toEqual([2, 10]);
    expect([kept.summary, kept.json]).toEqual([read.summary, read.json]);
    names += kept.pages.length;
    stage.simulator.clock.advance(weekMs);
  }
  expect(names).toBeGreaterThan(50);
});

/** Runs weekly reports on a site with 100 pages whose visitors vary by 20%, and returns what each report says. */
function playWeeks(reports: number, extra: (week: number) => number) {
  const calm = { pages: 100, spread: 0.2, swing: 0.03, weeks: reports + weeksBefore - 2 };
  const weeks = playSite(calm, randomOf(2026)).weeks.map((week, index) => [...week, extra(index)]);
  return playReports(weeks, reports);
}

test('few of 50 uneventful weeks have a page or a total called unusual, and each takes at most two requests', async () => {
  const said = await playWeeks(50, () => 0);
  console.log(said.map(({ pages, side }) => `${pages.length} ${side}`).join(', '));
  expect(said.filter(({ pages }) => pages.length > 0).length).toBeLessThanOrEqual(10);
  expect(said.filter(({ side }) => side !== 'usual').length).toBeLessThanOrEqual(10);
  // Once the history reaches back a year, it has the same week last year, too.
  const requests = said.slice(1).map((report) => report.requests);
  expect(requests).toEqual(requests.map((_, index) => (index < 43 ? 2 : 1)));
});

test('a page that alternates between 900 and 300 visitors for 14 weeks is never named', async () => {
  const said = await playWeeks(14, (week) => (week % 2 === 0 ? 900 : 300));
  expect(said.filter(({ pages }) => pages.includes(pathOf(100)))).toEqual([]);
});

const python = process.env.PYTHON ?? 'python3';
const hasPackages = spawnSync(python, ['-c', 'import numpy, scipy']).status === 0;
if (!hasPackages)
  console.error(`NOT COMPARED: ${python} lacks numpy or scipy. Set PYTHON to one that has them.`);
const compared = hasPackages ? test : test.skip;

compared(
  'at least 2,000 generated weeks have the names of the simulation that the rule was chosen by',
  () => {
    const random = randomOf(47);
    const given: { weeks: Weeks; section: readonly number[]; rows: number | null }[] = [];
    const add = (weeks: Weeks, count: number, rows: number | null) => {
      const section = (weeks[0] ?? []).map((_, page) => page % count);
      for (const some of [weeks.slice(0, -1), weeks.slice(1)])
        given.push({ weeks: some, section, rows });
    };
    for (const weeks of [4, 5, 8, 8, 8, 12]) {
      for (const site of sitesOf([20, 100, 300]))
        add(playSite({ ...site, weeks }, random).weeks, sections, null);
      for (const site of sitesOf([600, 1000]))
        add(playSite({ ...site, weeks }, random).weeks, 1, 250);
    }
    const changes = [0.75, 0.6, 1.3].map((change) => [...eight, change, change]);
    for (const change of [...changes, ...changes, eight.with(4, 5), [...eight, 5, 1]]) {
      for (let site = 0; site < 50; site += 1) {
        add(
          playEvent({ who: ten, size: site % 2 === 0 ? 40 : 12, change }, random),
          sections,
          null,
        );
        add(playEvent({ who: some(random, 40), added: 40 }, random), sections, null);
      }
    }
    for (let site = 0; site < 5; site += 1) add(playLarge(100, 2, random), 1, 250);
    const input = given.map((week) => `${JSON.stringify(week)}\n`).join('');
    const script = join(ACTION_DIR, '__tests__/support/usual-weeks/rule.py');
    const printed = execFileSync(python, [script], { input, encoding: 'utf8', maxBuffer: 2 ** 28 });
    const names = { pages: 0, sections: 0, appeared: 0, firstRows: 0 };
    for (const [index, line] of printed.trimEnd().split('\n').entries()) {
      const { weeks = [], section = [], rows = null } = given[index] ?? {};
      const found = namedIn(weeks, { sections: new Set(section).size, rows: rows ?? undefined });
      expect([found.pages, found.sections, found.appeared]).toEqual(JSON.parse(line));
      names[rows === null ? 'pages' : 'firstRows'] += found.pages.length;
      names.sections += found.sections.length;
      names.appeared += found.appeared.length;
    }
    console.log(`${given.length} weeks have the same names: ${JSON.stringify(names)}`);
    expect(given.length).toBeGreaterThanOrEqual(2000);
  },
);
