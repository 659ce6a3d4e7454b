import { alertBlocks } from './alert-words.ts';
import type { AlertVerdict } from './alerts.ts';
import { chart, type TrendPoint } from './chart.ts';
import { type Findings, hasNoVisits } from './compare.ts';
import type { Predecessor } from './export.ts';
import { type Block, fitBlocks, type Room } from './fit.ts';
import { howItWasMade } from './provenance.ts';
import {
  mostlyAiTable,
  moversTable,
  newAndVanishedTables,
  sectionsTable,
  topTable,
  totalsTable,
} from './tables.ts';
import { lacks, verdict } from './verdict.ts';
import { shown } from './words.ts';

/** Everything a report is made of. Nothing in it depends on when or how often it is written. */
export interface ReportInput {
  readonly projectId: string;
  readonly timeZone: string;
  readonly findings: Findings;
  readonly predecessor: Predecessor;
  readonly alerts: readonly AlertVerdict[];
  /** Windows of the same kind, the report's own last. */
  readonly trend: readonly TrendPoint[];
  readonly charts: 'mermaid' | 'text' | 'none';
  readonly pages: readonly string[];
  /** Entries a list has at most. */
  readonly top: number;
  readonly maxRequests: number;
  /** Paths of the files written beside it. */
  readonly files: readonly string[];
}

/** The report as Markdown, in the order people read: what happened, how much, where, and how it is known. */
export function renderReport(input: ReportInput, room: Room): string {
  const { findings, alerts, charts, trend, top } = input;
  const text = (markdown: string): Block[] => (markdown === '' ? [] : [{ kind: 'text', text: markdown }]);
  const opening = [
    ...text(`## Visitors, ${findings.now.window.label}`),
    ...text(verdict(input)),
    ...text(lacks(input)),
    ...alertBlocks(alerts),
  ];
  const closing = text(howItWasMade(input));
  if (hasNoVisits(findings.now)) return fitBlocks([...opening, ...closing], room);
  return fitBlocks(
    [
      ...opening,
      ...text(totalsTable(findings)),
      ...text(charts === 'none' ? '' : chart(charts, trend)),
      ...text(scope(input.pages)),
      ...moversTable(findings, top),
      ...topTable(findings, top),
      ...sectionsTable(findings, top),
      ...mostlyAiTable(findings, top),
      ...newAndVanishedTables(findings, top),
      ...closing,
    ],
    room,
  );
}

/** Globs narrow the lists and nothing else: the service has no totals for some of the pages. */
function scope(pages: readonly string[]): string {
  if (pages.length === 0) return '';
  const some = pages.slice(0, 10).map(shown).join(', ');
  const more = pages.length > 10 ? ` and ${pages.length - 10} more` : '';
  return `The lists below hold the pages of ${some}${more}. The figures above are the whole site’s, unfiltered: visitors of several pages do not add up.`;
}
