import type { VisitorsTotals } from '../../service/schemas.ts';
import { table } from '../../text/markdown.ts';
import type { Findings } from '../judge/compare.ts';
import { aiShareOf, mixOf, relativeChange, totalOf } from '../judge/figures.ts';
import { sum } from '../judge/ratio.ts';
import type { WindowRead } from '../read/window-read.ts';
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

function changeOf(kind: keyof VisitorsTotals, now: WindowRead, before: WindowRead): string {
  const [after, earlier] = [totalOf(now, kind), totalOf(before, kind)];
  if (after === undefined || earlier === undefined) return formatCount(undefined);
  return formatDifference(sum(after, -earlier), relativeChange(after, earlier));
}

function bothSentence(now: WindowRead): string[] {
  const shared = mixOf(now)?.both ?? 0;
  return shared > 0 ? [`${plural(shared, 'visitor')} came both as a human and as AI.`] : [];
}
