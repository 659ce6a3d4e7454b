import { isHeadline } from '../judge/chance.ts';
import { aiShareOf, contradictions, totalOf } from '../judge/figures.ts';
import { difference, type Ratio } from '../judge/ratio.ts';
import type { Window } from '../read/period.ts';
import { hasNoVisits, type WindowRead } from '../read/window-read.ts';
import type { ReportContent } from './content.ts';
import { formatCount, formatDirection, formatPercent, formatSigned, plural } from './numbers.ts';
import { pathCode } from './quoted.ts';

/** `Docs visitors, 2–8 March 2026`. */
export function titleOf({ label }: Window): string {
  return `Docs visitors, ${label}`;
}

/** What happened: how many visitors, and how many of them were AI. Nothing of it is from outside. */
export function headline(content: ReportContent): string {
  const { now } = content.windows;
  if (hasNoVisits(now)) return '**No visits were recorded:** nobody came, or the site was not counted.';
  const total = totalOf(now, 'total');
  if (total === undefined) {
    return '**There were visitors, but the service gave no total above 0,** so nothing is said of the whole site.';
  }
  const sentences = [
    `**${plural(total, 'visitor')}${comparison(content)}`,
    aiSentence(content),
    contradiction(now),
    whyNotCompared(content),
  ];
  return sentences.filter((sentence) => sentence !== '').join(' ');
}

/** The end of the first sentence, which begins in bold. */
function comparison({ findings: { now, before, change } }: ReportContent): string {
  if (before === undefined || change === undefined) return '.**';
  const counts = { now: now.totals.total, before: before.totals.total };
  const earlier = `${now.window.previousName} (${formatCount(counts.before)}).`;
  return isHeadline(counts)
    ? `, ${formatDirection(change)}%** from ${earlier}`
    : `,** about as many as in ${earlier}`;
}

/** Why there is nothing to compare with, although a window before was read. */
function whyNotCompared({ windows: { now, before }, findings: { change } }: ReportContent): string {
  if (before === undefined || change !== undefined) return '';
  const { previousName } = now.window;
  return hasNoVisits(before)
    ? `No visits were recorded in ${previousName}.`
    : `The service gave no total above 0 for ${previousName}, though there were visitors.`;
}

function aiSentence({ findings: { now, before } }: ReportContent): string {
  const share = aiShareOf(now);
  if (share === undefined) {
    return totalOf(now, 'ai') === undefined ? 'The service gave no total of AI visitors.' : '';
  }
  const earlier = before && aiShareOf(before);
  return `AI was ${formatPercent(share)} of them${earlier === undefined ? '' : shareChange(difference(share, earlier), now.window)}.`;
}

function contradiction(now: WindowRead): string {
  const kinds = contradictions(now).map(
    (kind) => `${formatCount(totalOf(now, kind))} ${kind === 'ai' ? 'AI' : 'human'}`,
  );
  return kinds.length === 0
    ? ''
    : `The service gave ${kinds.join(' and ')} visitors, more than in all, which cannot be.`;
}

function shareChange(change: Ratio, { previousName }: Window): string {
  return change.part === 0n ? `, as in ${previousName}` : `, ${formatDirection(change)} points`;
}

/** The pages with the largest rise and the largest fall, by name; `''` where no page moved. */
export function largestMovers({ findings, pages }: ReportContent): string {
  const { now, before, movers = [] } = findings;
  const isWhole = now.cut === undefined && before?.cut === undefined;
  const largest = isWhole ? 'largest' : 'largest known';
  const named = [
    { what: 'rise', mover: movers.find(({ delta }) => delta > 0) },
    { what: 'fall', mover: movers.find(({ delta }) => delta < 0) },
  ].flatMap(({ what, mover }) =>
    mover === undefined ? [] : [`${largest} ${what}: ${pathCode(mover.path)} (${formatSigned(mover.delta)})`],
  );
  if (named.length === 0) return '';
  return capitalised(`${pages.length === 0 ? '' : 'of the pages chosen, '}${named.join('; ')}.`);
}

/** A text as the beginning of a sentence. */
export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
