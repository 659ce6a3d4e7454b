import { isHeadline } from '../../judge/chance.ts';
import { totalOf } from '../../judge/figures.ts';
import { isComplete } from '../../read/window-read.ts';
import { alertVerdict, uncheckedVerdict } from '../alert-texts.ts';
import { alertsOf, type ProjectReport, type Report } from '../content.ts';
import { digestMost, harmless, plainText } from '../digest.ts';
import { headline, titleOf } from '../headline.ts';
import { formatSigned, plural } from '../numbers.ts';
import { plainName } from './names.ts';

/**
 * The report of several projects in plain text, for a chat, at most 3,000 characters: a line or two each, in their order. Where
 * not all fit, those whose visitors changed most come first, and the others are counted.
 */
export function digestOfProjects(report: Report, runUrl: string): string {
  const opening = `${titleOf(report.window)}, ${plural(report.projects.length, 'project')}`;
  const alerts = alertsOf(report);
  const closing = [alertVerdict(alerts), uncheckedVerdict(alerts), lackOf(report), runUrl];
  const text = (lines: readonly string[], left: number) => {
    const more = left === 0 ? [] : [`${plural(left, 'more project')} not listed.`];
    return [opening, ...lines, ...more, ...closing].filter((part) => part !== '').join('\n\n');
  };
  const inOrder = text(report.projects.map(linesOf), 0);
  if (inOrder.length <= digestMost) return inOrder;
  const largestFirst = report.projects.toSorted((a, b) => sizeOf(b) - sizeOf(a)).map(linesOf);
  let kept = largestFirst.length;
  while (kept > 0 && text(largestFirst.slice(0, kept), largestFirst.length - kept).length > digestMost)
    kept -= 1;
  return text(largestFirst.slice(0, kept), largestFirst.length - kept);
}

/** What happened in a project, and the page that moved most. */
function linesOf(report: ProjectReport): string {
  const name = plainName(report.project);
  if ('failure' in report) return `${name}: not read (${report.failure.reason}).`;
  const { content } = report;
  const [mover] = content.findings.movers ?? [];
  const moved = mover === undefined ? '' : `\n${formatSigned(mover.delta)} ${harmless(mover.path)}`;
  return `${name}: ${plainText([headline(content)])}${moved}`;
}

/** How many projects are not whole; the report names them. */
function lackOf({ projects }: Report): string {
  const lacking = projects.filter((one) => 'failure' in one || !isComplete(one.content.windows)).length;
  return lacking === 0
    ? ''
    : `Incomplete: ${lacking} of ${projects.length} projects. The report says what is missing.`;
}

/** By how many visitors a project changed, as far as that is more than chance. */
function sizeOf(report: ProjectReport): number {
  if ('failure' in report) return 0;
  const { now, before } = report.content.windows;
  const [visitors, earlier] = [totalOf(now, 'total'), before && totalOf(before, 'total')];
  if (visitors === undefined || earlier === undefined) return 0;
  return isHeadline({ now: visitors, before: earlier }) ? Math.abs(visitors - earlier) : 0;
}
