import { code } from '../lib/markdown.ts';
import { hasNoVisits } from './compare.ts';
import type { Predecessor, WindowRead } from './export.ts';
import { aiShare } from './figures.ts';
import type { ReportInput } from './report.ts';
import { count, percentage, plural, whyCut } from './words.ts';

/** A change that rounds to less than this is no news, in per cent. */
const noticeablePercent = 0.5;

/** What happened, in one sentence. */
export function verdict({ projectId, findings, predecessor }: ReportInput): string {
  const { window, totals } = findings.now;
  const site = code(projectId);
  if (hasNoVisits(findings.now)) return `No visits were recorded for ${site} in ${window.label}.`;
  const share = aiShare(totals);
  const readers = share === undefined ? '' : `; AI was ${percentage(share)} of them`;
  const visitors = `${count(totals.total)} visitor${totals.total === 1 ? '' : 's'}`;
  return `${site} had **${visitors}** in ${window.label}${against(findings.changePercent, predecessor, window.before)}${readers}.`;
}

/** The same as plain text, with what it lacks, for the log. */
export function plainVerdict(input: ReportInput): string {
  return [verdict(input), lacks(input)]
    .filter((text) => text !== '')
    .join(' ')
    .replace(/\*\*|`/g, '');
}

function against(percent: number | undefined, predecessor: Predecessor, name: string): string {
  switch (predecessor.kind) {
    case 'not-asked':
      return '';
    case 'unread':
      return ` (${name} could not be read)`;
    case 'read': {
      const { read } = predecessor;
      if (hasNoVisits(read)) return ` (no visits were recorded in ${name})`;
      const earlier = count(read.totals.total);
      if (percent === undefined) return `, after ${earlier} in ${name}`;
      if (Math.abs(percent) < noticeablePercent) return `, about as many as in ${name} (${earlier})`;
      const word = percent > 0 ? 'more' : 'fewer';
      return `, **${percentage(Math.abs(percent))} ${word}** than in ${name} (${earlier})`;
    }
  }
}

/** What the report does not hold, and why; `''` when it is complete. */
export function lacks({ findings, predecessor, maxRequests }: ReportInput): string {
  const { now } = findings;
  const sentences: string[] = [];
  if (now.cut !== undefined) {
    sentences.push(
      `Only ${pagesOf(now)} of ${now.window.label} were read, since ${whyCut(now.cut, maxRequests)}.`,
      `The totals are of the whole site all the same. Left out, since not all pages are known: ${leftOut(findings.mostVisited === undefined, predecessor.kind !== 'not-asked')}.`,
    );
    if (findings.mostVisited !== undefined) {
      sentences.push('The top pages are right: the service sent the most visited first.');
    }
  }
  if (predecessor.kind === 'unread') {
    sentences.push(
      `Nothing is compared with ${now.window.before}, since ${whyCut(predecessor.cut, maxRequests)}.`,
    );
  }
  const before = predecessor.kind === 'read' ? predecessor.read : undefined;
  if (before?.cut !== undefined) {
    const consequence =
      now.cut === undefined ? ' Left out, hence: changes of sections, new and vanished pages.' : '';
    sentences.push(
      `Of ${now.window.before}, only ${pagesOf(before)} were read, since ${whyCut(before.cut, maxRequests)}.${consequence}`,
    );
  }
  return sentences.length === 0 ? '' : `**This report is incomplete.** ${sentences.join(' ')}`;
}

/** Whether anything that was asked for is lacking. */
export function isComplete(now: WindowRead, predecessor: Predecessor): boolean {
  if (now.cut !== undefined || predecessor.kind === 'unread') return false;
  return predecessor.kind === 'not-asked' || predecessor.read.cut === undefined;
}

function pagesOf({ rows }: WindowRead): string {
  return plural(rows.size, 'page');
}

function leftOut(top: boolean, compared: boolean): string {
  const parts = ['sections', 'AI-heavy pages', ...(compared ? ['new pages', 'vanished pages'] : [])];
  return (top ? ['top pages', ...parts] : parts).join(', ');
}
