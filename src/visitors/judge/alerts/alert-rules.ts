import { shortCode } from '../../../text/markdown.ts';
import type { Side } from '../method/usual-count.ts';

/* The grammar of the input `alerts`, which has one rule per line. */

const figures = ['total', 'human', 'ai', 'ai-share'] as const;

/**
 * A rule: `[project:] figure condition [min number]`. A condition is `unusual`, `< usual`,
 * `> usual`, or an operator with a number or a change.
 */
export type AlertRule = Readonly<{
  /** The rule without its project. */
  text: string;
  /** The ID or name of the only project that the rule applies to. */
  project: string | undefined;
  figure: (typeof figures)[number];
  condition: Condition;
  /** The rule fires only if one of the numbers it compares has this many visitors. */
  min: number;
}>;

type Condition = Readonly<
  | { of: 'range'; sides: readonly Side[] }
  | { of: 'value' | 'change'; operator: string; percent: number }
>;

type Groups = NonNullable<RegExpExecArray['groups']>;

/** Project names may contain colons, so the last colon before a figure ends the name. */
const linePattern = new RegExp(
  `^(?:(?<project>.*):\\s+)?(?<text>(?<figure>${figures.join('|')})(?![\\w-])(?<rest>.*))$`,
);

const range = /(?<range>unusual|(?<side>[<>])\s*usual)/;
const threshold = /(?<operator>[<>]=?)\s*(?<number>\d{1,12}|[+-]?\d{1,9}(\.\d{1,9})?%)/;
const conditionPattern = new RegExp(
  `^\\s*(?:${range.source}|${threshold.source})(?:\\s+min\\s+(?<min>\\d{1,15}))?$`,
);

/** What a number in a rule may be. Counts are percentages, too: 100% is one visitor. */
const scales = {
  share: { of: 'value', pattern: /^\d.*%$/, unit: 1, min: 0, max: 100 },
  change: { of: 'change', pattern: /%$/, unit: 1, min: -100, max: Number.POSITIVE_INFINITY },
  count: { of: 'value', pattern: /\d$/, unit: 100, min: 0, max: Number.POSITIVE_INFINITY },
} as const;

/** With fewer visitors, a percentage is mostly chance. */
const fewVisitors = 20;

/** Parses the rules and skips blank lines. A mistake begins with the rule. */
export function parseAlertRules(text: string) {
  const rules: AlertRule[] = [];
  const mistakes: string[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    const words = line.trim();
    if (words === '') continue;
    const rule = parseRule(words);
    if (typeof rule !== 'string') rules.push(rule);
    else mistakes.push(`${shortCode(words)} (line ${index + 1}): ${rule}`);
  }
  return { rules, mistakes };
}

/** A rule, or what is wrong with it. */
function parseRule(line: string): AlertRule | string {
  const parts = linePattern.exec(line)?.groups ?? {};
  const { text = '', rest = '' } = parts;
  const figure = figures.find((known) => known === parts.figure);
  if (figure === undefined) {
    const names = figures.join(', ');
    return `a rule must begin with one of these: ${names}; for example, \`total unusual\``;
  }
  const words = conditionPattern.exec(rest)?.groups ?? {};
  const condition = parseCondition(words, figure);
  if (typeof condition === 'string') return condition;
  // Whoever writes a number of visitors has already said how many matter.
  const isCount = condition.of === 'value' && figure !== 'ai-share';
  const min = Number(words.min ?? (isCount ? 0 : fewVisitors));
  return { text, project: parts.project?.trim(), figure, condition, min };
}

/** A condition, or what is wrong with it. */
function parseCondition(words: Groups, figure: AlertRule['figure']): Condition | string {
  const isShare = figure === 'ai-share';
  if (words.range !== undefined) {
    if (isShare) return '`ai-share` has no usual range; write a share such as `> 60%`';
    if (words.range === 'unusual') return { of: 'range', sides: ['fewer', 'more'] };
    return { of: 'range', sides: [words.side === '<' ? 'fewer' : 'more'] };
  }
  const { operator = '', number = '' } = words;
  const allowed = isShare ? [scales.share] : [scales.change, scales.count];
  const scale = allowed.find(({ pattern }) => pattern.test(number));
  if (scale === undefined) {
    const conditions = isShare
      ? 'a share such as `> 60%`'
      : '`unusual`, `< usual`, `> usual`, a number such as `< 1000`, or a change such as `< -30%`';
    return `after \`${figure}\`, write ${conditions}; then, if you like, \`min 50\``;
  }
  const percent = Number.parseFloat(number) * scale.unit;
  const reach = operator.startsWith('<') ? percent - scale.min : scale.max - percent;
  // At the end of its scale, a figure can only be equal.
  if (reach < 0 || (reach === 0 && !operator.endsWith('=')))
    return `\`${figure}\` can never be \`${operator} ${number}\``;
  return { of: scale.of, operator, percent };
}
