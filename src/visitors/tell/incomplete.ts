import type { Cut, WindowRead } from '../read/window-read.ts';
import type { ReportContent } from './content.ts';
import { plural } from './numbers.ts';

/** What the report lacks, and why; `''` when it is complete. */
export function whatIsMissing({ windows, findings, maxRequests }: ReportContent): string {
  const { now, before, whyNoBefore } = windows;
  const sentences: string[] = [];
  if (now.cut !== undefined) {
    const isCompared = before !== undefined || whyNoBefore !== undefined;
    sentences.push(
      `Only ${pagesRead(now, ` of ${now.window.label}`)}, since ${whyCut(now.cut, maxRequests)}.`,
      `The totals are of the whole site all the same. Left out, since not all pages are known: ${leftOut(findings.mostVisited === undefined, isCompared)}.`,
    );
  }
  const { previousName } = now.window;
  if (whyNoBefore !== undefined) {
    sentences.push(`Nothing is compared with ${previousName}, since ${whyCut(whyNoBefore, maxRequests)}.`);
  }
  if (before?.cut !== undefined) {
    const consequence =
      now.cut === undefined ? ' Left out, hence: changes of sections, new and vanished pages.' : '';
    sentences.push(
      `Of ${previousName}, only ${pagesRead(before)}, since ${whyCut(before.cut, maxRequests)}.${consequence}`,
    );
  }
  return sentences.length === 0 ? '' : `**This report is incomplete.** ${sentences.join(' ')}`;
}

/** `1 page was read`, `250 pages of week 2026-W46 were read`. */
function pagesRead({ rows }: WindowRead, which = ''): string {
  return `${plural(rows.size, 'page')}${which} ${rows.size === 1 ? 'was' : 'were'} read`;
}

function leftOut(top: boolean, compared: boolean): string {
  const parts = ['sections', 'AI-heavy pages', ...(compared ? ['new pages', 'vanished pages'] : [])];
  return (top ? ['top pages', ...parts] : parts).join(', ');
}

/** Why a window is not whole, as the end of a sentence. */
function whyCut(cut: Cut, maxRequests: number): string {
  switch (cut.kind) {
    case 'budget':
      return `the budget of ${plural(maxRequests, 'request')} was spent (\`max-requests\`)`;
    case 'empty-page':
      return 'the service said that there was more, and sent an empty page';
    case 'repeated-page':
      return 'the service said that there was more, and sent only rows that it had sent before';
    case 'repeated-rows':
      return 'rows came again while the list was read, so that others may never have come';
    case 'changed-totals':
      return 'the totals changed while the list was read, so that the list may have changed too';
    case 'unusable-rows':
      return 'the service sent rows without a path or without a total';
    case 'short-page':
      return 'the service said that there was more after a page that was not full, so that rows may have been passed over';
    case 'service':
      return cut.reason === 'rate-limited'
        ? 'the service’s hourly limit was reached'
        : `the service gave no answer that could be used (\`${cut.reason}\`)`;
  }
}
