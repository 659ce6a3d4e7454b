import { firstFew, formatCount, pluralize } from '../../../text/counts.ts';
import { joinTexts } from '../../../text/markdown.ts';
import type { Scrubbed } from '../../../text/scrub.ts';
import type { AlertResult, WhyUnchecked } from '../../judge/alerts/alerts.ts';
import type { TooFew } from '../../judge/people.ts';
import {
  isComplete,
  isRead,
  type JudgedSite,
  listCuts,
  type ReportSettings,
  type Site,
} from '../../judge/report.ts';
import { lacksLists, type NotJudged } from '../../judge/standouts.ts';
import { maxAdvised } from '../../read/read-sites.ts';
import type { Window } from '../../read/window.ts';
import { type Cut, lackOf, minWeeks } from '../../read/window-read.ts';
import { formatChange, formatPercent, formatRange, verbFor } from './figures.ts';
import { asHtml, namesOf, shownCode } from './shown.ts';

/* What needs attention: alerts that fired, and what is missing or unknown, and why. */

/** The maximum number of fired or unchecked rules to list. The others are only counted. */
export const maxRules = 10;

/** The maximum number of remedies. The projects' sections list all of their own. */
const maxRemedies = 5;

type Fired = Extract<AlertResult, { state: 'fired' }>;

export const hasFired = (alert: AlertResult): alert is Fired => alert.state === 'fired';

