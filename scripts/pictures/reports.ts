import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serviceInputs } from '../../__tests__/support/usual.ts';
import { hostilePaths } from '../../__tests__/unit/visitors/site.ts';
import { type Simulator, startSimulator } from '../../simulator/index.ts';
import { runAction } from '../../simulator/runner/runner.ts';
import { DEFAULT_PROJECT } from '../../simulator/service/service.ts';
import type { GivenWindow } from '../../simulator/service/visitors/analytics.ts';
import { SHOWN_READERS } from '../../simulator/service/visitors/readers.ts';
import {
  rowCount,
  SHOWN_SITE,
  type SiteScript,
  type SiteWindow,
  siteRows,
  siteTotals,
  USUAL_SITE,
  type VisitorRow,
} from '../../simulator/service/visitors/site.ts';
import type { Scene } from './scene.ts';

/** The Monday on which the last report runs. */
const LAST = Date.parse('2026-03-09T06:00:00Z');
const WEEK_MS = 7 * 86_400_000;
/** Whether a window is before the last report's period. */
const isEarlier = ({ fromMs }: { readonly fromMs: number }) => fromMs < LAST - 8 * 86_400_000;

interface Site {
  /** Changes the usual site. */
  readonly site?: (
    visitors: Simulator['service']['visitors'],
    service: Simulator['service'],
  ) => void;
  readonly prepare?: (simulator: Simulator) => void;
  readonly inputs?: Readonly<Record<string, string>>;
  /** The number of weekly reports. */
  readonly weeks?: number;
}

/** Runs a site's weekly reports with one history, and shows the last report. */
function report({ site, prepare, inputs, weeks = 1 }: Site): Scene['play'] {
  return async () => {
    const start = LAST - (weeks - 1) * WEEK_MS;
    // What happened earlier happened six weeks before.
    const simulator = await startSimulator({ clock: { start: start - 6 * WEEK_MS } });
    const workspace = mkdtempSync(join(tmpdir(), 'pictures-'));
    try {
      const { service, github, clock } = simulator;
      service.visitors.script(SHOWN_SITE);
      prepare?.(simulator);
      clock.advance(6 * WEEK_MS);
      site?.(service.visitors, service);
      let summary = '';
      for (let week = 0; week < weeks; week += 1) {
        const usual = {
          ...serviceInputs(simulator),
          mode: 'visitors',
          'history-file': 'history.jsonl',
        };
        const event = github.scheduleEvent();
        const run = await runAction({
          simulator,
          workspace,
          event,
          inputs: { ...usual, ...inputs },
        });
        summary = run.summary;
        clock.advance(WEEK_MS);
      }
      return [{ markdown: summary }];
    } finally {
      await simulator.close();
      rmSync(workspace, { recursive: true, force: true });
    }
  };
}

const weekShown = Date.parse('2026-03-02');
const calm = { rows: 180, topWeekly: 1_000, growthPerWeek: 1, wobble: 0.04, churn: 0 };

/** Changes the visitors of these pages since a number of weeks before the week shown. */
const changeSince = (age: number, factors: Readonly<Record<number, number>>): SiteScript['moves'] =>
  Object.entries(factors).map(([page, factor]) => ({
    page: Number(page),
    fromMs: weekShown - age * WEEK_MS,
    factor,
  }));

/** What becomes of a page's row in a week. The week shown has age 0. */
type Happening = (row: VisitorRow, age: number) => VisitorRow | undefined;

const times = (row: VisitorRow, factor: number): VisitorRow => {
  const [human, ai] = [Math.round(factor * row.human), row.ai];
  return { ...row, human, ai, total: Math.max(human, ai, row.total + human - row.human) };
};

/** A calm site, to whose pages something happens, with so many times as many people in the week shown. */
function siteWhere(
  happening: Happening,
  people = 1,
  script: Partial<SiteScript> = {},
): (window: SiteWindow) => GivenWindow {
  return ({ fromMs, toMs }) => {
    const site = { ...USUAL_SITE, ...calm, ...script };
    const window = { fromMs, toMs };
    const age = Math.round((weekShown - fromMs) / WEEK_MS);
    const rows = siteRows(site, window, 0, rowCount(site, window)).flatMap(
      (row) => happening(row, age) ?? [],
    );
    const totals = siteTotals(site, window);
    return { rows, totals: age === 0 ? times({ path: '', ...totals }, people) : totals };
  };
}

