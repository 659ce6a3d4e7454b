import { counted, firstFew, formatCount } from '../../text/counts.ts';
import type { AlertRule } from '../judge/alert-rules.ts';
import type { AlertHit, AlertResult, FiredAlert } from '../judge/alerts.ts';
import { formatChange, formatPercent } from '../judge/numbers.ts';
import { isRead, type Site } from '../judge/report.ts';
import { alertBlock, type Block, fold } from './blocks.ts';
import { namesCode, usualRange } from './sentences.ts';
import { pathCode, shownCode } from './shown.ts';

/** The maximum number of fired rules to list, of pages for each, and of unchecked rules. The others are only counted. */
const mostFired = 10;
const pagesPerRule = 3;
const mostUnchecked = 20;

/** One line for each rule that fired, and where. */
export function firedLines(site: Site): string[] {
  const fired = site.alerts.filter(hasFired);
  if (fired.length === 0) return [];
  const verdict = `**${alertVerdict([site])}:**`;
  const lines = firstFew(fired.map(firedLine), mostFired);
  return fired.length === 1
    ? [`${verdict} ${lines.join('')}`]
    : [verdict, ...lines.map((line) => `- ${line}`)];
}

/** Lists the unchecked rules with the reasons, collapsed; `''` if all were checked. */
export function uncheckedBlock(alerts: readonly AlertResult[]): Block {
  const notes = alerts.filter(isUnchecked).map(({ rule, why }) => `${shownCode(rule.text)}: ${why}.`);
  const listed = firstFew(notes, mostUnchecked).map((note) => `- ${note}`);
  return notes.length === 0
    ? ''
    : fold(`Alert rules not checked (${formatCount(notes.length)})`, listed.join('\n'));
}

/**
 * `1 of 2 alert rules fired`, or `2 alert rules checked, none fired`; `''` if none could be checked. A rule that applies to
 * several projects counts once.
 */
export function alertVerdict(sites: readonly Site[]): string {
  const alerts = sites.flatMap((site) => site.alerts);
  const fired = countRules(alerts.filter(hasFired));
  const checked = countRules(alerts.filter((alert) => !isUnchecked(alert)));
  if (checked === 0) return '';
  return fired === 0
    ? `${counted(checked, 'alert rule')} checked, none fired`
    : `${formatCount(fired)} of ${counted(countRules(alerts), 'alert rule')} fired`;
}

/** `2 alert rules could not be checked`, and for which sites if they are to be named; `''` if all were checked. */
export function uncheckedVerdict(sites: readonly Site[], isNamed = false): string {
  const lacking = sites.filter(({ alerts }) => alerts.some(isUnchecked));
  const unchecked = countRules(lacking.flatMap(({ alerts }) => alerts.filter(isUnchecked)));
  const whose = isNamed ? ` for ${namesCode(lacking)}` : '';
  return unchecked === 0 ? '' : `${counted(unchecked, 'alert rule')} could not be checked${whose}.`;
}

/** Whether a rule fired. */
export function hasFired(alert: AlertResult) {
  return alert.state === 'fired';
}

function isUnchecked(alert: AlertResult) {
  return alert.state === 'unchecked';
}

/** One line for each rule that fired, without page paths, for the annotation. */
export function alertSentences(alerts: readonly AlertResult[]): string[] {
  return alerts.filter(hasFired).map(({ rule, hits }) => {
    const [first] = hits;
    const isOfSite = rule.glob === undefined && first !== undefined;
    return `${rule.text}: ${isOfSite ? figureOf(first, rule) : counted(hits.length, 'page')}`;
  });
}

/** Says which projects had no visitors, how many rules fired, and which rules could not be checked. */
export function alarmInBrief(sites: readonly Site[]): string {
  const [silent, unchecked] = [silentInBrief(sites), uncheckedVerdict(sites, true)];
  const firing = sites.filter(({ alerts }) => alerts.some(hasFired));
  const fired = firing.length === 0 ? '' : `**${alertVerdict(sites)}:** see ${namesCode(firing)}.`;
  return silent === '' && fired === '' ? unchecked : alertBlock('CAUTION', [silent, fired, unchecked]);
}

/** Such as `No visitors were recorded for A and B.`; `''` unless a site had visitors before and has none now. */
export function silentInBrief(sites: readonly Site[]): string {
  const silent = sites.filter((site) => isRead(site) && site.findings.lastBusy !== undefined);
  return silent.length === 0 ? '' : `**No visitors were recorded** for ${namesCode(silent)}.`;
}

function countRules(alerts: readonly AlertResult[]): number {
  return new Set(alerts.map(({ rule }) => rule)).size;
}

function firedLine({ rule, hits }: FiredAlert): string {
  const places = hits.map((hit) =>
    hit.path === undefined ? figureOf(hit, rule) : `${pathCode(hit.path)} (${figureOf(hit, rule)})`,
  );
  const link = rule.glob === undefined ? ':' : ' on';
  return `${shownCode(rule.text)}${link} ${firstFew(places, pagesPerRule).join(', ')}.`;
}

function figureOf({ figure, now, before, usual }: AlertHit, { subject }: AlertRule): string {
  if (usual !== undefined) return `${formatCount(now)}, usual ${usualRange(usual)}`;
  if (figure === undefined || subject === 'ai-share') return formatPercent(figure, 0);
  return `${formatChange(figure, 0)}, ${formatCount(before ?? 0)} → ${formatCount(now)}`;
}
