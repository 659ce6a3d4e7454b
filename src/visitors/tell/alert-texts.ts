import { firstFew } from '../../text/first-few.ts';
import { codeCell } from '../../text/markdown.ts';
import type { AlertSubject } from '../judge/alert-rules.ts';
import { type AlertHit, type AlertResult, type FiredAlert, whyNoFigure } from '../judge/alerts.ts';
import type { Block } from './blocks.ts';
import { formatChange, formatCount, formatPercent, plural } from './numbers.ts';
import { pathCell, quoted } from './quoted.ts';

/** How many pages are listed for one rule; the rest are counted. */
const pagesPerRule = 10;

/** How many rules that could not be checked are told with the reason; the rest are counted. */
const mostUnchecked = 20;

/** A table of the rules that fired, and a list of those that could not be checked; nothing where there are no rules. */
export function alertBlocks(alerts: readonly AlertResult[]): Block[] {
  const notes = alerts.flatMap(uncheckedNote);
  const unchecked = `### Not checked\n\n${firstFew(notes, mostUnchecked)
    .map((note) => `- ${note}`)
    .join('\n')}`;
  return [
    ...firedBlocks(alerts),
    ...(notes.length === 0 ? [] : [{ kind: 'text', text: unchecked } as const]),
  ];
}

/**
 * `2 of 4 rules fired, in 3 places.`; `''` where none could be checked. A rule that was checked for several projects is one
 * rule, as it was written.
 */
export function alertVerdict(alerts: readonly AlertResult[]): string {
  const fired = firedOf(alerts);
  const places = fired.reduce((sum, { hits }) => sum + hits.length, 0);
  const checked = countRules(alerts.filter(({ state }) => state !== 'unchecked'));
  if (checked === 0) return '';
  return places === 0
    ? `No alert: ${plural(checked, 'rule')} checked, none fired.`
    : `${formatCount(countRules(fired))} of ${plural(countRules(alerts), 'rule')} fired, in ${plural(places, 'place')}.`;
}

/** `2 alert rules could not be checked`, with where that was; `''` where all could. */
export function uncheckedVerdict(alerts: readonly AlertResult[], where = ''): string {
  const unchecked = countRules(alerts.filter(isUnchecked));
  return unchecked === 0 ? '' : `${plural(unchecked, 'alert rule')} could not be checked${where}.`;
}

/** Whether a rule could not be checked at all. */
export function isUnchecked({ state }: AlertResult): boolean {
  return state === 'unchecked';
}

function countRules(alerts: readonly AlertResult[]): number {
  return new Set(alerts.map(({ rule }) => rule)).size;
}

function firedBlocks(alerts: readonly AlertResult[]): Block[] {
  const fired = firedOf(alerts);
  const verdict = alertVerdict(alerts);
  if (fired.length === 0) return verdict === '' ? [] : [{ kind: 'text', text: verdict }];
  const rows = fired.flatMap(({ rule, hits }) =>
    hits
      .slice(0, pagesPerRule)
      .map((hit) => [codeCell(rule.text), subjectOf(hit), figureOf(hit, rule.subject)]),
  );
  const outOf = fired.reduce((sum, { hits }) => sum + hits.length, 0);
  const head = ['Rule', 'Where', 'Figure'];
  return [{ kind: 'table', lead: `### Alerts\n\n${verdict}`, head, numbersFrom: 2, rows, outOf }];
}

/** A line for a rule that could not be checked at all, or not for some of its pages. */
function uncheckedNote(alert: AlertResult): string[] {
  const { rule, state } = alert;
  if (state === 'unchecked') return [`${quoted(rule.text)}: ${alert.why}.`];
  if (alert.uncheckedPages === 0) return [];
  const pages = plural(alert.uncheckedPages, 'page');
  return [`${quoted(rule.text)} for ${pages}: ${whyNoFigure(rule)}.`];
}

/** For the output `alerts`: the rules that fired, as they were written, a line each. */
export function alertLines(alerts: readonly AlertResult[]): string[] {
  return firedOf(alerts).map(({ rule }) => rule.text);
}

export function hasFired(alerts: readonly AlertResult[]): boolean {
  return firedOf(alerts).length > 0;
}

/** For the annotation: a line for each rule that fired, without the paths of pages. */
export function alertSentences(alerts: readonly AlertResult[]): string[] {
  return firedOf(alerts).map(({ rule, hits }) => {
    const [first] = hits;
    const isOfSite = rule.glob === undefined && first !== undefined;
    const where = isOfSite ? figureOf(first, rule.subject) : plural(hits.length, 'page');
    return `${rule.text}: ${where}`;
  });
}

function firedOf(alerts: readonly AlertResult[]): FiredAlert[] {
  return alerts.filter((result): result is FiredAlert => result.state === 'fired');
}

function subjectOf({ path }: AlertHit): string {
  return path === undefined ? 'the site' : pathCell(path);
}

function figureOf({ figure, now, before }: AlertHit, subject: AlertSubject): string {
  if (subject === 'ai-share') return formatPercent(figure);
  return `${formatChange(figure)} (${formatCount(before ?? 0)} → ${formatCount(now)})`;
}
