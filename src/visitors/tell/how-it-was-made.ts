import { code } from '../../text/markdown.ts';
import { rowsPerRequest } from '../read/export.ts';
import { isComplete, type Oddities, type WindowRead } from '../read/window-read.ts';
import { fold } from './blocks.ts';
import type { ReportContent } from './content.ts';
import { capitalised } from './headline.ts';
import { plural } from './numbers.ts';

/**
 * How the report was made. What differs from run to run (requests sent, the history, the time) is in the log and the outputs
 * instead, so that the same data always gives the same report, byte for byte.
 */
export function howItWasMade({ projectId, windows, timeZone, files }: ReportContent): string {
  const { now, before, whyNoBefore } = windows;
  const { name, previousName } = now.window;
  const paths = files === undefined ? [] : [files.markdown, files.csv, files.json];
  const points = [
    `Project: ${code(projectId)}.`,
    `${capitalised(name)}: ${span(now)}, in ${code(timeZone)}. ${extent(now)}`,
    ...(before === undefined ? [] : [`${capitalised(previousName)}: ${span(before)}. ${extent(before)}`]),
    ...(whyNoBefore === undefined ? [] : [`${capitalised(previousName)}: not read.`]),
    `Complete: ${isComplete(windows) ? 'yes' : 'no'}.`,
    'Visitors are unique and approximate, as the service counts them. Totals are the service’s own, never a sum of pages or weeks. Who came both as a human and as AI counts once among all visitors.',
    'The service does not say in which time zone its days begin.',
    'What this run sent is its output `requests-used`.',
    ...(paths.length === 0 ? [] : [`Files: ${paths.map(code).join(', ')}.`]),
  ];
  return fold('How this report was made', points.map((point) => `- ${point}`).join('\n'));
}

function span({ window }: WindowRead): string {
  return `from ${window.start} up to, not including, ${window.end}`;
}

function extent({ rows, cut, oddities }: WindowRead): string {
  const read = `${plural(rows.size, 'page')} read${cut === undefined ? '' : ', not all'}, at most ${rowsPerRequest} a request.`;
  return [read, ...oddityNotes(oddities)].join(' ');
}

function oddityNotes({ repeatedRows, unusableRows, shortPages, driftedPages, emptyEnd }: Oddities): string[] {
  const came = repeatedRows === 1 ? 'came again and counts once' : 'came again and count once';
  return [
    ...(repeatedRows === 0 ? [] : [`${plural(repeatedRows, 'row')} ${came}.`]),
    ...(unusableRows === 0 ? [] : [`${plural(unusableRows, 'row')} had no path or no total.`]),
    ...(shortPages === 0
      ? []
      : [
          `${plural(shortPages, 'request')} brought fewer rows than were asked for, though more were to come.`,
        ]),
    ...(driftedPages === 0
      ? []
      : [`The totals changed on ${plural(driftedPages, 'page')} while it was read; the first ones count.`]),
    ...(emptyEnd ? ['After the last row the service said that there was more, and sent none.'] : []),
  ];
}