/** Two pages change for good, one for a week, and one vanishes. */
const eventful: Happening = (row, age) => {
  if (row.path === '/sdk/go' && age < 2) return times(row, 0.45);
  if (row.path === '/guides/streaming' && age < 2) return times(row, 2.8);
  if (row.path === '/api/events' && age === 0) return times(row, 6);
  if (row.path === '/integrations/zapier' && age === 0) return { ...row, human: 0, total: row.ai };
  return row;
};

/** Two pages change for good. */
const twoPagesChanged: Happening = (row, age) =>
  ['/sdk/go', '/guides/streaming'].includes(row.path) ? eventful(row, age) : row;

/** Some pages get another address in the week shown. */
const moving: Happening = (row, age) => {
  if (age > 0) return row;
  return { ...row, path: row.path.replace(/^\/(?:guides|sdk|api)\/([^/]+)$/, '/learn/$1') };
};

/** Pull requests change some pages. */
function changePages(simulator: Simulator): void {
  const { elsewhere } = simulator;
  elsewhere.addToken('ghs_fake_docs', { 'pull-requests': 'read' });
  elsewhere.git.commit({ files: { 'docs.json': '{}' } });
  const pages = ['sdk/go', 'guides/streaming', 'api/events', 'api/errors', 'guides/deploy'];
  for (const page of pages) {
    const head = `edit-${page}`;
    elsewhere.git.branch(head);
    elsewhere.git.commit({ branch: head, files: { [`${page}.mdx`]: 'new' } });
    const { number } = elsewhere.pullRequests.open({ head });
    elsewhere.pullRequests.merge(number, 'squash');
  }
}

/** Twelve projects, or fifty: three of twelve need a look. */
function projects(count: number, maxRequests = 1_000): Pick<Site, 'site' | 'inputs'> {
  const names = [
    ...['Guides', 'API reference', 'Partner docs', 'Help center', 'Changelog', 'Developer portal'],
    ...['Mobile SDK', 'Payments', 'Identity', 'Data platform', 'Internal handbook', 'Legacy v1'],
  ];
  const of = (index: number) => {
    const everyPage = Array.from({ length: 180 }, (_, page) => [page, 0.5]);
    const change = [
      changeSince(0, Object.fromEntries(everyPage)),
      changeSince(1, { 12: 3 }),
      changeSince(1, { 9: 0.3 }),
    ][[2, 5, 8].indexOf(index % 12)];
    return {
      ...calm,
      wobble: 0.02,
      seed: 1 + index,
      topWeekly: 300 + 60 * (index % 12),
      moves: change ?? [],
    };
  };
  const ids = Array.from({ length: count }, (_, index) => `prj_${index}`);
  const nameOf = (index: number) =>
    `${names[index % 12]}${index < 12 ? '' : ` ${Math.floor(index / 12) + 1}`}`;
  return {
    site: (visitors, service) => {
      visitors.limit.requestsPerHour = 1_000;
      for (const [index, id] of ids.entries()) {
        service.addProject({ ...DEFAULT_PROJECT, id });
        visitors.script(of(index), id);
      }
    },
    inputs: {
      'project-id': ids.map((id, index) => `${id} = ${nameOf(index)}`).join('\n'),
      'max-requests': `${maxRequests}`,
    },
  };
}

const longPaths = [
  ...hostilePaths,
  '/api/v1/organizations/{organizationId}/projects/{projectId}/environments',
  `/${'x'.repeat(299)}`,
  '/guides/how-to-migrate-a-large-installation-from-version-1-to-version-2-without-downtime',
];

