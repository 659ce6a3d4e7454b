import { fold } from '../report/blocks.ts';
import { plural } from '../report/numbers.ts';
import { rowsPerRequest } from '../report/read-page.ts';
import type { WindowRead } from '../report/window-read.ts';
import { code } from '../text/markdown.ts';
import { capitalized } from './headline.ts';
import { isComplete, type ReadSite, type Report } from './report.ts';

/**
 * How the report was made. What differs from run to run (requests sent, the history, the time) is in the log and the outputs
 * instead, so that the same data always gives the same report, byte for byte.
 */
export function howItWasMade(site: ReadSite, { settings: { timeZone }, files }: Report): string {
  const { project, windows } = site;
  const { now, before, whyNoBefore } = windows;
  const { name, previousName } = now.window;
  const data = files?.data.get(project.id);
  const paths = files === undefined || data === undefined ? [] : [files.markdown, data.csv, data.json];
  const points = [
    `Project: ${code(project.id)}.`,
    `${capitalized(name)}: ${span(now)}, in ${code(timeZone)}. ${extent(now)}`,
    before && `${capitalized(previousName)}: ${span(before)}. ${extent(before)}`,
    whyNoBefore && `${capitalized(previousName)}: not read.`,
    `Complete: ${isComplete(site) ? 'yes' : 'no'}.`,
    'Visitors are unique and approximate, as the service counts them. Totals are the service’s own, never a sum of pages or weeks. Who came both as a human and as AI counts once among all visitors.',
    'The service does not say in which time zone its days begin.',
    'What this run sent is its output `requests-used`.',
    paths.length > 0 ? `Files: ${paths.map(code).join(', ')}.` : undefined,
  ];
  const listed = points.filter((point) => point !== undefined).map((point) => `- ${point}`);
  return fold('How this report was made', listed.join('\n'));
}

function span({ window }: WindowRead): string {
  return `from ${window.start} up to, not including, ${window.end}`;
}

function extent({ rows, cut }: WindowRead): string {
  return `${plural(rows.size, 'page')} read${cut === undefined ? '' : ', not all'}, at most ${rowsPerRequest} a request.`;
}
