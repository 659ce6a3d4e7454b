import { table } from '../../lib/markdown.ts';
import type { VisitorsTotals } from '../../service/schemas.ts';
import type { Findings } from '../judge/compare.ts';
import { aiShare, both, relativeChange } from '../judge/figures.ts';
import type { Ratio } from '../judge/ratio.ts';
import { lacksTotal, type WindowRead } from '../read/window-read.ts';
import { formatCount, formatDifference, formatPercent, formatPoints, plural } from './numbers.ts';

/** All visitors, humans and AI, with their change and the window before where there is one; and below, who came as both. */
export function totalsTable({ now, before }: Findings): string {
  const line = (name: string, kind: keyof VisitorsTotals) => [
    name,
    kind === 'total' ? `**${formatCount(totalOf(now, kind))}**` : formatCount(totalOf(now, kind)),
    ...(before === undefined ? [] : [changeOf(kind, now, before), formatCount(totalOf(before, kind))]),
  ];
  const share = aiShareOf(now);
  const earlier = before && aiShareOf(before);
  const rows = [
    line('All visitors', 'total'),
    line('Human', 'human'),
    line('AI', 'ai'),
    [
      'AI share',
      formatPercent(share),
      ...(before === undefined ? [] : [formatPoints(share, earlier), formatPercent(earlier)]),
    ],
  ];
  const head = ['', now.window.shortLabel, ...(before ? ['Change', before.window.shortLabel] : [])];
  return [table(head, rows, 1), ...bothSentence(now)].join('\n\n');
}

/** AI visitors as a share of all; `undefined` where there are none, or where the service did not count them. */
export function aiShareOf(read: WindowRead): Ratio | undefined {
  const isCounted = totalOf(read, 'ai') !== undefined && totalOf(read, 'total') !== undefined;
  return isCounted ? aiShare(read.totals) : undefined;
}

/** `undefined` for a total that the service did not count, though there were such visitors. */
function totalOf(read: WindowRead, kind: keyof VisitorsTotals): number | undefined {
  return lacksTotal(read, kind) ? undefined : read.totals[kind];
}

function changeOf(kind: keyof VisitorsTotals, now: WindowRead, before: WindowRead): string {
  const [after, earlier] = [totalOf(now, kind), totalOf(before, kind)];
  if (after === undefined || earlier === undefined) return formatCount(undefined);
  return formatDifference(after - earlier, relativeChange(after, earlier));
}

function bothSentence(now: WindowRead): string[] {
  const shared = both(now.totals);
  const isKnown = (['human', 'ai', 'total'] as const).every((kind) => totalOf(now, kind) !== undefined);
  return isKnown && shared > 0 ? [`${plural(shared, 'visitor')} came both as a human and as AI.`] : [];
}
