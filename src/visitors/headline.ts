import {
  difference,
  formatCount,
  formatDirection,
  formatPercent,
  formatSigned,
  plural,
} from '../report/numbers.ts';
import { pathCode } from '../report/shown.ts';
import { hasNoVisits, totalOf, type WindowRead } from '../report/window-read.ts';
import { contradictions, siteAiShare } from './figures.ts';
import type { ReadSite } from './report.ts';

/** What happened: how many visitors, and how many of them were AI. None of it is from outside. */
export function headline(site: ReadSite): string {
  const { now } = site.windows;
  if (hasNoVisits(now)) return '**No visits were recorded:** nobody came, or the site was not counted.';
  const total = totalOf(now, 'total');
  if (total === undefined) {
    return '**There were visitors, but the service gave no total above 0,** so nothing is said of the whole site.';
  }
  const sentences = [
    `**${plural(total, 'visitor')}${comparison(site)}`,
    aiSentence(site),
    contradiction(now),
    whyNotCompared(site),
  ];
  return sentences.filter((sentence) => sentence !== '').join(' ');
}

/** The end of the first sentence, which begins in bold. */
function comparison({ windows: { now }, findings: { before, change, isNews } }: ReadSite): string {
  if (before === undefined || change === undefined) return '.**';
  const earlier = `${now.window.previousName} (${formatCount(before.totals.total)}).`;
  return isNews ? `, ${formatDirection(change)}%** from ${earlier}` : `,** about as many as in ${earlier}`;
}

/** Why there is nothing to compare with, although a window before was read. */
function whyNotCompared({ windows: { now, before }, findings: { change } }: ReadSite): string {
  if (before === undefined || change !== undefined) return '';
  const { previousName } = now.window;
  return hasNoVisits(before)
    ? `No visits were recorded in ${previousName}.`
    : `The service gave no total above 0 for ${previousName}, though there were visitors.`;
}

function aiSentence({ windows: { now }, findings: { before } }: ReadSite): string {
  const share = siteAiShare(now);
  if (share === undefined) {
    return totalOf(now, 'ai') === undefined ? 'The service gave no total of AI visitors.' : '';
  }
  const earlier = before && siteAiShare(before);
  const change = earlier && difference(share, earlier);
  const compared =
    change?.part === 0 ? `as in ${now.window.previousName}` : change && `${formatDirection(change)} points`;
  return `AI was ${formatPercent(share)} of them${compared === undefined ? '' : `, ${compared}`}.`;
}

function contradiction(now: WindowRead): string {
  const kinds = contradictions(now).map(
    (kind) => `${formatCount(totalOf(now, kind))} ${kind === 'ai' ? 'AI' : 'human'}`,
  );
  return kinds.length === 0
    ? ''
    : `The service gave ${kinds.join(' and ')} visitors, more than in all, which cannot be.`;
}

/** The pages with the largest rise and the largest fall, by name; `''` if no page moved. */
export function largestMovers({ windows: { now }, findings }: ReadSite, pages: readonly string[]): string {
  const { before, movers = [] } = findings;
  const isWhole = now.cut === undefined && before?.cut === undefined;
  const named = [
    { what: 'rise', mover: movers.find(({ delta }) => delta > 0) },
    { what: 'fall', mover: movers.find(({ delta }) => delta < 0) },
  ].flatMap(({ what, mover }) =>
    mover === undefined ? [] : [`${what}: ${pathCode(mover.path)} (${formatSigned(mover.delta)})`],
  );
  if (named.length === 0) return '';
  const largest = isWhole ? 'largest' : 'largest known';
  const sentence = named.map((one) => `${largest} ${one}`).join('; ');
  return `${capitalized(`${pages.length === 0 ? '' : 'of the pages chosen, '}${sentence}`)}.`;
}

/** A text as the beginning of a sentence. */
export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
