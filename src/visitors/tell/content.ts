import type { ActionError } from '../../core/errors.ts';
import type { Project } from '../../core/inputs/projects.ts';
import type { AlertResult } from '../judge/alerts.ts';
import type { Findings } from '../judge/compare.ts';
import type { TrendPoint } from '../judge/trend.ts';
import type { Window } from '../read/period.ts';
import type { WindowPair } from '../read/window-read.ts';

/** The data behind the report: what was read, and what the alert rules came to. */
export interface ReportData {
  readonly projectId: string;
  /** IANA name. */
  readonly timeZone: string;
  readonly windows: WindowPair;
  readonly alerts: readonly AlertResult[];
}

/** Everything that the report tells of a project. It does not depend on when or how often the report is written. */
export interface ReportContent extends ReportData {
  readonly findings: Findings;
  readonly trend: readonly TrendPoint[];
  readonly charts: 'mermaid' | 'text' | 'none';
  /** Globs of the pages that the lists are about; none for every page. */
  readonly pages: readonly string[];
  /** How many entries a list shows at most. */
  readonly top: number;
  /** How many requests the run could send to the service at most. */
  readonly maxRequests: number;
  /** Where the files go; `undefined` where none were asked for. */
  readonly files: ReportPaths | undefined;
}

/** What there is to tell of a project, or why there is nothing. */
export type ProjectReport =
  | { readonly project: Project; readonly content: ReportContent }
  | { readonly project: Project; readonly failure: ActionError; readonly alerts: readonly AlertResult[] };

/** A report of one project or several, in the order they were given. */
export interface Report {
  readonly window: Window;
  /** At least one has a content. */
  readonly projects: readonly ProjectReport[];
  readonly maxRequests: number;
}

/** Of the projects that could be read. */
export function contentsOf({ projects }: Report): ReportContent[] {
  return projects.flatMap((one) => ('content' in one ? [one.content] : []));
}

/** A report whose files could not be written. */
export function withoutFiles(report: Report): Report {
  const projects = report.projects.map((one) =>
    'content' in one ? { ...one, content: { ...one.content, files: undefined } } : one,
  );
  return { ...report, projects };
}

/** What the alert rules came to, of every project. */
export function alertsOf({ projects }: Report): AlertResult[] {
  return projects.flatMap((one) => ('content' in one ? one.content.alerts : one.alerts));
}

/** Paths relative to the workspace. */
export interface ReportPaths {
  /** Of several projects one for all. */
  readonly markdown: string;
  readonly csv: string;
  readonly json: string;
}
