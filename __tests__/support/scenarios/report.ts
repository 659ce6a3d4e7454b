import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SimulatorCore } from '../../../simulator/core.ts';
import type { GivenWindow } from '../../../simulator/service/visitors/analytics.ts';
import {
  type SiteScript,
  type SiteWindow,
  siteRows,
  siteTotals,
  USUAL_SITE,
} from '../../../simulator/service/visitors/site.ts';
import type { Files } from '../../../src/runner/files.ts';
import { serviceInputs } from '../usual.ts';
import type { Staged } from './agent.ts';

/** The run that reports: GitHub has to know when it was created. */
export const reportRunId = 7_100_000_001;

/** Two more than a run without faults takes: enough to retry a fault that passes, too few for one that does not. */
export const maxRequests = 8;
export const reportDir = 'report';
export const historyFile = 'history/visitors.jsonl';

/** Three pages a window. */
const rowsPerWindow = 600;

/** What the history holds before the run: a week of this project, one of another, and a line of a later version. */
export const earlierLines: readonly string[] = [
  '{"v":1,"project":"prj_simulated_docs","start":"2025-12-15","end":"2025-12-22","complete":true,"totals":{"human":7,"ai":2,"total":8},"rows":null}',
  '{"v":1,"project":"prj_other","start":"2025-12-29","end":"2026-01-05","complete":true,"totals":{"human":1,"ai":0,"total":1},"rows":[["/b",1,0,1]]}',
  '{"v":2,"what":"a version to come knows"}',
];
const earlierHistory = earlierLines.map((line) => `${line}\n`).join('');

const site: SiteScript = { ...USUAL_SITE, rows: rowsPerWindow };
const made = new Map<number, GivenWindow>();

/** A window of the site; made once, since all cases share it. */
function windowAt(window: SiteWindow): GivenWindow {
  const known = made.get(window.fromMs) ?? {
    rows: siteRows(site, window, 0, rowsPerWindow),
    totals: siteTotals(site, window),
  };
  made.set(window.fromMs, known);
  return known;
}

/** Sets up the site in the simulator, and gives the event and the inputs of the run that reports it. */
export function stageReport(core: SimulatorCore): Pick<Staged, 'event' | 'inputs'> {
  core.service.visitors.give(windowAt);
  core.github.addRun(reportRunId, 'schedule');
  return {
    event: core.github.scheduleEvent(),
    inputs: {
      ...serviceInputs(core),
      mode: 'visitors',
      'report-dir': reportDir,
      'history-file': historyFile,
      'max-requests': String(maxRequests),
      baseline: '0',
    },
  };
}

/** Files in memory, with every version that was written of each. */
export class VersionedFiles implements Files {
  readonly #versions = new Map<string, string[]>([[historyFile, [earlierHistory]]]);

  read(path: string): string | undefined {
    return this.versions(path).at(-1);
  }

  write(path: string, text: string): void {
    this.#versions.set(path, [...this.versions(path), text]);
  }

  versions(path: string): readonly string[] {
    return this.#versions.get(path) ?? [];
  }

  /** All files as they are now. */
  get all(): ReadonlyMap<string, string> {
    return new Map([...this.#versions].map(([path, versions]) => [path, versions.at(-1) ?? '']));
  }
}

/** Puts the history from before into a workspace. */
export function prepareWorkspace(workspace: string): void {
  mkdirSync(join(workspace, 'history'));
  writeFileSync(join(workspace, historyFile), earlierHistory);
}

/** All files in a workspace, also those that should not be there. */
export function filesOf(workspace: string): ReadonlyMap<string, string> {
  const entries = readdirSync(workspace, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return new Map(
    files.map(({ parentPath, name }) => {
      const path = join(parentPath, name);
      return [path.slice(workspace.length + 1), readFileSync(path, 'utf8')];
    }),
  );
}
