import type { VisitorsTotals } from '../../service/schemas.ts';
import { firstFew, formatCount, joinWithAnd, pluralize } from '../../text/counts.ts';
import { joinTexts, paragraphs, table } from '../../text/markdown.ts';
import { changeScrubbed, type Scrubbed } from '../../text/scrub.ts';
import { aiShare } from '../judge/numbers.ts';
import type { MovedPage, PageChange, PagePeople, TopPage } from '../judge/page-facts.ts';
import { isComplete, type JudgedSite, type ReportSettings } from '../judge/report.ts';
import type { Judging } from '../judge/standouts.ts';
import { isSilent } from '../read/window-read.ts';
import {
  countPeople,
  countStandouts,
  describeSize,
  describeWeeks,
  formatCountChange,
  formatDifference,
  formatPercent,
  formatPoints,
  formatRange,
  formatShare,
  markPeople,
  nameOf,
  sayWhen,
  verbFor,
} from './words/figures.ts';
import { asHtml, fold, listBlock, pathHtml } from './words/shown.ts';
import { isFourWeeksInVerdict, sayFourWeeks } from './words/verdicts.ts';
import { remedyFor } from './words/warnings.ts';

/** How many of the most-read pages are in the open if no page is judged. */
const maxOpen = 5;

/** How many pages a sentence names. The files have all of them. */
const maxNamed = 5;

/** The sections and pages that stand out, in at most `top` rows. */
export function standoutsBlock(site: JudgedSite, settings: ReportSettings): string {
  const { judging, standingOut } = site.findings;
  if (judging === undefined) return '';
  const { noun } = site.now.window;
  const windows = [site.before, site.now].map((read) => read?.window.startLabel ?? '');
  const mostRead = !judging.areWhole && `Only the most-read pages of each ${noun} are compared.`;
  // An incomplete report has already said what to do.
  const cut = mostRead && isComplete(site) && site.earlier.find((past) => past.cut)?.cut;
  const note = joinTexts([mostRead, cut && remedyFor(cut, settings)]);
  if (standingOut.length === 0) return note;
  const list = listBlock(standingOut, settings.top, {
    lead: paragraphs([`### ${countStandouts(standingOut)}`, note]),
    // On a phone, a date would wrap to leave room for a path.
    head: ['Page', ...windows.map((label) => label.replace(' ', '\u00a0'))],
    cells: (row) => {
      const { before, now, range } = describeWeeks(row);
      // A fourth column wouldn’t fit on a phone.
      return [`${nameOf(row, site.docsUrl)}<br><sub>before: ${range}</sub>`, before, now];
    },
  });
  const scaled = sayScaled(judging, noun);
  return paragraphs([list, scaled && `<sub>${scaled}</sub>`]);
}

/** A smaller scaling changes no number that people would notice. */
const minScaling = 0.05;

/** `Earlier numbers are scaled to this week’s traffic (×1.07 to ×1.4).` */
function sayScaled({ weeks }: Judging, noun: string) {
  const scales = weeks.slice(0, -1).map(({ level }) => level);
  if (scales.every((scale) => Math.abs(scale - 1) < minScaling)) return '';
  const ends = [Math.min(...scales), Math.max(...scales)].map(formatScale);
  const factors = [...new Set(ends)].join(' to ');
  return `Earlier numbers are scaled to this ${noun}’s traffic (${factors}).`;
}

function formatScale(scale: number) {
  return `×${scale.toLocaleString('en-US', { maximumFractionDigits: 2 })}`;
}

/** The pages whose people changed most: a fact, so without ▲ and ▼. */
export function changesBlock({ now, findings, docsUrl }: JudgedSite): string {
  const { changes = [] } = findings;
  return listBlock(changes, changes.length, {
    lead: `**Biggest changes** from ${now.window.previousName}:`,
    ...peopleColumns('Page', changes, ({ path }) => pathHtml(path, docsUrl)),
  });
}

/** The people of pages or sections, and how many more they are, if that is known of any. */
function peopleColumns<T extends PageChange>(
  title: string,
  rows: readonly T[],
  shown: (row: T) => string,
) {
  const columns = rows.some(({ change }) => change !== undefined) ? 3 : 2;
  return {
    head: [title, 'People', 'Change'].slice(0, columns),
    cells: (row: T) =>
      [shown(row), formatCount(row.human), formatDifference(row.change)].slice(0, columns),
  };
}

/** `New: `/a` (32 people). No longer visited: `/b` (31 people the week before). Is it a 404? …` */
export function describeComings(site: JudgedSite, shown = asHtml): string {
  const { appeared = [], gone = [], moved } = site.findings;
  const name = (title: string, pages: readonly PagePeople[], whens: readonly string[] = []) => {
    const names = pages.map(({ path, human }, index) => {
      const isSaid = index > 0 && whens[index] === whens[index - 1];
      const count = isSaid ? formatCount(human) : joinTexts([countPeople(human), whens[index]]);
      return `${shown.path(path, site.docsUrl)} (${count})`;
    });
    return names.length > 0 && `${title}: ${firstFew(names, maxNamed).join(', ')}.`;
  };
  const whens = gone.map(({ lastWindow }) => sayWhen(site.now.window, lastWindow));
  return joinTexts([
    name('New', appeared),
    name('No longer visited', gone, whens),
    gone.length > 0 && verbFor(gone.length, 'Is it a 404?', 'Are they 404s?'),
    sayMoved(moved, shown),
  ]);
}

