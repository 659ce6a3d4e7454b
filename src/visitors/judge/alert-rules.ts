import type { Project } from '../../core/projects.ts';
import { shortCode } from '../../text/markdown.ts';
import type { Side } from './numbers.ts';
import { fewVisitors } from './site-pages.ts';

const alertFigures = ['total', 'human', 'ai', 'ai-share'] as const;

/** What makes a rule fire: a side of the usual range, or a percentage. 100% of a count is one visitor. */
type Condition =
  | { readonly of: 'range'; readonly sides: readonly Side[] }
  | { readonly of: 'value' | 'change'; readonly operator: string; readonly percent: number };

/** One rule: `[project:] figure (unusual | < usual | > usual | operator number | operator change%) [min number]`. */
export interface AlertRule {
  /** The rule as written, without the project. */
  readonly text: string;
  /** The name or ID of its project. A rule without one applies to all projects. */
  readonly project: string | undefined;
  readonly figure: (typeof alertFigures)[number];
  readonly condition: Condition;
  /** The rule fires only if one of the numbers it compares has this many visitors. */
  readonly min: number;
}

/** Project names may contain colons, so the last colon before a figure ends the name. */
const linePattern = new RegExp(`^(?:(.*):\\s+)?((${alertFigures.join('|')})(?![\\w-])(.*))$`);

const conditionPattern =
  /^\s*(?:(?<range>unusual|(?<side>[<>])\s*usual)|(?<operator>[<>]=?)\s*(?<number>\d{1,12}|[+-]?\d{1,9}(\.\d{1,9})?%))(?:\s+min\s+(?<min>\d{1,15}))?$/;

/** Parses one rule per line and skips blank lines. A mistake begins with the rule. */
export function parseAlertRules(text: string): { rules: AlertRule[]; mistakes: string[] } {
  const rules: AlertRule[] = [];
  const mistakes: string[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    const rule = line.trim() === '' ? [] : parseRule(line.trim());
    if (typeof rule === 'string') mistakes.push(`${shortCode(line.trim())} (line ${index + 1}): ${rule}`);
    else rules.push(...[rule].flat());
  }
  return { rules, mistakes };
}

/** Whether a line of an input applies to a project: it names it, or none. */
export function isFor({ project }: { readonly project: string | undefined }, { id, name }: Project): boolean {
  return project === undefined || project === name || project === id;
}

/** A rule, or what is wrong with it. */
function parseRule(line: string): AlertRule | string {
  const [, project, text = '', name, rest = ''] = linePattern.exec(line) ?? [];
  const figure = alertFigures.find((known) => known === name);
  if (figure === undefined)
    return `a rule must begin with one of these: ${alertFigures.join(', ')}; for example, \`total unusual\``;

  const isShare = figure === 'ai-share';
  const { range, side, operator = '', number = '', min } = conditionPattern.exec(rest)?.groups ?? {};
  const base = { text, project: project?.trim(), figure };
  if (range !== undefined) {
    const sides: Side[] = side === undefined ? ['fewer', 'more'] : [side === '<' ? 'fewer' : 'more'];
    return { ...base, condition: { of: 'range', sides }, min: Number(min ?? fewVisitors) };
  }

  if (!(isShare ? /^\d.*%$/ : /\d/).test(number)) {
    const numbers = isShare
      ? 'or a share such as `> 60%`'
      : 'a number such as `< 1000`, or a change such as `< -30%`';
    return `after \`${figure}\`, write \`unusual\`, \`< usual\`, \`> usual\`, ${numbers}; then, if you like, \`min 50\``;
  }
  const isPercent = number.endsWith('%');
  const percent = Number.parseFloat(number) * (isPercent ? 1 : 100);
  const of = isPercent && !isShare ? 'change' : 'value';
  const [least, most] = [of === 'change' ? -100 : 0, isShare ? 100 : Number.POSITIVE_INFINITY];
  const reach = operator.startsWith('<') ? percent - least : most - percent;
  if (reach < 0 || (reach === 0 && !operator.endsWith('=')))
    return `\`${figure}\` can never be \`${operator} ${number}\``;
  // Whoever writes a number of visitors has already said how many matter.
  return { ...base, condition: { of, operator, percent }, min: Number(min ?? (isPercent ? fewVisitors : 0)) };
}
