import { codeCell } from '../../lib/markdown.ts';
import type { AlertSubject } from '../judge/alert-rules.ts';
import type { AlertHit, AlertResult, FiredAlert } from '../judge/alerts.ts';
import type { Block } from './blocks.ts';
import { formatChange, formatCount, formatPercent, plural } from './numbers.ts';
import { pathCell, quoted } from './quoted.ts';

/** How many pages are listed for one rule; the rest are counted. */
const pagesPerRule = 10;

/** A table of the rules that fired, and a list of those that could not be checked; nothing where there are no rules. */
export function alertBlocks(alerts: readonly AlertResult[]): Block[] {
  if (alerts.length === 0) return [];
  const fired = firedOf(alerts);
  const unchecked = alerts.flatMap(({ rule, ...result }) =>
    result.state === 'unchecked' ? [`- ${quoted(rule.text)} could not be checked: ${result.why}.`] : [],
  );
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
  } else if (unchecked.length < alerts.length) {
    const checked = alerts.length - unchecked.length;
    blocks.push({ kind: 'text', text: `No alert: ${plural(checked, 'rule')} checked, none fired.` });
  }
  if (unchecked.length > 0) blocks.push({ kind: 'text', text: unchecked.join('\n') });
  return blocks;
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

function figureOf({ percent, now, before }: AlertHit, subject: AlertSubject): string {
  if (subject === 'ai-share') return formatPercent(percent);
  return `${formatChange(percent)} (${formatCount(before ?? 0)} → ${formatCount(now)})`;
}
