import { table } from '../../../text/markdown.ts';
import { isHeadline } from '../../judge/chance.ts';
import { aiShareOf, totalOf } from '../../judge/figures.ts';
import { sum } from '../../judge/ratio.ts';
import { hasNoVisits } from '../../read/window-read.ts';
import type { ProjectReport, Report, ReportContent } from '../content.ts';
import { formatCount, formatDifference, formatPercent, formatSigned } from '../numbers.ts';
import { pathCell } from '../quoted.ts';
import { nameCell } from './names.ts';

/** Characters shown of a path; the sections show more of it. */
const longestPath = 60;

const unknown = formatCount(undefined);

/** A row a project: how many visitors, by how much that changed, the AI share, and the page that moved most. */
export function projectsTable({ projects, window }: Report): string {
  const head = ['Project', `Visitors, ${window.shortLabel}`, 'Change', 'AI share', 'Largest mover'];
  return table(head, projects.map(rowOf), 1);
}

function rowOf(report: ProjectReport): string[] {
  const name = nameCell(report.project);
  if ('failure' in report) return [name, 'not read', unknown, unknown, unknown];
  const { content } = report;
  const { now } = content.windows;
  if (hasNoVisits(now)) return [name, 'none recorded', unknown, unknown, unknown];
  return [
    name,
    formatCount(totalOf(now, 'total')),
    changeOf(content),
    formatPercent(aiShareOf(now)),
    moverOf(content),
  ];
}

/** The change of the total; where chance explains it, in the words of a report's first sentence. */
function changeOf({ findings: { now, before, change } }: ReportContent): string {
  if (before === undefined || change === undefined) return unknown;
  const counts = { now: now.totals.total, before: before.totals.total };
  return isHeadline(counts) ? formatDifference(sum(counts.now, -counts.before), change) : 'about as many';
}

function moverOf({ findings: { movers = [] } }: ReportContent): string {
  const [mover] = movers;
  return mover === undefined
    ? unknown
    : `${pathCell(mover.path, longestPath)} (${formatSigned(mover.delta)})`;
}
