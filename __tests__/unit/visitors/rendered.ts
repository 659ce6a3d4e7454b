import { expect } from '@jest/globals';
import type { Nodes, Table } from 'mdast';
import { toString as textOf } from 'mdast-util-to-string';
import type { Project } from '../../../src/core/projects.ts';
import type { VisitorsRow, VisitorsTotals } from '../../../src/service/schemas.ts';
import { parseAlertRules } from '../../../src/visitors/judge/alerts/alert-rules.ts';
import { checkAlerts } from '../../../src/visitors/judge/alerts/alerts.ts';
import { compareWindows } from '../../../src/visitors/judge/findings.ts';
import type { JudgedSite, Report, ReportSettings } from '../../../src/visitors/judge/report.ts';
import { shiftWindow } from '../../../src/visitors/read/window.ts';
import type { WindowRead } from '../../../src/visitors/read/window-read.ts';
import { renderReport } from '../../../src/visitors/write/render.ts';
import { nodesOf, parseGfm } from '../../support/gfm.ts';
import { plainAll } from '../../support/plain.ts';
import { asRead } from './as-read.ts';
import { config, readOf, row, window, windowBefore } from './site.ts';

export { asRead };

export interface Settings
  extends Partial<ReportSettings>,
    Partial<Pick<JudgedSite, 'earlier' | 'lastYear' | 'docsUrl'>> {
  readonly project?: Project;
  readonly sectionDepth?: number;
  /** Alert rules, one per line. */
  readonly rules?: string;
}

export const defaults: ReportSettings = {
  timeZone: config.timeZone,
  charts: 'none',
  pages: [],
  top: 10,
  maxRequests: 60,
  enough: { requests: 84, isLeast: false },
  gaps: 'none',
};

export function siteOf(now: WindowRead, before?: WindowRead, more: Settings = {}): JudgedSite {
  const { rules = '' } = more;
  const earlier = more.earlier ?? (before ? [before] : []);
  const project = plainAll(more.project ?? { id: 'acme', name: 'acme' });
  const settings = { pages: more.pages ?? [], sectionDepth: more.sectionDepth ?? 1 };
  const findings = compareWindows({ now, before, earlier }, settings);
  const alerts = checkAlerts(
    plainAll(parseAlertRules(rules).rules),
    { project, now, before, earlier },
    findings,
  );
  const { lastYear, docsUrl } = more;
  return { project, now, before, earlier, lastYear, docsUrl, findings, alerts };
}

export function reportOf(now: WindowRead, before?: WindowRead, more: Settings = {}): Report {
  const sites = [siteOf(now, before, more)];
  return { window: now.window, sites, settings: { ...defaults, ...more }, files: undefined };
}

export const render = (now: WindowRead, before?: WindowRead, more: Settings = {}) =>
  renderReport(reportOf(now, before, more));
export const earlier = (rows: readonly VisitorsRow[], more: Partial<WindowRead> = {}) =>
  readOf(rows, { window: windowBefore, totals: { human: 800, ai: 200, total: 950 }, ...more });

const ownHtml =
  /^(<\/?(code|b|sub)>|<wbr>|<br>|<details>\n<summary>([^<>&@]|&#\d+;(?=<)|<\/?(code|b)>|<wbr>)*<\/summary>|<\/details>)$/;

/** Fails if text from outside added columns, links, mentions, or HTML to a report. Returns the report's Markdown nodes. */
export function expectOwnMarkdownOnly(markdown: string): Nodes[] {
  const nodes = nodesOf(parseGfm(markdown));
  const types = nodes.map(({ type }) => type);
  const foreign = [
    'link',
    'linkReference',
    'image',
    'imageReference',
    'definition',
    'footnoteReference',
  ];
  for (const type of [...foreign, 'delete']) expect(types).not.toContain(type);
  for (const node of nodes) {
    if (node.type === 'html') expect(node.value).toMatch(ownHtml);
    // GitHub looks for mentions and references in each piece of text between two elements.
    if (node.type === 'text') expect(node.value).not.toMatch(/@[\w-]|#\d|GH-\d|https?:.|www\../);
    if (node.type !== 'table') continue;
    const [head, ...rows] = node.children;
    for (const row of rows) expect(row.children).toHaveLength(head?.children.length ?? 0);
  }
  return nodes;
}

export const tablesOf = (nodes: readonly Nodes[]) => nodes.filter((node) => node.type === 'table');
export const tablesIn = (markdown: string) => tablesOf(nodesOf(parseGfm(markdown))).map(rowsOf);
/** The text in each cell of a table, without its head. */
export const rowsOf = (table: Table | undefined) =>
  (table?.children ?? [])
    .slice(1)
    .map((row) => row.children.map((cell) => asRead(textOf(cell, { includeHtml: false }))));

/** The visitors of eight weeks that hardly differ. */
export const calmTotals = [980, 1010, 1000, 990, 1005, 995, 1000, 1010];

/** The weeks before the window, oldest first, with these totals. `pages` returns the visitors of a week's pages. */
export function weeksWith(
  totals: readonly (VisitorsTotals | number)[],
  pages: (week: number) => Readonly<Record<string, number>> | undefined = () => undefined,
): WindowRead[] {
  let which = window;
  const newestFirst = totals.toReversed().map((given, index) => {
    which = shiftWindow(which, -1);
    const counts = typeof given === 'number' ? { human: given, ai: 0, total: given } : given;
    const visitors = pages(totals.length - 1 - index);
    const rows = Object.entries(visitors ?? {}).map(([path, total]) => row(path, total, 0));
    return readOf(rows, {
      window: which,
      totals: counts,
      cut: visitors ? undefined : { kind: 'budget' },
    });
  });
  return newestFirst.toReversed();
}
