import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serviceInputs } from '../../__tests__/support/usual.ts';
import { hostilePaths } from '../../__tests__/unit/visitors/site.ts';
import { type Simulator, startSimulator } from '../../simulator/index.ts';
import { runAction } from '../../simulator/runner/runner.ts';
import { DEFAULT_PROJECT } from '../../simulator/service/service.ts';
import { SHOWN_READERS } from '../../simulator/service/visitors/readers.ts';
import { SHOWN_SITE } from '../../simulator/service/visitors/site.ts';
import type { Scene } from './scene.ts';

/** The Monday on which the last report runs. */
const LAST = Date.parse('2026-03-09T06:00:00Z');
const WEEK_MS = 7 * 86_400_000;
/** Whether a window is before the last report's period. */
const isEarlier = ({ fromMs }: { readonly fromMs: number }) => fromMs < LAST - 8 * 86_400_000;

interface Site {
  /** Changes the usual site. */
  readonly site?: (visitors: Simulator['service']['visitors'], service: Simulator['service']) => void;
  readonly inputs?: Readonly<Record<string, string>>;
  /** The number of weekly reports. */
  readonly weeks?: number;
}

/** Runs a site's weekly reports with one history, and shows the last report. */
function report({ site, inputs, weeks = 1 }: Site): Scene['play'] {
  return async () => {
    const start = LAST - (weeks - 1) * WEEK_MS;
    const simulator = await startSimulator({ clock: { start } });
    const workspace = mkdtempSync(join(tmpdir(), 'pictures-'));
    try {
      const { service, github, clock } = simulator;
      service.visitors.script(SHOWN_SITE);
      site?.(service.visitors, service);
      let summary = '';
      for (let week = 0; week < weeks; week += 1) {
        const usual = { ...serviceInputs(simulator), mode: 'visitors', 'history-file': 'history.jsonl' };
        const event = github.scheduleEvent();
        const run = await runAction({ simulator, workspace, event, inputs: { ...usual, ...inputs } });
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

/** A normal weekly report, and one for each special case. */
export const reportScenes: readonly Scene[] = [
  { name: 'report', isPicture: true, play: report({ weeks: 7, inputs: { top: '5' } }) },
  {
    name: 'report-first',
    play: report({ site: (visitors) => visitors.script({ rows: (window) => (isEarlier(window) ? 0 : 60) }) }),
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
        alerts: 'total < -30%\nai unusual\nai-share > 20%\nhuman > 1%\nai-share unusual\ntotal > 1000',
      },
    }),
  },
  {
    name: 'report-incomplete',
    play: report({ inputs: { 'max-requests': '3' }, site: (visitors) => visitors.script({ moves: [] }) }),
  },
  {
    name: 'report-months',
    play: report({ inputs: { period: 'last-month', compare: 'none', pages: '/guides/**\n/sdk/**' } }),
  },
  {
    name: 'report-uneven',
    play: report({ weeks: 4, site: (visitors) => visitors.script({ growthPerWeek: 2.2 }) }),
  },
  {
    name: 'report-large',
    play: report({ weeks: 7, site: (visitors) => visitors.script({ topWeekly: 90_000, wobble: 0.3 }) }),
  },
  {
    name: 'report-gaps',
    play: report({ site: (visitors) => visitors.readers.give(SHOWN_READERS), inputs: { gaps: 'words' } }),
  },
  {
    name: 'report-hostile',
    play: report({
      inputs: { top: '60' },
      site: (visitors) => visitors.script({ paths: hostilePaths, rows: hostilePaths.length }),
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
