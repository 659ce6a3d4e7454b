import { code } from '../../lib/markdown.ts';
import { isHeadline } from '../judge/chance.ts';
import { aiShare } from '../judge/figures.ts';
import { hasNoVisits } from '../read/window-read.ts';
import type { ReportContent } from './content.ts';
import { formatCount, formatPercent, plural } from './numbers.ts';

/** What happened, in one sentence. */
export function headline(content: ReportContent): string {
  const { window, totals } = content.windows.now;
  const site = code(content.projectId);
  if (hasNoVisits(content.windows.now)) return `No visits were recorded for ${site} in ${window.label}.`;
  const share = aiShare(totals);
  const readers = share === undefined ? '' : `; AI was ${formatPercent(share)} of them`;
  return `${site} had **${plural(totals.total, 'visitor')}** in ${window.label}${comparison(content)}${readers}.`;
}

function comparison({ windows, findings }: ReportContent): string {
  const { now, before, whyNoBefore } = windows;
  const name = now.window.previousName;
  if (whyNoBefore !== undefined) return ` (${name} could not be read)`;
  if (before === undefined) return '';
  if (hasNoVisits(before)) return ` (no visits were recorded in ${name})`;
  const earlier = formatCount(before.totals.total);
  const percent = findings.changePercent;
  if (percent === undefined) return `, after ${earlier} in ${name}`;
  if (!isHeadline(percent)) return `, about as many as in ${name} (${earlier})`;
  return `, **${formatPercent(Math.abs(percent))} ${percent > 0 ? 'more' : 'fewer'}** than in ${name} (${earlier})`;
}
