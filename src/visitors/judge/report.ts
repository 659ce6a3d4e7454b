import type { Scrubbed } from '../../text/scrub.ts';
import type { readSites, SiteWindows, UnreadSite } from '../read/read-sites.ts';
import type { Window } from '../read/window.ts';
import { type Cut, cutOf, isSilent, lackOf } from '../read/window-read.ts';
import type { AlertResult } from './alerts/alerts.ts';
import type { Changed } from './changes/changed-pages.ts';
import type { Findings } from './findings.ts';
import type { Gaps } from './gaps.ts';
import type { UsualCount } from './method/usual-count.ts';

/** The inputs that the report's text depends on. */
export type ReportSettings = Readonly<{
  timeZone: string;
  charts: 'mermaid' | 'none';
  pages: readonly Scrubbed[];
  top: number;
  maxRequests: number;
  historyFile?: string | undefined;
  enough: Awaited<ReturnType<typeof readSites>>['enough'];
  gaps: 'none' | 'counts' | 'words';
}>;

/** A site that was read, and what there is to say about it. */
export interface JudgedSite extends SiteWindows {
  readonly findings: Findings;
  /** The address of the site, for links to its pages. */
  readonly docsUrl?: string | undefined;
  /** What readers didn't find, if `gaps` asks for it. */
  readonly gaps?: Gaps | undefined;
  /** What became of the pages that changed, if `docs-repository` names their repository. */
  readonly changed?: Changed | undefined;
  readonly alerts: readonly AlertResult[];
}

/** A site that was read, or the error if it couldn't be read at all. */
export type Site = JudgedSite | (UnreadSite & { readonly alerts: readonly AlertResult[] });

/**
 * Everything that the report's text depends on, for one site or many. The time and number of runs
 * don't matter.
 */
export type Report = Readonly<{
  window: Window;
  /** The next window, if the run was created shortly before it ended. */
  ending?: Window | undefined;
  /** In the given order; at least one was read. */
  sites: readonly Site[];
  settings: ReportSettings;
  /**
   * The paths of the files, if any are written: the report, and those of each project, by its ID.
   */
  files: { readonly markdown: string; readonly data: ReadonlyMap<string, DataPaths> } | undefined;
}>;

/** A project's files, relative to the workspace. */
type DataPaths = Readonly<Record<'csv' | 'json' | 'gaps', string>>;

export function isRead(site: Site): site is JudgedSite {
  return 'now' in site;
}

/** The reasons why pages or totals of the two compared windows, or the usual range, are missing. */
export function listCuts(site: Site): Cut[] {
  if (!isRead(site)) return [cutOf(site.failure)];
  const { now, before } = site;
  const cuts = [lackOf(now), before && lackOf(before), site.findings.whyNoRange?.cut];
  return cuts.filter((cut) => cut !== undefined);
}

/** The reasons why gaps are missing. */
export function listGapCuts(site: Site): Cut[] {
  if (!isRead(site) || site.gaps === undefined) return [];
  return site.gaps.read.map(({ cut }) => cut).filter((cut) => cut !== undefined);
}

export const isComplete = (site: Site) => listCuts(site).length === 0;

/**
 * The projects that need a look, the worst first; the others, the largest first; and whether all of
 * those are as usual.
 */
export function sortByNeed(sites: readonly Site[]) {
  const needs = new Map(sites.map((site) => [site, rateNeed(site)]));
  const needing = [...needs]
    .filter(([, need]) => need.some((part) => part > 0))
    .toSorted(([, a], [, b]) => compareNeeds(a, b))
    .map(([site]) => site);
  const others = sites.filter(isRead).filter((site) => !needing.includes(site));
  others.sort((a, b) => (b.now.totals.human ?? 0) - (a.now.totals.human ?? 0));
  // A young project has no usual range, and a range may be too wide to tell.
  const areUsual = others.every(({ findings }) => findings.usual.human?.side === 'usual');
  return { needing, others, areUsual: others.length > 0 && areUsual };
}

/** Compares the worst reasons in which two projects differ. */
function compareNeeds(a: readonly number[], b: readonly number[]): number {
  const rank = a.findIndex((need, index) => need !== b[index]);
  return (b[rank] ?? 0) - (a[rank] ?? 0);
}

/**
 * How much a project needs a look, the worst reason first: it wasn’t read, or is silent; an alert;
 * people below their range; outside it; rows that stand out or that no one reads anymore; missing
 * data. All are 0 if it needs none.
 */
function rateNeed(site: Site): number[] {
  if (!isRead(site)) return [2];
  const { now, findings } = site;
  const isAlarmed = site.alerts.some(({ state }) => state === 'fired');
  const distance = measureDistance(findings.usual.human, now.totals.human);
  const differences = findings.standingOut.map(({ difference }) => Math.abs(difference));
  const lacksData = isSilent(now) || !isComplete(site);
  return [
    Number(findings.lastBusy !== undefined),
    Number(isAlarmed),
    Math.max(0, -distance),
    Math.abs(distance),
    Math.max(0, findings.checkFirst?.human ?? 0, ...differences),
    Number(lacksData),
  ];
}

/** How far a count is outside its range, as a logarithm: 0 if it is inside, negative if below. */
function measureDistance(range: UsualCount | undefined, count: number | undefined): number {
  if (count === undefined || !isOutside(range)) return 0;
  const end = range.side === 'more' ? range.high : range.low;
  return Math.log((count + 0.5) / (end + 0.5));
}

/** Whether there is a usual range, and the count is outside it. */
export function isOutside(range: UsualCount | undefined): range is UsualCount {
  return range?.side === 'more' || range?.side === 'fewer';
}
