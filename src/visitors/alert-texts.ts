import type { Block } from '../report/blocks.ts';
import { formatChange, formatCount, formatPercent, plural } from '../report/numbers.ts';
import { pathCell, shownCode } from '../report/shown.ts';
import { firstFew } from '../text/first-few.ts';
import { codeCell } from '../text/markdown.ts';
import type { AlertSubject } from './alert-rules.ts';
import { type AlertHit, type AlertResult, type FiredAlert, whyNoFigure } from './alerts.ts';

/** How many pages are listed for one rule; the rest are counted. */
const pagesPerRule = 10;

/** How many rules that could not be checked are listed with the reason; the rest are counted. */
const mostUnchecked = 20;

/** A table of the rules that fired, and a list of those that could not be checked; nothing without rules. */
export function alertBlocks(alerts: readonly AlertResult[]): Block[] {
  const notes = alerts.flatMap(uncheckedNote);
  const listed = firstFew(notes, mostUnchecked).map((note) => `- ${note}`);
  return [firedBlock(alerts), notes.length === 0 ? '' : `### Not checked\n\n${listed.join('\n')}`];
}

/**
 * `2 of 4 rules fired, in 3 places.`; `''` if none could be checked. A rule that was checked for several projects is one rule,
 * as it was written.
 */
export function alertVerdict(alerts: readonly AlertResult[]): string {
  const fired = alerts.filter(hasFired);
  const checked = countRules(alerts.filter((alert) => !isUnchecked(alert)));
  if (checked === 0) return '';
  return fired.length === 0
    ? `No alert: ${plural(checked, 'rule')} checked, none fired.`
    : `${formatCount(countRules(fired))} of ${plural(countRules(alerts), 'rule')} fired, in ${plural(countHits(fired), 'place')}.`;
}

/** `2 alert rules could not be checked`, with where that was; `''` if all could. */
export function uncheckedVerdict(alerts: readonly AlertResult[], where = ''): string {
  const unchecked = countRules(alerts.filter(isUnchecked));
  return unchecked === 0 ? '' : `${plural(unchecked, 'alert rule')} could not be checked${where}.`;
}

/** Whether a rule could not be checked at all. */
export function isUnchecked({ state }: AlertResult): boolean {
  return state === 'unchecked';
}

/** Whether a rule fired. */
export function hasFired(alert: AlertResult): alert is FiredAlert {
  return alert.state === 'fired';
}

/** For the annotation: a line for each rule that fired, without the paths of pages. */
export function alertSentences(alerts: readonly AlertResult[]): string[] {
  return alerts.filter(hasFired).map(({ rule, hits }) => {
    const [first] = hits;
    const isOfSite = rule.glob === undefined && first !== undefined;
    return `${rule.text}: ${isOfSite ? figureOf(first, rule.subject) : plural(hits.length, 'page')}`;
  });
}

function countRules(alerts: readonly AlertResult[]): number {
  return new Set(alerts.map(({ rule }) => rule)).size;
}

function countHits(fired: readonly FiredAlert[]): number {
  return fired.reduce((sum, { hits }) => sum + hits.length, 0);
}

function firedBlock(alerts: readonly AlertResult[]): Block {
  const fired = alerts.filter(hasFired);
  const verdict = alertVerdict(alerts);
  if (fired.length === 0) return verdict;
  const rows = fired.flatMap(({ rule, hits }) =>
    hits
      .slice(0, pagesPerRule)
      .map((hit) => [
        codeCell(rule.text),
        hit.path === undefined ? 'the site' : pathCell(hit.path),
        figureOf(hit, rule.subject),
      ]),
  );
  const head = ['Rule', 'Where', 'Figure'];
  return { lead: `### Alerts\n\n${verdict}`, head, numbersFrom: 2, rows, outOf: countHits(fired) };
}

/** A line for a rule that could not be checked at all, or not for some of its pages. */
function uncheckedNote(alert: AlertResult): string[] {
  const { rule, state } = alert;
  if (state === 'unchecked') return [`${shownCode(rule.text)}: ${alert.why}.`];
  if (alert.uncheckedPages === 0) return [];
  return [`${shownCode(rule.text)} for ${plural(alert.uncheckedPages, 'page')}: ${whyNoFigure(rule)}.`];
}

function figureOf({ figure, now, before }: AlertHit, subject: AlertSubject): string {
  if (subject === 'ai-share') return formatPercent(figure);
  return `${formatChange(figure)} (${formatCount(before ?? 0)} → ${formatCount(now)})`;
}