/** `10 pages moved to `/new`.` */
function sayMoved(moved: readonly MovedPage[], shown: typeof asHtml) {
  const [first] = moved;
  if (first === undefined) return '';
  if (moved.length === 1) return `${shown.path(first.from)} moved to ${shown.path(first.path)}.`;
  const folders = [...Map.groupBy(moved, ({ path }) => folderOf(path))];
  const names = folders.slice(0, maxNamed).map(([folder, pages]) => {
    if (folders.length === 1) return shown.path(folder);
    return `${shown.path(folder)} (${formatCount(pages.length)})`;
  });
  const others = folders.length - names.length;
  if (others > 0) names.push(pluralize(others, 'other folder'));
  return `${pluralize(moved.length, 'page')} moved to ${joinWithAnd(names)}.`;
}

/** The folder of a page. */
function folderOf(path: Scrubbed): Scrubbed {
  return changeScrubbed(path, () => path.replace(/\/[^/]*$/, '') || '/');
}

/** The most-read pages in the open, if no page is judged because there are too few people or weeks. */
export function mostReadBlock(site: JudgedSite): string {
  if (!isMostReadOpen(site)) return '';
  const { top = [] } = site.findings;
  return listBlock(top.slice(0, maxOpen), maxOpen, {
    lead: '**Most-read pages:**',
    ...peopleColumns('Page', top, ({ path }) => pathHtml(path, site.docsUrl)),
  });
}

function isMostReadOpen({ findings }: JudgedSite) {
  const cause = findings.whyNotJudged?.cause;
  return cause === 'few-people' || cause === 'few-weeks';
}

/** A site's sections, collapsed, at most so many. */
export function sectionsFold({ findings }: JudgedSite, max: number): string {
  const { sections = [] } = findings;
  return listBlock(sections, max, {
    title: 'Sections',
    lead:
      'The people of a section’s pages, added up. Someone who reads several pages is counted' +
      ' once for each, so a section had **at most** that many.',
    ...peopleColumns('Section', sections, (section) => nameOf(section)),
  });
}

/** The most-read pages, collapsed, at most so many. */
export function topFold(site: JudgedSite, max: number, othersAre: string | undefined): string {
  const { now, findings, docsUrl } = site;
  const { top = [] } = findings;
  if (isMostReadOpen(site) && top.length <= maxOpen) return '';
  // If the window is incomplete, the number of pages is unknown, so none are counted as unlisted.
  const pages = now.cut ? top.slice(0, max) : top;
  const min = [...now.rows.values()].at(-1)?.total ?? 0;
  const why =
    'Not all pages were read. The service sends the most visited first, so no page that wasn’t read had' +
    ` more than ${countPeople(min)}.`;
  // A column for AI wouldn’t fit on a phone.
  const nameWithShare = ({ path, row }: TopPage) =>
    `${pathHtml(path, docsUrl)}<br><sub>${formatShare(aiShare(row))} AI</sub>`;
  return listBlock(pages, max, {
    title: 'Top pages',
    lead: now.cut && why,
    ...peopleColumns('Page', top, nameWithShare),
    othersAre,
  });
}

/** People, AI, and all, with their changes, and what else is known about people; collapsed. */
export function totalsFold(site: JudgedSite): string {
  const { now, before } = site;
  const { totals } = now;
  const rowOf = (name: string, kind: keyof VisitorsTotals, shown = formatCount(totals[kind])) => {
    return [name, shown, formatCountChange(before?.totals[kind], totals[kind])];
  };
  const share = aiShare(totals);
  const points = formatPoints(share, before && aiShare(before.totals));
  const rows = [
    rowOf('**People**', 'human', peopleCell(site)),
    rowOf('AI', 'ai'),
    ['AI share', formatPercent(share), points],
    rowOf('All', 'total'),
  ];
  // Without visitors before, there are no changes.
  const columns = before && !isSilent(before) ? 3 : 2;
  const head = ['', now.window.shortLabel, 'Change'].slice(0, columns);
  const cells = rows.map((row) => row.slice(0, columns));
  const notes = joinTexts([
    describeOverlap(totals),
    isFourWeeksInVerdict(site) && sayFourWeeks(site),
    sayLastYear(site),
  ]);
  return fold('People, AI, and all', paragraphs([table(head, cells, 1), notes]));
}

/** `**▲ 3,337**<br><sub>usual 2,364–2,788</sub>`. */
function peopleCell(site: JudgedSite) {
  const people = markPeople(site);
  const range = site.findings.usual.human;
  if (range === undefined) return people;
  const usual = range.side === 'varies' ? 'varies too much to tell' : `usual ${formatRange(range)}`;
  return `${people}<br><sub>${usual}</sub>`;
}

/** That some count as both. If the counts contradict each other, they say nothing about this. */
function describeOverlap(totals: VisitorsTotals) {
  const { human, ai, total } = totals;
  if (!human || !ai || !total) return '';
  const both = human + ai - total;
  if (both <= 0 || human > total || ai > total) return '';
  const count = `${pluralize(both, 'visitor')} ${verbFor(both, 'counts', 'count')} as both`;
  return `${count}, so people and AI add up to more than all.`;
}

/** `People: 21% more than in the same week last year.` AI isn’t compared: it was counted differently. */
function sayLastYear({ now, lastYear }: JudgedSite) {
  const size = describeSize(lastYear?.totals.human, now.totals.human);
  return size && `People: ${size} than in the same ${now.window.noun} last year.`;
}
