import { counted, formatCount } from '../../text/counts.ts';
import { firstFew } from '../../text/first-few.ts';
import type { AlertRule } from '../judge/alert-rules.ts';
import type { AlertHit, AlertResult, FiredAlert } from '../judge/alerts.ts';
import { formatChange, formatPercent } from '../judge/numbers.ts';
import { type Block, fold } from './blocks.ts';
import { usualRange } from './sentences.ts';
import { pathCode, shownCode } from './shown.ts';

/** The maximum number of fired rules to list, and of pages for each. The others are only counted. */
const mostFired = 10;
const pagesPerRule = 3;

/** The maximum number of unchecked rules to list. The others are only counted. */
const mostUnchecked = 20;

/** One line for each rule that fired, and where. */
export function firedLines(alerts: readonly AlertResult[]): string[] {
  const fired = alerts.filter(hasFired);
  if (fired.length === 0) return [];
  const verdict = `**${alertVerdict(alerts)}:**`;
  const lines = firstFew(fired.map(firedLine), mostFired);
  return fired.length === 1
    ? [`${verdict} ${lines.join('')}`]
    : [verdict, ...lines.map((line) => `- ${line}`)];
}

/** Lists the unchecked rules with the reasons, collapsed; `''` if all were checked. */
export function uncheckedBlock(alerts: readonly AlertResult[]): Block {
  const notes = alerts.flatMap((alert) =>
    alert.state === 'unchecked' ? [`${shownCode(alert.rule.text)}: ${alert.why}.`] : [],
  );
  const listed = firstFew(notes, mostUnchecked).map((note) => `- ${note}`);
  return notes.length === 0
    ? ''
    : fold(`Alert rules not checked (${formatCount(notes.length)})`, listed.join('\n'));
}

/**
 * `1 of 2 alert rules fired`, or `2 alert rules checked, none fired`; `''` if none could be checked. A rule that applies to
 * several projects counts once.
 */
export function alertVerdict(alerts: readonly AlertResult[]): string {
  const fired = countRules(alerts.filter(hasFired));
  const checked = countRules(alerts.filter(({ state }) => state !== 'unchecked'));
  if (checked === 0) return '';
  return fired === 0
    ? `${counted(checked, 'alert rule')} checked, none fired`
    : `${formatCount(fired)} of ${counted(countRules(alerts), 'alert rule')} fired`;
}

/** `2 alert rules could not be checked`; `''` if all were checked. */
export function uncheckedVerdict(alerts: readonly AlertResult[], where = ''): string {
  const unchecked = countRules(alerts.filter(({ state }) => state === 'unchecked'));
  return unchecked === 0 ? '' : `${counted(unchecked, 'alert rule')} could not be checked${where}.`;
}

/** Whether a rule fired. */
export function hasFired(alert: AlertResult): alert is FiredAlert {
  return alert.state === 'fired';
}

/** One line for each rule that fired, without page paths, for the annotation. */
export function alertSentences(alerts: readonly AlertResult[]): string[] {
  return alerts.filter(hasFired).map(({ rule, hits }) => {
    const [first] = hits;
    const isOfSite = rule.glob === undefined && first !== undefined;
    return `${rule.text}: ${isOfSite ? figureOf(first, rule) : counted(hits.length, 'page')}`;
  });
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