/** A normal weekly report, and one for each special case. */
export const reportScenes: readonly Scene[] = [
  {
    name: 'report',
    isPicture: true,
    endsAbove: 'details',
    play: report({
      site: (visitors) => {
        visitors.give(siteWhere(twoPagesChanged));
        visitors.readers.give({ ...SHOWN_READERS, feedback: [], 'feedback/by-page': [] });
      },
      inputs: { gaps: 'counts' },
    }),
  },
  {
    name: 'report-eventful',
    maxHeight: 1_250,
    play: report({ site: (visitors) => visitors.give(siteWhere(eventful, 1.3)) }),
  },
  {
    name: 'report-quiet',
    maxHeight: 740,
    play: report({ site: (visitors) => visitors.give(siteWhere((row) => row)) }),
  },
  {
    name: 'report-small',
    play: report({
      site: (visitors) =>
        visitors.give(siteWhere((row) => row, 1, { rows: 8, topWeekly: 9, wobble: 0.2 })),
    }),
  },
  { name: 'report-moved', play: report({ site: (visitors) => visitors.give(siteWhere(moving)) }) },
  {
    name: 'report-changed',
    play: report({
      site: (visitors) =>
        visitors.give(siteWhere((row, age) => eventful(row, Math.max(0, age - 4)))),
      prepare: changePages,
      inputs: { 'docs-repository': 'octo-org/handbook', 'docs-token': 'ghs_fake_docs' },
    }),
  },
  { name: 'report-projects12', maxHeight: 660, play: report(projects(12)) },
  // The usual limit is enough for the people of four earlier weeks, but not for pages.
  { name: 'report-projects12-first', play: report(projects(12, 60)) },
  { name: 'report-projects50', play: report(projects(50)) },
  {
    name: 'report-limited',
    play: report({
      site: (visitors) => {
        visitors.script({ ...calm, rows: 1_200 });
        visitors.useElsewhere(DEFAULT_PROJECT.organization, 93);
      },
    }),
  },
  {
    name: 'report-12000',
    play: report({
      inputs: { 'max-requests': '14' },
      site: (visitors) =>
        visitors.script({ ...calm, rows: 12_000, moves: changeSince(1, { 30: 2.5 }) }),
    }),
  },
  {
    name: 'report-first',
    play: report({
      site: (visitors) => visitors.script({ rows: (window) => (isEarlier(window) ? 0 : 60) }),
    }),
  },
  { name: 'report-no-visits', play: report({ site: (visitors) => visitors.script({ rows: 0 }) }) },
  {
    name: 'report-silence',
    play: report({
      site: (visitors) => visitors.script({ rows: (window) => (isEarlier(window) ? 60 : 0) }),
      inputs: { alerts: 'total < -30%\ntotal < usual' },
    }),
  },
  {
    name: 'report-alerts',
    play: report({
      inputs: {
        alerts: 'total < -30%\nai unusual\nai-share > 20%\nhuman > 1%\ntotal > 1000',
      },
    }),
  },
  {
    name: 'report-incomplete',
    play: report({
      inputs: { 'max-requests': '3' },
      site: (visitors) => visitors.script({ moves: [] }),
    }),
  },
  {
    name: 'report-months',
    play: report({
      inputs: { period: 'last-month', compare: 'none', pages: '/guides/**\n/sdk/**' },
    }),
  },
  {
    name: 'report-uneven',
    play: report({ weeks: 4, site: (visitors) => visitors.script({ growthPerWeek: 2.2 }) }),
  },
  {
    name: 'report-large',
    play: report({
      weeks: 7,
      site: (visitors) => visitors.script({ topWeekly: 90_000, wobble: 0.3 }),
    }),
  },
  {
    name: 'report-gaps',
    play: report({
      site: (visitors) => visitors.readers.give(SHOWN_READERS),
      inputs: { gaps: 'words' },
    }),
  },
  {
    name: 'report-hostile',
    play: report({
      inputs: { top: '60', 'docs-url': 'https://docs.example.com' },
      site: (visitors) =>
        visitors.give(({ fromMs }) => ({
          rows: longPaths.map((path, index) => {
            const total = (1_000 - 5 * index) * (fromMs === weekShown && index % 2 === 0 ? 3 : 1);
            return { path, human: total - 200, ai: 200, total };
          }),
          totals: { human: 2_000, ai: 1_000, total: 2_900 },
        })),
    }),
  },
  {
    name: 'report-projects',
    play: report({
      site: (visitors, service) => {
        service.addProject({ ...DEFAULT_PROJECT, id: 'prj_api' });
        visitors.script({ seed: 2, rows: 240, topWeekly: 800, growthPerWeek: 1 }, 'prj_api');
      },
      inputs: {
        'project-id': [
          `${DEFAULT_PROJECT.id} = Guides`,
          'prj_api = API reference',
          'prj_gone = Handbook of the platform team',
        ].join('\n'),
        alerts: 'total < -30%\nAPI reference: ai-share > 20%',
      },
    }),
  },
];
