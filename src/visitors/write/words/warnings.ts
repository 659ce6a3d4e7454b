import { firstFew, formatCount, pluralize } from '../../../text/counts.ts';
import { joinTexts } from '../../../text/markdown.ts';
import type { AlertResult } from '../../judge/alerts/alerts.ts';
import {
  isComplete,
  isRead,
  type JudgedSite,
  listCuts,
  type Report,
  type Site,
} from '../../judge/report.ts';
import { maxAdvised } from '../../read/read-sites.ts';
import { type Cut, lackOf } from '../../read/window-read.ts';
import { shareRange, usualRange, verbFor } from './figures.ts';
import { formatChange, formatPercent } from './percent.ts';
import { nameHtml, namesOf, shownCode } from './shown.ts';
import { describeUnchecked } from './why-unknown.ts';

/* What needs attention: alerts that fired or couldn't be checked, and what is missing. */

/** The maximum number of fired or unchecked rules to list. The others are only counted. */
export const maxRules = 10;

/** The maximum number of causes with a remedy. The projects' sections list all of their own. */
const maxCauses = 5;

type Fired = Extract<AlertResult, { state: 'fired' }>;

const isOfShare = ({ rule }: Fired) => rule.figure === 'ai-share';
export const hasFired = (alert: AlertResult): alert is Fired => alert.state === 'fired';

/** The rules that fired; of several sites, each with its project’s name. */
export function firedRules(
  sites: readonly Site[],
  shownName: (name: string) => string = String,
  shownAlert: (alert: Fired) => string = ({ rule }) => rule.text,
): string[] {
  return sites.flatMap(({ project, alerts }) => {
    const prefix = sites.length === 1 ? '' : `${shownName(project.name)}: `;
    return alerts.filter(hasFired).map((alert) => `${prefix}${shownAlert(alert)}`);
  });
}

/**
 * Which of several sites had no visitors, and which rules fired:
 * `Alerts: `total < -30%` (−45%), `ai-share > 20%` (38%).`
 */
export function alarmLines(sites: readonly Site[]): string[] {
  const lines: string[] = [];
  const silent = sites.filter((site) => isRead(site) && site.findings.lastBusy !== undefined);
  if (silent.length > 0 && sites.length > 1)
    lines.push(`**No visitors were recorded** for ${namesOf(silent)}.`);
  const shownAlert = (alert: Fired) => `${shownCode(alert.rule.text)} (${figureOf(alert)})`;
  const fired = firedRules(sites, nameHtml, shownAlert);
  if (fired.length > 0) lines.push(`Alerts: ${firstFew(fired, maxRules).join(', ')}.`);
  return lines;
}

/**
 * What made a rule fire: `5,049; usual 3,512–4,128`, `+33% from the week before, 3,800 → 5,049`, or
 * `64%`.
 */
function whyFired(alert: Fired, previousName: string) {
  const { usual, change } = alert;
  const figure = figureOf(alert);
  if (usual) {
    const range = isOfShare(alert) ? shareRange(usual) : usualRange(usual);
    return `${figure}; usual ${range.replaceAll('\u2060', '')}`;
  }
  if (!change) return figure;
  const counts = `${formatCount(change.whole)} → ${formatCount(alert.now.part)}`;
  return `${figure} from ${previousName}, ${counts}`;
}

/** What a rule compared: a change, a share, or a count. */
function figureOf(alert: Fired) {
  const { now, change } = alert;
  if (change) return formatChange(change);
  return isOfShare(alert) ? formatPercent(now) : formatCount(now.part);
}

/** The result of each rule, for the output `result` and the JSON file. */
export function alertResults(alerts: readonly AlertResult[], window: Report['window']) {
  return alerts.map((alert) => {
    const { rule, state } = alert;
    if (state === 'quiet') return { rule: rule.text, state };
    const why =
      state === 'fired' ? whyFired(alert, window.previousName) : describeUnchecked(alert.why);
    return { rule: rule.text, state, why };
  });
}

/**
 * `2 alert rules could not be checked`, and for which of several sites; `''` if all were checked.
 */
export function uncheckedVerdict(sites: readonly Site[], shown = nameHtml): string {
  const affected = new Set<Site>();
  const rules = new Set<AlertResult['rule']>();
  for (const site of sites) {
    for (const { rule, state } of site.alerts) {
      if (state !== 'unchecked') continue;
      affected.add(site);
      rules.add(rule);
    }
  }
  if (rules.size === 0) return '';
  const projects = sites.length === 1 ? '' : ` for ${namesOf([...affected], shown)}`;
  return `${pluralize(rules.size, 'alert rule')} could not be checked${projects}.`;
}

/**
 * Says what the report, or one site's part of it, lacks and what to do about it, one line each;
 * empty if it is complete.
 */
export function whatIsMissing(report: Pick<Report, 'sites' | 'settings'>, shown = nameHtml) {
  const incomplete = report.sites.filter((site) => !isComplete(site));
  const [first] = incomplete;
  if (!first) return [];
  const cuts = incomplete.flatMap(listCuts);
  const causes = new Set(cuts.map((cut) => remedyFor(cut, report.settings)));
  const remedies = [...causes].slice(0, maxCauses);
  if (report.sites.length === 1) return [joinTexts([lackIn(first), ...remedies])];
  const verb = verbFor(incomplete.length, 'project is', 'projects are');
  const names = namesOf(incomplete, shown);
  return [`**${incomplete.length} ${verb} incomplete:** ${names}.`, ...remedies];
}

function lackIn(site: Site) {
  if (!isRead(site)) return '**This project could not be read.**';
  const { now, before } = site;
  if (now.cut) {
    const lacksTotals = lackOf({ ...now, cut: undefined });
    return joinTexts([lackOfPages(site), !lacksTotals && 'The totals are complete.']);
  }
  if (lackOf(now)) return '**A total is missing.** The page lists are complete.';
  if (before && lackOf(before))
    return `**The comparison with ${now.window.previousName} is incomplete.**`;
  return '**There is no usual range.**';
}

function lackOfPages({ now, findings }: JudgedSite): string {
  if (!findings.maxVisited) return '**The page lists are missing.**';
  return `**The page lists are incomplete:** only ${pluralize(now.rows.size, 'page')} were read.`;
}

/** Why a window is incomplete, and what to do about it, in our own words. */
export function remedyFor(cut: Cut, settings: Report['settings']): string {
  switch (cut.kind) {
    case 'changed':
      return joinTexts([
        'The list of pages changed while it was being read, so some may be missing.',
        'Re-run the workflow later.',
      ]);
    case 'service':
      return `${cut.what}. ${cut.hint || 'The log has the service’s error message.'}`;
    case 'budget':
      return remedyForBudget(settings);
  }
}

function remedyForBudget(settings: Report['settings']) {
  const { maxRequests, enough } = settings;
  if (enough.requests <= maxAdvised) {
    const atLeast = enough.isLeast ? 'at least ' : '';
    return `Raise \`max-requests\` to ${atLeast}${enough.requests} (currently ${maxRequests}).`;
  }
  return joinTexts([
    `Reading every list takes more than ${maxAdvised} requests,`,
    'about what the service allows in an hour.',
    maxRequests < maxAdvised && `Raise \`max-requests\` to ${maxAdvised}.`,
    settings.historyFile === undefined && 'Use `history-file`.',
    'Later runs read the rest.',
  ]);
}
