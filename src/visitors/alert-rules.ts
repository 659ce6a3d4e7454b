import { globProblem } from '../core/globs.ts';
import { shortCode } from '../text/markdown.ts';
import { fewVisitors } from './chance.ts';

/** What a rule can be about. */
export const alertSubjects = ['total', 'human', 'ai', 'ai-share'] as const;
export type AlertSubject = (typeof alertSubjects)[number];

const operators = ['<', '<=', '>', '>='] as const;
export type AlertOperator = (typeof operators)[number];

/** One rule, written `[project:] subject [glob] operator number% [min number]`. */
export interface AlertRule {
  /** As it was written, without the project. */
  readonly text: string;
  /** The project that it is for, by its name or its id; without one, it is for all. */
  readonly project: string | undefined;
  /** What the threshold is about: `total`, `human` and `ai` mean their change in per cent, `ai-share` the share itself. */
  readonly subject: AlertSubject;
  /** The rule is checked for each page that matches; without a glob, for the site's totals. */
  readonly glob: string | undefined;
  readonly operator: AlertOperator;
  /** In per cent. */
  readonly threshold: number;
  /** Visitors that this window (`ai-share`), or the larger of the two, must have for the rule to fire. */
  readonly min: number;
}

/** What is wrong with a line that is no rule. */
export interface AlertMistake {
  /** From 1. */
  readonly line: number;
  /** From 1, in UTF-16 code units of the line as it was written. */
  readonly column: number;
  /** The word found there; `''` at the end of the line. */
  readonly got: string;
  /** What should be there. */
  readonly takes: string;
}

/** A word of a rule, and its place. */
interface Token {
  readonly text: string;
  readonly column: number;
}

/**
 * A project in front of a rule, up to the subject. A rule without a project has no word that ends in a colon before a subject:
 * what follows a glob, the only other word that can, is an operator. The last such colon counts, since a name may have others.
 */
const projectPrefix = new RegExp(`^(.*):\\s+(?=(?:${alertSubjects.join('|')})(?:[\\s<>]|$))`);

/** Reads one rule a line, and skips blank lines. Gives all rules, and the first mistake of each line that is no rule. */
export function parseAlertRules(text: string): { rules: AlertRule[]; mistakes: AlertMistake[] } {
  const rules: AlertRule[] = [];
  const mistakes: AlertMistake[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const [prefix = '', project] = line.match(projectPrefix) ?? [];
    const parsed = parseRule(line.slice(prefix.length));
    if ('subject' in parsed) rules.push({ ...parsed, project: project?.trim() });
    else mistakes.push({ line: index + 1, ...parsed, column: prefix.length + parsed.column });
  }
  return { rules, mistakes };
}

/** `line 2, column 8: "x" where there must be …`. */
export function describeMistake({ line, column, got, takes }: AlertMistake): string {
  const found = got === '' ? 'the line ends' : shortCode(got);
  return `line ${line}, column ${column}: ${found} where there must be ${takes}`;
}

/** Whether a rule is for a project. */
export function isFor(
  { project }: AlertRule,
  { id, name }: { readonly id: string; readonly name: string },
): boolean {
  return project === undefined || project === name || project === id;
}

function parseRule(line: string): Omit<AlertRule, 'project'> | Omit<AlertMistake, 'line'> {
  const tokens: Token[] = Array.from(line.matchAll(/[<>]=?|[^\s<>]+/g), (match) => ({
    text: match[0],
    column: match.index + 1,
  }));
  const end: Token = { text: '', column: line.trimEnd().length + 1 };
  const take = () => tokens.shift() ?? end;
  const mistake = ({ text, column }: Token, takes: string) => ({ column, got: text, takes });

  const subject = take();
  if (!isSubject(subject.text)) return mistake(subject, `one of ${alertSubjects.join(', ')}`);

  let operator = take();
  let glob: string | undefined;
  if (/^[/*!]/.test(operator.text)) {
    const problem = operator.text.startsWith('!') ? 'a glob without `!`' : globProblem(operator.text);
    if (problem !== undefined) return mistake(operator, `a page glob (${problem})`);
    glob = operator.text;
    operator = take();
  }
  if (!isOperator(operator.text)) {
    const what = glob === undefined ? 'a page glob such as `/guides/**`, or one of' : 'one of';
    return mistake(operator, `${what} \`${operators.join(' ')}\``);
  }

  const threshold = take();
  const percent = subject.text === 'ai-share' ? /^\d{1,3}(\.\d+)?%$/ : /^[+-]?\d{1,9}(\.\d+)?%$/;
  if (!percent.test(threshold.text)) {
    const takes =
      subject.text === 'ai-share' ? 'a share in per cent, such as 60%' : 'a change in per cent, such as -30%';
    return mistake(threshold, takes);
  }

  const min = parseMin(take, end);
  if (typeof min !== 'number') return mistake(min.token, min.takes);
  return {
    text: line.trim(),
    subject: subject.text,
    glob,
    operator: operator.text,
    threshold: Number.parseFloat(threshold.text),
    min,
  };
}

/** The optional `min N` at the end of a rule. */
function parseMin(take: () => Token, end: Token): number | { token: Token; takes: string } {
  const word = take();
  if (word === end) return fewVisitors;
  if (word.text !== 'min') return { token: word, takes: '`min` and a number of visitors, or the end' };
  const number = take();
  if (!/^\d{1,15}$/.test(number.text)) return { token: number, takes: 'a whole number of visitors' };
  const extra = take();
  return extra === end ? Number(number.text) : { token: extra, takes: 'the end of the rule' };
}

function isSubject(text: string): text is AlertSubject {
  return alertSubjects.some((subject) => subject === text);
}

function isOperator(text: string): text is AlertOperator {
  return operators.some((operator) => operator === text);
}
