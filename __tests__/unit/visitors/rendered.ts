import { expect } from '@jest/globals';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { toString as textOf } from 'mdast-util-to-string';
import { gfm } from 'micromark-extension-gfm';
import type { Project } from '../../../src/core/inputs/projects.ts';
import { summaryLimit } from '../../../src/report/blocks.ts';
import type { NamedPage } from '../../../src/report/history.ts';
import { previousWindow } from '../../../src/report/window.ts';
import { asEarlier, type EarlierWindow, type WindowRead } from '../../../src/report/window-read.ts';
import type { VisitorsRow, VisitorsTotals } from '../../../src/service/schemas.ts';
import { parseAlertRules } from '../../../src/visitors/alert-rules.ts';
import { checkAlerts } from '../../../src/visitors/alerts.ts';
import { findingsOf } from '../../../src/visitors/findings.ts';
import { renderReport } from '../../../src/visitors/render.ts';
import type { ReadSite, Report, ReportSettings } from '../../../src/visitors/report.ts';
import { config, readOf, window, windowBefore, windowsOf } from './site.ts';

export interface Node {
  readonly type: string;
  readonly value?: string;
  readonly children?: readonly Node[];
}

export interface Settings extends Partial<ReportSettings>, Partial<Pick<ReadSite, 'windows' | 'earlier'>> {
  readonly project?: Project;
  /** Alert rules, one per line. */
  readonly rules?: string;
  /** The pages that the previous report named. */
  readonly namedBefore?: readonly NamedPage[];
}

export const defaults: ReportSettings = {
  timeZone: config.timeZone,
  charts: 'none',
  pages: [],
  top: 10,
  maxRequests: 40,
  gaps: 'none',
};

export function siteOf(now: WindowRead, before?: WindowRead, more: Settings = {}): ReadSite {
  const { windows = windowsOf(now, before), project = { id: 'acme', name: 'acme' }, rules = '' } = more;
  const earlier = more.earlier ?? (before ? [asEarlier(before)] : []);
  const findings = findingsOf(
    { windows, earlier, namedBefore: more.namedBefore ?? [] },
    { pages: more.pages ?? [], sectionDepth: 1 },
  );
  const alerts = checkAlerts(parseAlertRules(rules).rules, windows, findings.usual);
  return { project, windows, earlier, findings, alerts };
}

/** The report of one site. */
export function reportOf(now: WindowRead, before?: WindowRead, more: Settings = {}): Report {
  const { windows: _, earlier: __, project: ___, rules: ____, namedBefore: _____, ...settings } = more;
  const sites = [siteOf(now, before, more)];
  return { window: now.window, sites, settings: { ...defaults, ...settings }, files: undefined };
}

export const render = (now: WindowRead, before?: WindowRead, more: Settings = {}) =>
  renderReport(reportOf(now, before, more), summaryLimit);
export const earlier = (rows: readonly VisitorsRow[], more: Partial<WindowRead> = {}) =>
  readOf(rows, { window: windowBefore, totals: { human: 800, ai: 200, total: 950 }, ...more });

export function parse(markdown: string): Node[] {
  const nodes: Node[] = [];
  const walk = (node: Node) => {
    nodes.push(node);
    for (const child of node.children ?? []) walk(child);
  };
  walk(fromMarkdown(markdown, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] }));
  return nodes;
}

const ownHtml =
  /^(<details>\n<summary>(<code>[^<>]*<\/code>[a-z, ]*([▲▼] (<code>[^<>]*<\/code>|\(empty path\)))?|[A-Za-z ]+( \([\d,]+\))?)<\/summary>|<\/details>)$/;

/** A report's tables have only the intended columns, and nothing that outside text put there. */
export function expectOwnMarkdownOnly(markdown: string): Node[] {
  const nodes = parse(markdown);
  const types = new Set(nodes.map(({ type }) => type));
  for (const type of [
    'link',
    'linkReference',
    'image',
    'imageReference',
    'definition',
    'footnoteReference',
    'delete',
  ]) {
    expect([...types]).not.toContain(type);
  }
  for (const node of nodes) {
    if (node.type === 'html') expect(node.value).toMatch(ownHtml);
    if (node.type !== 'table') continue;
    const [head, ...rows] = node.children ?? [];
    for (const one of rows) expect(one.children).toHaveLength(head?.children?.length ?? 0);
  }
  // GitHub finds mentions and references in text, never in code.
  const prose = nodes.filter(({ type }) => type === 'text').map(({ value }) => value ?? '');
  for (const text of prose) expect(text).not.toMatch(/@|#\d|GH-|https?:|www\./);
  return nodes;
}

export const tablesOf = (nodes: readonly Node[]) => nodes.filter(({ type }) => type === 'table');
export const rowsOf = (table: Node | undefined) =>
  (table?.children ?? []).slice(1).map((one) => (one.children ?? []).map((cell) => textOf(cell)));

/** The weeks before the window, oldest first, with these totals, and with these pages if any are given. */
export function weeksWith(
  totals: readonly (VisitorsTotals | number)[],
  pages: (week: number) => Readonly<Record<string, number>> | undefined = () => undefined,
): EarlierWindow[] {
  let which = window;
  const weeks = totals.toReversed().map((given, index) => {
    which = previousWindow(which);
    const counts = typeof given === 'number' ? { human: given, ai: 0, total: given } : given;
    const visitors = pages(totals.length - 1 - index);
    return { window: which, totals: counts, pages: visitors && new Map(Object.entries(visitors)) };
  });
  return weeks.toReversed();
}
