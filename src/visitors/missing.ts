import type { Project } from '../core/inputs/projects.ts';
import { type Cut, cutOf, remedyFor } from '../report/cut.ts';
import { plural } from '../report/numbers.ts';
import { nameCode } from '../report/shown.ts';
import { cutsOf, totalOf } from '../report/window-read.ts';
import { firstFew } from '../text/first-few.ts';
import { capitalized } from './headline.ts';
import { isComplete, isRead, type ReadSite, type Report, type Site } from './report.ts';

/** Causes that are given with what to do; the sections have all of them. */
const mostCauses = 5;

/** Names in a sentence; others are counted. */
const mostNames = 5;

const list = new Intl.ListFormat('en');

/** What the report lacks, and what to do about it, a line each; none if it is complete. */
export function whatIsMissing({ sites, window, settings }: Report): string[] {
  if (sites.every(isComplete)) return [];
  const [only, ...others] = sites;
  if (only !== undefined && others.length === 0 && isRead(only)) {
    return whatSiteLacks(only, settings.maxRequests);
  }
  const readSites = sites.filter(isRead);
  const lacks = [
    { what: 'nothing could be read of', of: sites.filter((site) => !isRead(site)) },
    {
      what: `nothing of ${window.previousName} was read of`,
      of: readSites.filter(({ windows }) => windows.whyNoBefore !== undefined),
    },
    {
      what: `not all pages of ${window.name} were read of`,
      of: readSites.filter(({ windows }) => windows.now.cut !== undefined),
    },
    {
      what: `not all pages of ${window.previousName} were read of`,
      of: readSites.filter(({ windows }) => windows.before?.cut !== undefined),
    },
  ].filter(({ of }) => of.length > 0);
  const said = lacks.map(({ what, of }) => `${what} ${namesCode(of.map(({ project }) => project))}`);
  return [
    `Incomplete: ${said.join('; ')}. The sections of these projects say more.`,
    ...firstFew(namedRemedies(sites, settings.maxRequests), mostCauses),
  ];
}

/** What the report of a site that was read lacks, and what to do about it. */
export function whatSiteLacks(site: ReadSite, maxRequests: number): string[] {
  if (isComplete(site)) return [];
  const remedies = cutsOf(site.windows).map((cut) => remedyFor(cut, maxRequests));
  const whatIsThere = areTotalsCounted(site) ? 'totals are complete; ' : '';
  const sentence = capitalized(`${whatIsThere}${whatIsLeftOut(site)} are left out.`);
  return [`Incomplete: ${whatWasRead(site)} ${sentence}`, ...new Set(remedies)];
}

/** `A`, `B` and `C`, each as code; of more than five, how many more there are. */
export function namesCode(projects: readonly Project[]): string {
  const named = projects.slice(0, mostNames).map(({ name }) => nameCode(name));
  const left = projects.length - named.length;
  return list.format(left === 0 ? named : [...named, `${left} more`]);
}

function whatWasRead({ windows: { now, before, whyNoBefore } }: ReadSite): string {
  const { name, previousName } = now.window;
  const parts = [
    ...(now.cut === undefined ? [] : [{ count: now.rows.size, of: name }]),
    ...(before?.cut === undefined ? [] : [{ count: before.rows.size, of: previousName }]),
    ...(whyNoBefore === undefined ? [] : [{ count: 0, of: previousName }]),
  ];
  const said = parts.map(({ count, of }) => `${count === 0 ? 'nothing' : plural(count, 'page')} of ${of}`);
  const [first] = parts;
  const isSingular = parts.length === 1 && first !== undefined && first.count <= 1;
  return `${first?.count === 0 ? '' : 'only '}${list.format(said)} ${isSingular ? 'was' : 'were'} read.`;
}

/** The totals come with the first page of rows: only the service itself can leave some out. */
function areTotalsCounted({ windows: { now, before } }: ReadSite): boolean {
  const reads = before === undefined ? [now] : [now, before];
  const kinds = ['total', 'human', 'ai'] as const;
  return reads.every((read) => kinds.every((kind) => totalOf(read, kind) !== undefined));
}

function whatIsLeftOut({ windows: { now, before, whyNoBefore }, findings }: ReadSite): string {
  return list.format([
    ...(now.cut !== undefined && findings.mostVisited === undefined ? ['top pages'] : []),
    ...(now.cut === undefined ? [] : ['sections', 'pages read mostly by AI']),
    ...(now.cut === undefined && before?.cut !== undefined ? ['changes of sections'] : []),
    ...(before === undefined ? [] : ['new and vanished pages']),
    ...(whyNoBefore === undefined ? [] : ['all comparisons']),
  ]);
}

/** Why sites are not whole and what to do about it, each cause once, with the projects that it is about. */
function namedRemedies(sites: readonly Site[], maxRequests: number): string[] {
  const causes = sites.flatMap((site) =>
    causesOf(site).map((cause) => ({ ...site, cause, remedy: remedyFor(cause, maxRequests) })),
  );
  return Array.from(
    Map.groupBy(causes, ({ remedy }) => remedy),
    ([remedy, alike]) => {
      // All share one budget.
      const whose = alike.filter(({ cause }) => cause.kind !== 'budget').map(({ project }) => project);
      return whose.length === 0 ? remedy : `${namesCode([...new Set(whose)])}: ${remedy}`;
    },
  );
}

function causesOf(site: Site): Cut[] {
  return isRead(site) ? cutsOf(site.windows) : [cutOf(site.failure)];
}
