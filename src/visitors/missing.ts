import type { Project } from '../core/inputs/projects.ts';
import { plural } from '../report/numbers.ts';
import { nameCode } from '../report/shown.ts';
import { cutOf, cutsOf, remedyFor, totalOf } from '../report/window-read.ts';
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
  const { name, previousName } = window;
  const lacksOf = (what: string, isLacking: (site: ReadSite) => boolean) => ({
    what,
    of: sites.filter((site) => isRead(site) && isLacking(site)),
  });
  const said = [
    { what: 'nothing could be read of', of: sites.filter((site) => !isRead(site)) },
    lacksOf(`nothing of ${previousName} was read of`, ({ windows }) => windows.whyNoBefore !== undefined),
    lacksOf(`not all pages of ${name} were read of`, ({ windows }) => windows.now.cut !== undefined),
    lacksOf(
      `not all pages of ${previousName} were read of`,
      ({ windows }) => windows.before?.cut !== undefined,
    ),
  ].flatMap(({ what, of }) => (of.length === 0 ? [] : [`${what} ${namesCode(of)}`]));
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
export function namesCode(sites: readonly { readonly project: Project }[]): string {
  const named = sites.slice(0, mostNames).map(({ project }) => nameCode(project.name));
  const left = sites.length - named.length;
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
  const causes = sites.flatMap((site) => {
    const cuts = isRead(site) ? cutsOf(site.windows) : [cutOf(site.failure)];
    return cuts.map((cut) => ({ site, cut, remedy: remedyFor(cut, maxRequests) }));
  });
  const byRemedy = Map.groupBy(causes, ({ remedy }) => remedy);
  return Array.from(byRemedy, ([remedy, alike]) => {
    // All share one budget.
    const whose = alike.filter(({ cut }) => cut.kind !== 'budget').map(({ site }) => site);
    return whose.length === 0 ? remedy : `${namesCode([...new Set(whose)])}: ${remedy}`;
  });
}