/** The rules that fired; of several sites, each with its project’s name. */
export function firedRules(
  sites: readonly Site[],
  shownName: (name: Scrubbed) => string = String,
  shownAlert: (alert: Fired) => string = ({ rule }) => rule.text,
): string[] {
  return sites.flatMap(({ project, alerts }) => {
    const rules = alerts.filter(hasFired).map(shownAlert);
    if (sites.length === 1) return rules;
    return rules.map((rule) => `${shownName(project.name)}: ${rule}`);
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
  const fired = firedRules(sites, asHtml.name, shownAlert);
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
  if (usual) return `${figure}; usual ${formatRange(usual).replaceAll('\u2060', '')}`;
  if (!change) return figure;
  const counts = `${formatCount(change.whole)} → ${formatCount(alert.now.part)}`;
  return `${figure} from ${previousName}, ${counts}`;
}

/** What a rule compared: a change, a share, or a count. */
function figureOf(alert: Fired) {
  const { now, change } = alert;
  if (change) return formatChange(change);
  if (alert.rule.figure === 'ai-share') return formatPercent(now);
  return formatCount(now.part);
}

/** The result of each rule, for the output `result` and the JSON file. */
export function alertResults(alerts: readonly AlertResult[], window: Window) {
  return alerts.map((alert) => {
    const { state } = alert;
    const rule = alert.rule.text;
    if (state === 'fired') return { rule, state, why: whyFired(alert, window.previousName) };
    if (state === 'unchecked') return { rule, state, why: describeUnchecked(alert.why) };
    return { rule, state };
  });
}

/** The alerts that could not be checked. */
export function listUnchecked({ alerts }: Site) {
  return alerts.filter((alert) => alert.state === 'unchecked');
}

/**
 * `2 alert rules could not be checked`, and for which of several sites; `''` if all were checked.
 */
export function uncheckedVerdict(sites: readonly Site[], shown = asHtml): string {
  const affected = sites.filter((site) => listUnchecked(site).length > 0);
  if (affected.length === 0) return '';
  const rules = new Set(affected.flatMap(listUnchecked).map(({ rule }) => rule));
  const verdict = `${pluralize(rules.size, 'alert rule')} could not be checked`;
  if (sites.length === 1) return `${verdict}.`;
  return `${verdict} for ${namesOf(affected, shown)}.`;
}

/**
 * Says what the report, or one site's part of it, lacks and what to do about it, one line each;
 * empty if it is complete.
 */
export function whatIsMissing(sites: readonly Site[], settings: ReportSettings, shown = asHtml) {
  const incomplete = sites.filter((site) => !isComplete(site));
  const [first] = incomplete;
  if (!first) return [];
  const cuts = incomplete.flatMap(listCuts);
  const allRemedies = new Set(cuts.map((cut) => remedyFor(cut, settings)));
  const remedies = [...allRemedies].slice(0, maxRemedies);
  if (sites.length === 1) return [joinTexts([lackIn(first), ...remedies])];
  const verb = verbFor(incomplete.length, 'project is', 'projects are');
  const names = namesOf(incomplete, shown);
  return [`**${incomplete.length} ${verb} incomplete:** ${names}.`, ...remedies];
}

function lackIn(site: Site) {
  if (!isRead(site)) return '**This project could not be read.**';
  const { now, before, findings } = site;
  const { whyNoRange, whyNotJudged } = findings;
  const lacksTotals = lackOf({ ...now, cut: undefined }) !== undefined;
  return joinTexts([
    now.cut && lackOfPages(site),
    lacksTotals && '**A total is missing.**',
    before && lackOf(before) && `**The comparison with ${now.window.previousName} is incomplete.**`,
    whyNoRange?.cut && `**${sayNoRange(whyNoRange, whyNotJudged)}**`,
  ]);
}

function lackOfPages({ now, findings }: JudgedSite) {
  if (now.rows.size === 0) return '**The page lists are missing.**';
  const read = `only ${pluralize(now.rows.size, 'page')} were read`;
  // Without a usual range, that sentence says it.
  const isWhy = lacksLists(findings.whyNotJudged) && findings.whyNoRange === undefined;
  return `**The page lists are incomplete:** ${read}${isWhy ? ', so none is judged' : ''}.`;
}

/** Why a window is incomplete, and what to do about it, in our own words. */
export function remedyFor(cut: Cut, settings: ReportSettings): string {
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

function remedyForBudget(settings: ReportSettings) {
  const { maxRequests, enough } = settings;
  if (enough.requests <= maxAdvised) {
    const atLeast = enough.isLeast ? 'at least ' : '';
    return `Raise \`max-requests\` to ${atLeast}${enough.requests} (currently ${maxRequests}).`;
  }
  return joinTexts([
    'Reading every list takes more requests than the service allows in an hour.',
    maxRequests < maxAdvised && `Raise \`max-requests\` to ${maxAdvised}.`,
    settings.historyFile === undefined && 'Use `history-file`.',
    'Later runs read the rest.',
  ]);
}

/** Why a report isn't about the period that was about to end, and the schedule that fits. */
export function describeEarlyRun(window: Window, ending: Window, timeZone: string): string {
  let day = 'Monday';
  let schedule = "`cron: '17 5 * * 1'`";
  if (window.kind === 'last-month') {
    day = 'the first day of the month';
    schedule = "`cron: '17 5 1 * *'`";
  }
  // Without `timezone`, GitHub’s schedules are in UTC.
  if (timeZone !== 'UTC') {
    day += ' there';
    schedule += ` and \`timezone: ${timeZone}\``;
  }
  return joinTexts([
    `When this run was created, ${ending.label} wasn’t over in ${timeZone},`,
    `so this report is about ${window.label}.`,
    `Schedule it for ${day}: ${schedule}.`,
  ]);
}

const notCompared = '`compare: none` leaves out earlier periods';

/** That there is no usual range and, if that is for the same reason, that no page is judged. */
export function sayNoRange(why: TooFew, whyNotJudged: NotJudged | undefined): string {
  const isSame = whyNotJudged?.cause === why.cause;
  const andPages = isSame ? ', and pages aren’t judged' : '';
  return `There is no usual range${andPages}: ${describeTooFew(why)}.`;
}

/** Why too few earlier windows show what is usual. */
export function describeTooFew(why: TooFew, needed = minWeeks): string {
  const { cause, noun, usable, unread } = why;
  switch (cause) {
    case 'low-baseline':
      return `\`baseline\` is below ${minWeeks}`;
    case 'unread':
      return `${pluralize(unread, `earlier ${noun}`)} ${verbFor(unread, 'wasn’t', 'weren’t')} read`;
    case 'unranked':
      return 'lists that were read in part may lack the most-read pages';
    case 'few-weeks': {
      const limit = unread > 0 ? 'at most ' : '';
      return `it takes ${needed} earlier ${noun}s with people; this site has ${limit}${usable + unread}`;
    }
  }
}

/** Why an alert rule wasn't checked. */
export function describeUnchecked(why: WhyUnchecked): string {
  switch (why.cause) {
    case 'unread-project':
      return 'the project could not be read';
    case 'unread-figure':
      return `it could not be read for ${why.period}`;
    case 'no-visitors':
      return 'there were no visitors';
    case 'contradiction':
      return 'the service counted more AI visitors than visitors in total';
    case 'varies':
      return 'it varies too much to tell what is usual';
    case 'none-before':
      return `there were none in ${why.period}`;
    case 'not-compared':
      return notCompared;
    case 'no-range':
      return `there is no usual range: ${describeNoFigureRange(why.reason)}`;
  }
}

function describeNoFigureRange(reason: TooFew | 'not-compared' | 'too-few') {
  if (reason === 'not-compared') return notCompared;
  if (reason === 'too-few') return 'too few earlier periods have a comparable number';
  return describeTooFew(reason);
}
