import { codeCell } from '../../lib/markdown.ts';
import type { AlertSubject } from '../judge/alert-rules.ts';
import { type AlertHit, type AlertResult, type FiredAlert, whyNoFigure } from '../judge/alerts.ts';
import type { Block } from './blocks.ts';
import { formatChange, formatCount, formatPercent, plural } from './numbers.ts';
import { pathCell, quoted } from './quoted.ts';

/** How many pages are listed for one rule; the rest are counted. */
const pagesPerRule = 10;

/** A table of the rules that fired, and a list of those that could not be checked; nothing where there are no rules. */
export function alertBlocks(alerts: readonly AlertResult[]): Block[] {
  if (alerts.length === 0) return [];
  const fired = firedOf(alerts);
  const unchecked = alerts.filter(({ state }) => state === 'unchecked').length;
  const notes = alerts.flatMap(uncheckedNote);
  const blocks: Block[] = [];
  if (fired.length > 0) {
    const rows = fired.flatMap(({ rule, hits }) =>
      hits
        .slice(0, pagesPerRule)
        .map((hit) => [codeCell(rule.text), subjectOf(hit), figureOf(hit, rule.subject)]),
    );
    const found = fired.reduce((sum, { hits }) => sum + hits.length, 0);
    const lead = `### Alerts\n\n${plural(fired.length, 'rule')} of ${formatCount(alerts.length)} fired.`;
    blocks.push({
      kind: 'table',
      lead,
      head: ['Rule', 'Where', 'Figure'],
      numbersFrom: 2,
      rows,
      outOf: found,
    });
  } else if (unchecked < alerts.length) {
    const checked = alerts.length - unchecked;
    blocks.push({ kind: 'text', text: `No alert: ${plural(checked, 'rule')} checked, none fired.` });
  }
  if (notes.length > 0) blocks.push({ kind: 'text', text: notes.join('\n') });
  return blocks;
}

/** A line for a rule that could not be checked at all, or not for some of its pages. */
function uncheckedNote(alert: AlertResult): string[] {
  const { rule, state } = alert;
  if (state === 'unchecked') return [`- ${quoted(rule.text)} could not be checked: ${alert.why}.`];
  if (alert.uncheckedPages === 0) return [];
  const pages = plural(alert.uncheckedPages, 'page');
  return [`- ${quoted(rule.text)} could not be checked for ${pages}: ${whyNoFigure(rule)}.`];
}

/** For the output `alerts`: the rules that fired, as they were written, one a line. */
export function alertLines(alerts: readonly AlertResult[]): string {
  return firedOf(alerts)
    .map(({ rule }) => rule.text)
    .join('\n');
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
