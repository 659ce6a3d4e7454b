import { globProblem } from '../../core/globs.ts';
import type { Project } from '../../core/inputs/projects.ts';
import { shortCode } from '../../text/markdown.ts';
import { fewVisitors } from './site-pages.ts';

const alertSubjects = ['total', 'human', 'ai', 'ai-share'] as const;
const operators = ['<', '<=', '>', '>='] as const;

/** One rule, written `[project:] subject [glob] operator number% [min number]`, or `[project:] subject operator usual`. */
export interface AlertRule {
  /** The rule as written, without the project. */
  readonly text: string;
  /** The name or ID of its project. A rule without one applies to all projects. */
  readonly project: string | undefined;
  /** The figure to compare: the percentage change for `total`, `human`, and `ai`; the share itself for `ai-share`. */
  readonly subject: (typeof alertSubjects)[number];
  /** The pages to check, one by one. Without a glob, the site's totals are checked. */
  readonly glob: string | undefined;
  readonly operator: (typeof operators)[number];
  /** A percentage, or the end of the usual range. */
  readonly threshold: number | 'usual';
  /** The rule fires only if this window (for `ai-share`), or the larger of the two, has this many visitors. */
  readonly min: number;
}

/** A mistake in one line. Lines and columns start at 1; columns count UTF-16 code units in the original text. */
interface AlertMistake {
  readonly line: number;
  readonly column: number;
  /** The word found there; `''` at the end of the line. */
  readonly got: string;
  readonly takes: string;
}

/** The project before a rule's subject. Project names may contain colons, so the last colon before a subject ends the name. */
const projectPrefix = new RegExp(`^(.*):\\s+(?=(?:${alertSubjects.join('|')})(?:[\\s<>]|$))`);

/** Parses one rule per line and skips blank lines. Returns the rules, and the first mistake in each bad line. */
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

/** `line 2, column 8: expected …, but found "x"`. */
export function describeMistake({ line, column, got, takes }: AlertMistake): string {
  const found = got === '' ? 'the line ends' : `found ${shortCode(got)}`;
  return `line ${line}, column ${column}: expected ${takes}, but ${found}`;
}

/** Whether a rule applies to a project. */
export function isFor({ project }: AlertRule, { id, name }: Project): boolean {
  return project === undefined || project === name || project === id;
}

function parseRule(line: string): Omit<AlertRule, 'project'> | Omit<AlertMistake, 'line'> {
  const tokens = [...line.matchAll(/[<>]=?|[^\s<>]+/g)];
  const wordAt = (place: number) => tokens[place]?.[0] ?? '';
  const mistake = (place: number, takes: string) => {
    const column = (tokens[place]?.index ?? line.trimEnd().length) + 1;
    return { column, got: wordAt(place), takes };
  };

  const subject = alertSubjects.find((name) => name === wordAt(0));
  if (subject === undefined) return mistake(0, `one of ${alertSubjects.join(', ')}`);
  const glob = /^[/*!]/.test(wordAt(1)) ? wordAt(1) : undefined;
  const problem = glob?.startsWith('!') ? 'a glob without `!`' : globProblem(glob ?? '/');
  if (problem !== undefined) return mistake(1, `a page glob (${problem})`);

  const place = glob === undefined ? 1 : 2;
  const operator = operators.find((sign) => sign === wordAt(place));
  if (operator === undefined) {
    const what = glob === undefined ? 'a page glob such as `/guides/**`, or one of' : 'one of';
    return mistake(place, `${what} \`${operators.join(' ')}\``);
  }
  const limit = wordAt(place + 1);
  const wrong = whyNoLimit(limit, { subject, glob, operator });
  if (wrong !== undefined) return mistake(place + 1, wrong);

  const [word, min] = [wordAt(place + 2), wordAt(place + 3)];
  if (word !== '' && word !== 'min')
    return mistake(place + 2, '`min` and a number of visitors, or the end of the rule');
  if (word !== '' && !/^\d{1,15}$/.test(min)) return mistake(place + 3, 'a whole number of visitors');
  if (tokens.length > place + 4) return mistake(place + 4, 'the end of the rule');
  return {
    text: line.trim(),
    subject,
    glob,
    operator,
    threshold: limit === 'usual' ? limit : Number.parseFloat(limit),
    min: word === '' ? fewVisitors : Number(min),
  };
}

/** What is expected instead of a bad limit, or of one that no figure can pass. */
function whyNoLimit(
  limit: string,
  { subject, glob, operator }: Pick<AlertRule, 'subject' | 'glob' | 'operator'>,
): string | undefined {
  const isShare = subject === 'ai-share';
  if (limit === 'usual') {
    const canBeUsual = !isShare && glob === undefined && !operator.endsWith('=');
    return canBeUsual
      ? undefined
      : 'a number (`usual` works only for the site’s `total`, `human`, and `ai`, after `<` or `>`)';
  }
  const [pattern, least, most, takes] = isShare
    ? [/^\d{1,3}(\.\d+)?%$/, 0, 100, 'a share such as 60%']
    : [/^[+-]?\d{1,9}(\.\d+)?%$/, -100, Number.POSITIVE_INFINITY, 'a change such as -30%'];
  if (!pattern.test(limit)) return takes;
  const percent = Number.parseFloat(limit);
  const canFire = {
    '<': percent > least,
    '<=': percent >= least,
    '>': percent < most,
    '>=': percent <= most,
  };
  return canFire[operator] ? undefined : `${takes} (this rule can never fire)`;
}
