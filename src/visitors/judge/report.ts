import type { Enough, SiteWindows, UnreadSite } from '../read/read-sites.ts';
import type { Window } from '../read/window.ts';
import { type Cut, cutOf, lackOf } from '../read/window-read.ts';
import type { AlertResult } from './alerts.ts';
import type { Changed } from './changed-pages.ts';
import type { Findings } from './findings.ts';
import type { Gaps } from './gaps.ts';

/** The inputs that the report's text depends on. */
export interface ReportSettings {
  readonly timeZone: string;
  readonly charts: 'mermaid' | 'none';
  readonly pages: readonly string[];
  readonly top: number;
  readonly maxRequests: number;
  readonly enough: Enough;
  readonly gaps: 'none' | 'counts' | 'words';
}

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

/** The paths of the report's files, relative to the workspace. `data` has those of each project, by its ID. */
export interface ReportPaths {
  readonly markdown: string;
  readonly data: ReadonlyMap<string, { readonly csv: string; readonly json: string; readonly gaps: string }>;
}

/** Everything that the report's text depends on, for one site or many. The time and number of runs don't matter. */
export interface Report {
  readonly window: Window;
  /** In the given order; at least one was read. */
  readonly sites: readonly Site[];
  readonly settings: ReportSettings;
  /** The paths of the files, if any are written. */
  readonly files: ReportPaths | undefined;
}

export function isRead(site: Site): site is JudgedSite {
  return 'now' in site;
}

/** The reasons why pages or totals of the two compared windows, or the usual range, are missing. */
export function cutsIn(site: Site): Cut[] {
  if (!isRead(site)) return [cutOf(site.failure)];
  const { now, before, findings } = site;
  return [lackOf(now), before && lackOf(before), findings.whyNoRange?.cut].filter((cut) => cut !== undefined);
}

/** Whether everything requested was read completely. */
export function isComplete(site: Site): boolean {
  return cutsIn(site).length === 0;
}

/** `Docs visitors, Mar 2–8, 2026`. */
export function reportTitle({ label }: Window): string {
  return `Docs visitors, ${label}`;
}
