import type { Project } from '../core/inputs/projects.ts';
import { plural } from '../report/numbers.ts';
import { nameCode } from '../report/shown.ts';
import { type Cut, kindsOfTotals } from '../report/window-read.ts';
import { cutsIn, isComplete, isRead, type ReadSite, type Report, type Site } from './report.ts';

/** The maximum number of causes to list with a remedy. The projects' sections list all of them. */
const mostCauses = 5;

const mostNames = 5;

const list = new Intl.ListFormat('en');

/** Says what the report lacks and what to do about it, one line each; empty for a complete report. */
export function whatIsMissing({ sites, settings: { maxRequests } }: Report): string[] {
  const lacking = sites.filter((site) => !isComplete(site));
  const [only] = lacking;
  if (only === undefined) return [];
  if (sites.length === 1) return whatSiteLacks(only, maxRequests);
  const [partly, unread] = [lacking.filter(isRead), lacking.filter((site) => !isRead(site))];
  const said = [
    ...(unread.length === 0 ? [] : [`${namesCode(unread)} could not be read`]),
    ...(partly.length === 0 ? [] : [`${namesCode(partly)} could only be read in part`]),
  ];
  const remedies = lacking.flatMap(cutsIn).map((cut) => remedyFor(cut, maxRequests));
  return [`Incomplete: ${said.join('; ')}.`, ...[...new Set(remedies)].slice(0, mostCauses)];
}

/** Says what a site's part of the report lacks and what to do about it. */
export function whatSiteLacks(site: Site, maxRequests: number): string[] {
  if (isComplete(site)) return [];
  const what = isRead(site) ? whatWasRead(site) : 'This project could not be read.';
  return [what, ...new Set(cutsIn(site).map((cut) => remedyFor(cut, maxRequests)))];
}

/** `A`, `B`, and `C`, each as code; after five, how many more there are. */
export function namesCode(sites: readonly { readonly project: Project }[]): string {
  const named = sites.slice(0, mostNames).map(({ project }) => nameCode(project.name));
  const left = sites.length - named.length;
  return list.format(left === 0 ? named : [...named, `${left} more`]);
}

function whatWasRead({ windows, findings }: ReadSite): string {
  const { now, before, whyNoBefore } = windows;
  const { name, previousName } = now.window;
  const ofBefore = `of ${previousName}`;
  const read = [
    ...(now.cut === undefined ? [] : [`${plural(now.rows.size, 'page')} of ${name}`]),
    ...(before?.cut === undefined ? [] : [`${plural(before.rows.size, 'page')} ${ofBefore}`]),
    ...(whyNoBefore === undefined ? [] : [`nothing ${ofBefore}`]),
  ];
  const left = [
    ...(findings.mostVisited === undefined ? ['top pages'] : []),
    ...(now.cut === undefined ? [] : ['sections', 'pages read mostly by AI']),
    ...(before === undefined ? ['all comparisons'] : findings.appeared ? [] : ['new pages']),
  ];
  if (read.length === 0) return 'Incomplete: all pages were read, but a total is missing.';
  const totals = [now, ...(before ? [before] : [])].map((one) => one.totals);
  const isCounted = totals.every((counts) => kindsOfTotals.every((kind) => counts[kind] !== undefined));
  const rest = `${isCounted ? 'totals are complete; ' : ''}${list.format(left)} are left out.`;
  return `Incomplete: ${list.format(read)} could be read. ${capitalized(rest)}`;
}

/** Why a window is incomplete, and what to do about it, in our own words. */
function remedyFor(cut: Cut, maxRequests: number): string {
  switch (cut.kind) {
    case 'budget':
      return `Raise \`max-requests\` (currently ${maxRequests}).`;
    case 'changed':
      return 'The list of pages changed while it was being read, so some may be missing. Run it again later.';
    case 'service':
      return `The service’s response couldn’t be used (\`${cut.reason}\`). ${cut.hint ?? 'The log has the service’s error message.'}`;
  }
}

export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
