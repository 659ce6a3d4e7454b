import { code } from '../lib/markdown.ts';
import { type Oddities, rowsPerRequest, type WindowRead } from './export.ts';
import { fold } from './fit.ts';
import type { ReportInput } from './report.ts';
import { isComplete } from './verdict.ts';
import { count, plural } from './words.ts';

/**
 * How the report is known. What a run happened to need (requests sent, history used, the hour) is not here but in the log
 * and the outputs, so that the same data gives the same report to the byte.
 */
export function howItWasMade(input: ReportInput): string {
  const { findings, predecessor, timeZone, files } = input;
  const { now } = findings;
  const before = predecessor.kind === 'read' ? predecessor.read : undefined;
  const points = [
    `${capital(now.window.label)}: ${span(now)}, in ${code(timeZone)}. ${extent(now)}`,
    ...(before === undefined ? [] : [`${capital(now.window.before)}: ${span(before)}. ${extent(before)}`]),
    ...(predecessor.kind === 'unread' ? [`${capital(now.window.before)}: not read.`] : []),
    `Complete: ${isComplete(now, predecessor) ? 'yes' : 'no'}.`,
    'Visitors are unique and approximate, as the service counts them. Totals are the service’s own, never a sum of pages or weeks. **Both** are visitors that count as human and as AI.',
    'The service does not say in which time zone its days begin.',
    'What this run sent is its output `requests-used`.',
    ...(files.length === 0 ? [] : [`Files: ${files.map(code).join(', ')}.`]),
  ];
  return fold('How this report was made', points.map((point) => `- ${point}`).join('\n'));
}

function span({ window }: WindowRead): string {
  return `from ${window.start} up to, not including, ${window.end}`;
}

function extent({ rows, cut, oddities }: WindowRead): string {
  const requests = plural(Math.max(1, Math.ceil(rows.size / rowsPerRequest)), 'request');
  const read = `${plural(rows.size, 'page')} read${cut === undefined ? '' : ', not all'}, which takes ${requests}.`;
  return [read, ...strange(oddities)].join(' ');
}

function strange({ repeatedRows, driftedPages }: Oddities): string[] {
  return [
    ...(repeatedRows === 0 ? [] : [`${count(repeatedRows)} rows came again and count once.`]),
    ...(driftedPages === 0
      ? []
      : [`The totals changed on ${plural(driftedPages, 'page')} while it was read; the first ones count.`]),
  ];
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
