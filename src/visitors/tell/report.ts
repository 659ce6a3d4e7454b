import { hasNoVisits } from '../read/window-read.ts';
import { alertBlocks } from './alert-texts.ts';
import { type Block, joinBlocks, type SizeLimit, type TextBlock } from './blocks.ts';
import { chart } from './chart.ts';
import type { ReportContent } from './content.ts';
import { headline, largestMovers, titleOf } from './headline.ts';
import { howItWasMade } from './how-it-was-made.ts';
import { whatIsMissing } from './incomplete.ts';
import { quoted } from './quoted.ts';
import { mostlyAiTable, moversTable, newAndVanishedTables, sectionsTable, topTable } from './tables.ts';
import { totalsTable } from './totals.ts';

/** The report of one project as Markdown. */
export function renderReport(content: ReportContent, limit: SizeLimit): string {
  const title = textBlock(`## ${titleOf(content.windows.now.window)}`);
  return joinBlocks([...title, ...reportBlocks(content)], limit);
}

/** What is told of a project, in the order people read it: what happened, how much, where, and how it was made. */
export function reportBlocks(content: ReportContent): Block[] {
  const opening = [
    ...textBlock([headline(content), largestMovers(content)].filter((line) => line !== '').join('\n')),
    ...textBlock(warning(whatIsMissing(content))),
    ...alertBlocks(content.alerts),
  ];
  const figures = hasNoVisits(content.windows.now) ? [] : figureBlocks(content);
  return [...opening, ...figures, ...textBlock(howItWasMade(content))];
}

function figureBlocks(content: ReportContent): Block[] {
  const { findings, alerts, pages, top } = content;
  return [
    // Below the title they need no heading; below the alerts they do.
    ...textBlock(`${alerts.length === 0 ? '' : '### Totals\n\n'}${totalsTable(findings)}`),
    ...textBlock(chart(content)).map((block) => ({ ...block, isSpare: true })),
    ...textBlock(scope(pages)),
    ...moversTable(findings, top),
    ...topTable(findings, top),
    ...sectionsTable(findings, top),
    ...mostlyAiTable(findings, top),
    ...newAndVanishedTables(findings, top),
  ];
}

/** Which pages the lists are about. The totals are always the whole site's: the service has none for a part of it. */
function scope(pages: readonly string[]): string {
  if (pages.length === 0) return '';
  const some = pages.slice(0, 10).map(quoted).join(', ');
  const more = pages.length > 10 ? ` and ${pages.length - 10} more` : '';
  return `The lists below hold the pages of ${some}${more}. The figures above are the whole site’s, unfiltered: visitors of several pages do not add up.`;
}

/** A block that GitHub sets off as a warning ("Basic writing and formatting syntax", Alerts). */
export function warning(lines: readonly string[]): string {
  return lines.length === 0 ? '' : ['[!WARNING]', ...lines].map((line) => `> ${line}`).join('\n');
}

/** A text as a block; none where there is no text. */
export function textBlock(markdown: string): TextBlock[] {
  return markdown === '' ? [] : [{ kind: 'text', text: markdown }];
}
