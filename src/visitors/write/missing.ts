import type { Project } from '../../core/projects.ts';
import { counted } from '../../text/counts.ts';
import { joined } from '../../text/markdown.ts';
import { cutsIn, isComplete, isRead, type Report, type ReportSettings, type Site } from '../judge/report.ts';
import { maxAdvised } from '../read/read-sites.ts';
import { type Cut, lackOf } from '../read/window-read.ts';
import { nameHtml } from './shown.ts';

/** The maximum number of causes to list with a remedy. The projects' sections list all of their own. */
const maxCauses = 5;

const maxNames = 5;

const list = new Intl.ListFormat('en');

/** Says what the report, or one site's part of it, lacks and what to do about it, one line each; empty if it is complete. */
export function whatIsMissing({ sites, settings }: Pick<Report, 'sites' | 'settings'>, shown = nameHtml) {
  const lacking = sites.filter((site) => !isComplete(site));
  const [first] = lacking;
  if (first === undefined) return [];
  const causes = new Set(lacking.flatMap(cutsIn).map((cut) => remedyFor(cut, settings)));
  const remedies = [...causes].slice(0, maxCauses);
  if (sites.length === 1) return [joined([whatLacks(first), ...remedies])];
  const verb = lacking.length === 1 ? 'project is' : 'projects are';
  return [`**${lacking.length} ${verb} incomplete:** ${namesOf(lacking, shown)}.`, ...remedies];
}

/** The names of at most five projects, and how many more there are. */
export function namesOf(sites: readonly { readonly project: Project }[], shown = nameHtml): string {
  const named = sites.slice(0, maxNames).map(({ project }) => shown(project.name));
  const unnamed = sites.length - named.length;
  return list.format(unnamed === 0 ? named : [...named, `${unnamed} more`]);
}

function whatLacks(site: Site): string {
  if (!isRead(site)) return '**This project could not be read.**';
  const { now, before, findings } = site;
  if (now.cut) {
    const lists = findings.maxVisited
      ? `**The page lists are incomplete:** only ${counted(now.rows.size, 'page')} were read.`
      : '**The page lists are missing.**';
    return joined([lists, lackOf({ ...now, cut: undefined }) === undefined && 'The totals are complete.']);
  }
  if (lackOf(now)) return '**A total is missing.** The page lists are complete.';
  const isComparable = before === undefined || lackOf(before) === undefined;
  if (!isComparable) return `**The comparison with ${now.window.previousName} is incomplete.**`;
  return '**There is no usual range.**';
}

/** Why a window is incomplete, and what to do about it, in our own words. */
export function remedyFor(cut: Cut, { maxRequests, enough }: ReportSettings): string {
  if (cut.kind === 'changed')
    return 'The list of pages changed while it was being read, so some may be missing. Re-run the workflow later.';
  if (cut.kind === 'service') return `${cut.what}. ${cut.hint || 'The log has the service’s error message.'}`;
  if (enough.requests <= maxAdvised)
    return `Raise \`max-requests\` to ${enough.isLeast ? 'at least ' : ''}${enough.requests} (currently ${maxRequests}).`;
  const raise = maxRequests < maxAdvised ? `Raise \`max-requests\` to ${maxAdvised}, and use` : 'Use';
  return `That takes more than ${maxAdvised} requests. ${raise} \`history-file\`: later runs read the rest.`;
}
