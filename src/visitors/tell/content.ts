import type { AlertResult } from '../judge/alerts.ts';
import type { Findings } from '../judge/compare.ts';
import type { TrendPoint } from '../judge/trend.ts';
import type { Windows } from '../read/window-read.ts';

/** What was read, and what became of the alert rules: the data behind the report. */
export interface ReportData {
  readonly projectId: string;
  /** IANA name. */
  readonly timeZone: string;
  readonly windows: Windows;
  readonly alerts: readonly AlertResult[];
}

/** Everything a report tells. Nothing in it depends on when or how often the report is written. */
export interface ReportContent extends ReportData {
  readonly findings: Findings;
  readonly trend: readonly TrendPoint[];
  readonly charts: 'mermaid' | 'text' | 'none';
  /** Globs of the pages that the lists are about; none for every page. */
  readonly pages: readonly string[];
  /** Entries a list has at most. */
  readonly top: number;
  /** What the run could send to the service at most. */
  readonly maxRequests: number;
  /** Where the files are that are written beside the report, if any are. */
  readonly files: ReportPaths | undefined;
}

/** Paths relative to the workspace. */
export interface ReportPaths {
  readonly markdown: string;
  readonly csv: string;
  readonly json: string;
}
