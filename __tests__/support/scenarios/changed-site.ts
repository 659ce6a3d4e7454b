import type { SimulatorCore } from '../../../simulator/core.ts';
import type { SimulatedGitHub } from '../../../simulator/github/github.ts';
import type { GivenWindow } from '../../../simulator/service/visitors/analytics.ts';

/* A site of nine weeks, the pull requests that changed it, and a report on the last week. */

/** People and AI of each page, week by week, oldest first. */
export interface Site {
  readonly people: readonly (readonly number[])[];
  readonly ai: readonly (readonly number[])[];
}

/** A page, and the week in which it changed. */
export type Change = readonly [page: number, week: number];

const weekMs = 7 * 86_400_000;
export const firstWeek = '2026-09-14T00:00:00Z';
const firstMs = Date.parse(firstWeek);

/** Lets the service answer with these weeks. */
export function serve(
  { service }: Pick<SimulatorCore, 'service'>,
  { people, ai }: Site,
  pathOf: (page: number) => string,
) {
  service.visitors.give(({ fromMs }): GivenWindow => {
    const week = (fromMs - firstMs) / weekMs;
    const rows = (people[week] ?? []).map((human, page) => {
      const ofAi = ai[week]?.[page] ?? 0;
      return { path: pathOf(page), human, ai: ofAi, total: human + ofAi };
    });
    const add = (kind: 'human' | 'ai' | 'total') => rows.reduce((sum, row) => sum + row[kind], 0);
    return { rows, totals: { human: add('human'), ai: add('ai'), total: add('total') } };
  });
}

/** Merges a pull request in the middle of that week. `null` deletes a file. */
export function merge(
  { clock }: Pick<SimulatorCore, 'clock'>,
  docs: SimulatedGitHub,
  week: number,
  files: Readonly<Record<string, string | null>>,
  pull: { readonly author?: string; readonly title?: string } = {},
): number {
  const at = firstMs + (week + 0.5) * weekMs;
  if (clock.now() < at) clock.advance(at - clock.now());
  const head = `change-${docs.threads.size}`;
  docs.git.branch(head);
  docs.git.commit({ branch: head, files });
  const { number } = docs.pullRequests.open({ head, ...pull });
  docs.pullRequests.merge(number, 'squash');
  return number;
}

/** Merges each change, one pull request each, and waits for the report's Monday. */
export function mergeAll(
  core: Pick<SimulatorCore, 'clock'>,
  docs: SimulatedGitHub,
  changes: readonly Change[],
): void {
  docs.git.commit({ files: { 'docs/docs.json': '{}', 'docs/snippets/note.mdx': '1' } });
  for (const [page, week] of changes.toSorted(([, a], [, b]) => a - b))
    merge(core, docs, week, { [`docs/p${page}.mdx`]: `changed in week ${week}` });
  untilReport(core);
}

/** Lets the time pass until the report on the ninth week. */
export function untilReport({ clock }: Pick<SimulatorCore, 'clock'>): void {
  clock.advance(firstMs + 9 * weekMs + 6 * 3_600_000 - clock.now());
}
