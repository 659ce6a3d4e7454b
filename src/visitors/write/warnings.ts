import type { Project } from '../../core/projects.ts';
import { counted, firstFew, formatCount } from '../../text/counts.ts';
import { joined } from '../../text/markdown.ts';
import type { AlertResult } from '../judge/alerts.ts';
import { formatChange, formatPercent } from '../judge/numbers.ts';
import { cutsIn, isComplete, isRead, type Report, type Site } from '../judge/report.ts';
import { maxAdvised } from '../read/read-sites.ts';
import { type Cut, lackOf } from '../read/window-read.ts';
import { shareRange, usualRange } from './sentences.ts';
import { fold, nameHtml, shownCode } from './shown.ts';

/* What needs attention: alerts that fired or couldn't be checked, and what is missing. */

/** The maximum number of fired rules to list, and of unchecked ones. The others are only counted. */
const maxListed = 10;

type Fired = Extract<AlertResult, { state: 'fired' }>;

/** The rules that fired; of several sites, each with its project’s name. */
export function firedRules(
  sites: readonly Site[],
  shownName: (name: string) => string = String,
  shownAlert: (alert: Fired) => string = ({ rule }) => rule.text,
): string[] {
  return sites.flatMap(({ project, alerts }) => {
    const whose = sites.length === 1 ? '' : `${shownName(project.name)}: `;
    return alerts.filter(hasFired).map((alert) => `${whose}${shownAlert(alert)}`);
  });
}

/** Which of several sites had no visitors, and which rules fired: `Alerts: `total < -30%` (−45%), `ai-share > 20%` (38%).` */
export function alarmLines(sites: readonly Site[]): string[] {
  const silent = sites.filter((site) => isRead(site) && site.findings.lastBusy !== undefined);
  const fired = firedRules(
    sites,
    nameHtml,
    (alert) => `${shownCode(alert.rule.text)} (${comparedIn(alert)})`,
  );
  const isNamed = silent.length > 0 && sites.length > 1;
  return [
    ...(isNamed ? [`**No visitors were recorded** for ${namesOf(silent)}.`] : []),
    ...(fired.length > 0 ? [`Alerts: ${firstFew(fired, maxListed).join(', ')}.`] : []),
  ];
}

/** What made a rule fire: `5,049; usual 3,512–4,128`, `+33% from the week before, 3,800 → 5,049`, or `64%`. */
function whyFired(alert: Fired, previousName: string) {
  const { rule, now, usual, change } = alert;
  const range = usual && (rule.figure === 'ai-share' ? shareRange : usualRange)(usual);
  if (range) return `${comparedIn(alert)}; usual ${range.replaceAll('\u2060', '')}`;
  if (change === undefined) return comparedIn(alert);
  return `${comparedIn(alert)} from ${previousName}, ${formatCount(change.whole)} → ${formatCount(now.part)}`;
}

/** What a rule compared: a change, a share, or a count. */
function comparedIn({ rule, now, change }: Fired): string {
  if (change !== undefined) return formatChange(change);
  return rule.figure === 'ai-share' ? formatPercent(now) : formatCount(now.part);
}

export function uncheckedBlock({ alerts }: Site): string {
  const notes = alerts.flatMap((alert) =>
    alert.state === 'unchecked' ? `${shownCode(alert.rule.text)}: ${alert.why}.` : [],
  );
  const title = `Alert rules not checked (${formatCount(notes.length)})`;
  return notes.length === 0 ? '' : fold(title, `- ${firstFew(notes, maxListed).join('\n- ')}`);
}

/** `2 alert rules could not be checked`, and for which of several sites; `''` if all were checked. */
export function uncheckedVerdict(sites: readonly Site[], shown = nameHtml): string {
  const uncheckedOf = ({ alerts }: Site) => alerts.filter(({ state }) => state === 'unchecked');
  const lacking = sites.filter((site) => uncheckedOf(site).length > 0);
  const rules = new Set(lacking.flatMap(uncheckedOf).map(({ rule }) => rule));
  const whose = sites.length === 1 ? '' : ` for ${namesOf(lacking, shown)}`;
  return rules.size === 0
    ? ''
    : `${counted(rules.size, 'alert rule')} could not be checked${whose}.`;
}

/** The result of each rule, for the output `result` and the JSON file. */
export function alertResults(alerts: readonly AlertResult[], window: Report['window']) {
  return alerts.map((alert) => {
    const { rule, state } = alert;
    if (state === 'quiet') return { rule: rule.text, state };
    const why = state === 'fired' ? whyFired(alert, window.previousName) : alert.why;
    return { rule: rule.text, state, why };
  });
}

export const hasFired = (alert: AlertResult): alert is Fired => alert.state === 'fired';

/** The maximum number of projects, and of causes with a remedy. The projects' sections list all of their own. */
const maxCauses = 5;

/** Says what the report, or one site's part of it, lacks and what to do about it, one line each; empty if it is complete. */
export function whatIsMissing(
  { sites, settings }: Pick<Report, 'sites' | 'settings'>,
  shown = nameHtml,
) {
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
  const named = sites.slice(0, maxCauses).map(({ project }) => shown(project.name));
  const unnamed = sites.length - named.length;
  return new Intl.ListFormat('en').format(unnamed === 0 ? named : [...named, `${unnamed} more`]);
}

function whatLacks(site: Site): string {
  if (!isRead(site)) return '**This project could not be read.**';
  const { now, before, findings } = site;
  if (now.cut) {
    const lists = findings.maxVisited
      ? `**The page lists are incomplete:** only ${counted(now.rows.size, 'page')} were read.`
      : '**The page lists are missing.**';
    return joined([
      lists,
      lackOf({ ...now, cut: undefined }) === undefined && 'The totals are complete.',
    ]);
  }
  if (lackOf(now)) return '**A total is missing.** The page lists are complete.';
  const isComparable = before === undefined || lackOf(before) === undefined;
  if (!isComparable) return `**The comparison with ${now.window.previousName} is incomplete.**`;
  return '**There is no usual range.**';
}

/** Why a window is incomplete, and what to do about it, in our own words. */
export function remedyFor(
  cut: Cut,
  { maxRequests, enough, historyFile }: Report['settings'],
): string {
  if (cut.kind === 'changed')
    return 'The list of pages changed while it was being read, so some may be missing. Re-run the workflow later.';
  if (cut.kind === 'service')
    return `${cut.what}. ${cut.hint || 'The log has the service’s error message.'}`;
  if (enough.requests <= maxAdvised)
    return `Raise \`max-requests\` to ${enough.isLeast ? 'at least ' : ''}${enough.requests} (currently ${maxRequests}).`;
  const raise = maxRequests < maxAdvised && `Raise \`max-requests\` to ${maxAdvised}.`;
  const keep = historyFile === undefined && 'Use `history-file`.';
  const takes = `Reading every list takes more than ${maxAdvised} requests, about what the service allows in an hour.`;
  return joined([takes, raise, keep, 'Later runs read the rest.']);
}
