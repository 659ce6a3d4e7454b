import { code } from '../../lib/markdown.ts';
import { isHeadline } from '../judge/chance.ts';
import { aiShareOf, contradictions, totalOf } from '../judge/figures.ts';
import { hasNoVisits, lacksTotal, type WindowRead } from '../read/window-read.ts';
import type { ReportContent } from './content.ts';
import { formatCount, formatPercent, plural } from './numbers.ts';

/** What happened, in one sentence. */
export function headline(content: ReportContent): string {
  const { window, totals } = content.windows.now;
  const site = code(content.projectId);
  if (hasNoVisits(content.windows.now)) return `No visits were recorded for ${site} in ${window.label}.`;
  if (lacksTotal(content.windows.now, 'total')) {
    return `${site} had visitors in ${window.label}, but the service gave a total of 0, so nothing is said of the whole site.`;
  }
  const visitors = `**${plural(totals.total, 'visitor')}** in ${window.label}${comparison(content)}`;
  return `${site} had ${visitors}; ${aiSentence(content.windows.now)}${contradiction(content.windows.now)}`;
}

function aiSentence(now: WindowRead): string {
  const share = aiShareOf(now);
  return share === undefined
    ? 'how many of them were AI is not known.'
    : `AI was ${formatPercent(share)} of them.`;
}

function contradiction(now: WindowRead): string {
  const kinds = contradictions(now).map(
    (kind) => `${formatCount(totalOf(now, kind))} ${kind === 'ai' ? 'AI' : 'human'}`,
  );
  return kinds.length === 0
    ? ''
    : ` The service gave ${kinds.join(' and ')} visitors, more than in all, which cannot be.`;
}

function comparison({ windows, findings }: ReportContent): string {
  const { now, before, whyNoBefore } = windows;
  const name = now.window.previousName;
  if (whyNoBefore !== undefined) return ` (${name} could not be read)`;
  if (before === undefined) return '';
  if (hasNoVisits(before)) return ` (no visits were recorded in ${name})`;
  const { change } = findings;
  if (change === undefined) return ` (the service gave a total of 0 for ${name}, though there were visitors)`;
  const totals = { now: now.totals.total, before: before.totals.total };
  const earlier = formatCount(totals.before);
  if (!isHeadline(totals)) return `, about as many as in ${name} (${earlier})`;
  return `, **${formatPercent(change)} ${change.part > 0n ? 'more' : 'fewer'}** than in ${name} (${earlier})`;
}
