import { hasNoVisits } from '../read/window-read.ts';
import { alertBlocks } from './alert-texts.ts';
import { type Block, joinBlocks, type SizeLimit } from './blocks.ts';
import { chart } from './chart.ts';
import type { ReportContent } from './content.ts';
import { headline } from './headline.ts';
import { howItWasMade } from './how-it-was-made.ts';
import { whatIsMissing } from './incomplete.ts';
import { quoted } from './quoted.ts';
import {
  mostlyAiTable,
  moversTable,
  newAndVanishedTables,
  sectionsTable,
  topTable,
  totalsTable,
} from './tables.ts';

/** The report as Markdown, in the order people read: what happened, how much, where, and how it is known. */
export function renderReport(content: ReportContent, limit: SizeLimit): string {
  const opening = [
    ...text(`## Visitors, ${content.windows.now.window.label}`),
    ...text(headline(content)),
    ...text(whatIsMissing(content)),
    ...alertBlocks(content.alerts),
  ];
  const figures = hasNoVisits(content.windows.now) ? [] : figureBlocks(content);
  return joinBlocks([...opening, ...figures, ...text(howItWasMade(content))], limit);
}

function figureBlocks({ findings, charts, trend, pages, top }: ReportContent): Block[] {
  return [
    ...text(totalsTable(findings)),
    ...text(charts === 'none' ? '' : chart(charts, trend)),
    ...text(scope(pages)),
    ...moversTable(findings, top),
    ...topTable(findings, top),
    ...sectionsTable(findings, top),
    ...mostlyAiTable(findings, top),
    ...newAndVanishedTables(findings, top),
  ];
}

/** Globs narrow the lists and nothing else: the service has no totals for some of the pages. */
function scope(pages: readonly string[]): string {
  if (pages.length === 0) return '';
  const some = pages.slice(0, 10).map(quoted).join(', ');
  const more = pages.length > 10 ? ` and ${pages.length - 10} more` : '';
  return `The lists below hold the pages of ${some}${more}. The figures above are the whole site’s, unfiltered: visitors of several pages do not add up.`;
}

/** No block for no text. */
function text(markdown: string): Block[] {
  return markdown === '' ? [] : [{ kind: 'text', text: markdown }];
}
