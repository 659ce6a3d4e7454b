import { table } from '../lib/markdown.ts';
import type { VisitorsRow } from '../service/schemas.ts';
import { fewVisitors } from './chance.ts';
import type { Findings } from './compare.ts';
import { aiShare, both, changePercent } from './figures.ts';
import type { Block } from './fit.ts';
import { count, moveOf, pathCell, percentage, plural, pointsOf } from './words.ts';

/** Humans, AI and both, beside the window before where it is known. */
export function totalsTable({ now, before }: Findings): string {
  const a = now.totals;
  const b = before?.totals;
  const line = (name: string, value: number, earlier: number | undefined) =>
    earlier === undefined
      ? [name, count(value)]
      : [name, count(value), count(earlier), moveOf(value - earlier, changePercent(value, earlier))];
  const rows = [
    line('**All visitors**', a.total, b?.total),
    line('Humans', a.human, b?.human),
    line('AI', a.ai, b?.ai),
    line('Both', both(a), b && both(b)),
    shareLine(aiShare(a), b === undefined ? undefined : { percent: aiShare(b) }),
  ];
  const head =
    before === undefined
      ? ['Visitors', now.window.slug]
      : ['Visitors', now.window.slug, before.window.slug, 'Change'];
  return table(head, rows, 1);
}

function shareLine(now: number | undefined, before: { percent: number | undefined } | undefined): string[] {
  if (before === undefined) return ['AI share', percentage(now)];
  const points = now === undefined || before.percent === undefined ? '–' : pointsOf(now - before.percent);
  return ['AI share', percentage(now), percentage(before.percent), points];
}

/** Pages whose change is no chance. */
export function moversTable(findings: Findings, most: number): Block[] {
  const { now, before, movers } = findings;
  if (movers === undefined || before === undefined) return [];
  const whole = now.cut === undefined && before.cut === undefined;
  const among = whole
    ? ''
    : ' Only pages that were read in both windows can be here; others may have moved more.';
  const heading = '### Pages that moved';
  if (movers.length === 0) {
    return [{ kind: 'text', text: `${heading}\n\nNo page changed by more than chance would.${among}` }];
  }
  return [
    {
      kind: 'table',
      lead: `${heading}\n\nChanges larger than chance, the largest first.${among}`,
      head: ['Page', now.window.slug, before.window.slug, 'Change'],
      rows: movers
        .slice(0, most)
        .map(({ path, now: after, before: earlier, delta, percent, isNew }) => [
          pathCell(path),
          count(after),
          count(earlier),
          isNew ? 'new' : moveOf(delta, percent),
        ]),
      outOf: movers.length,
    },
  ];
}

export function topTable({ now, mostVisited }: Findings, most: number): Block[] {
  if (mostVisited === undefined || mostVisited.length === 0) return [];
  const top = mostVisited.slice(0, most);
  return [
    {
      kind: 'table',
      lead: '### Top pages',
      head: ['Page', 'Visitors', 'AI share'],
      rows: top.map((row) => [pathCell(row.path), count(row.total), percentage(aiShare(row))]),
      // How many pages there are is known only of a window read whole.
      outOf: now.cut === undefined ? mostVisited.length : top.length,
    },
  ];
}

export function sectionsTable({ sections, sectionsBefore }: Findings, most: number): Block[] {
  if (sections === undefined || sections.length === 0) return [];
  const change = (path: string, total: number) => {
    const earlier = sectionsBefore?.get(path)?.total ?? 0;
    return moveOf(total - earlier, earlier < fewVisitors ? undefined : changePercent(total, earlier));
  };
  const compared = sectionsBefore !== undefined;
  return [
    {
      kind: 'table',
      folded: `Sections (${count(sections.length)})`,
      lead: 'Page visitors are the sum over a section’s pages: somebody who reads several pages counts on each, so a section had **at most** that many visitors.',
      head: ['Section', 'Pages', 'Page visitors', ...(compared ? ['Change'] : [])],
      rows: sections
        .slice(0, most)
        .map(({ path, pages, total }) => [
          pathCell(path),
          count(pages),
          count(total),
          ...(compared ? [change(path, total)] : []),
        ]),
      outOf: sections.length,
    },
  ];
}

export function mostlyAiTable({ mostlyAi }: Findings, most: number): Block[] {
  if (mostlyAi === undefined || mostlyAi.length === 0) return [];
  return [
    {
      kind: 'table',
      folded: `Pages read mostly by AI (${count(mostlyAi.length)})`,
      lead: `More than half of the visitors were AI; pages with at least ${plural(fewVisitors, 'visitor')}.`,
      head: ['Page', 'AI share', 'AI', 'Visitors'],
      rows: mostlyAi
        .slice(0, most)
        .map((row) => [pathCell(row.path), percentage(aiShare(row)), count(row.ai), count(row.total)]),
      outOf: mostlyAi.length,
    },
  ];
}

export function newAndVanishedTables(findings: Findings, most: number): Block[] {
  const { now, before, appeared, vanished } = findings;
  const list = (title: string, lead: string, visitors: string, rows: readonly VisitorsRow[] = []): Block[] =>
    rows.length === 0
      ? []
      : [
          {
            kind: 'table',
            folded: `${title} (${count(rows.length)})`,
            lead,
            head: ['Page', visitors],
            rows: rows.slice(0, most).map(({ path, total }) => [pathCell(path), count(total)]),
            outOf: rows.length,
          },
        ];
  return [
    ...list(
      'New pages',
      `Visited in ${now.window.label}, and not in ${now.window.before}.`,
      'Visitors',
      appeared,
    ),
    ...list(
      'Vanished pages',
      `Visited in ${now.window.before}, and not in ${now.window.label}.`,
      `Visitors in ${before?.window.slug ?? now.window.before}`,
      vanished,
    ),
  ];
}
