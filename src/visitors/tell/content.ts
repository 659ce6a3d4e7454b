import type { AlertResult } from '../judge/alerts.ts';
import type { Findings } from '../judge/compare.ts';
import type { TrendPoint } from '../judge/trend.ts';
import type { WindowPair } from '../read/window-read.ts';

/** The data behind the report: what was read, and what the alert rules came to. */
export interface ReportData {
  readonly projectId: string;
  /** IANA name. */
  readonly timeZone: string;
  readonly windows: WindowPair;
  readonly alerts: readonly AlertResult[];
}

/** Everything that the report tells. It does not depend on when or how often the report is written. */
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

/** Paths relative to the workspace. */
export interface ReportPaths {
  readonly markdown: string;
  readonly csv: string;
  readonly json: string;
}
