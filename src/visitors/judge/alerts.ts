import type { Project } from '../../core/projects.ts';
import { shortCode } from '../../text/markdown.ts';
import type { SiteWindows } from '../read/read-sites.ts';
import type { WindowRead } from '../read/window-read.ts';
import { aiShare, type Findings } from './findings.ts';
import { changeFrom, compareToPercent, type Fraction, type Side } from './numbers.ts';

/** The counts that a figure needs, beginning with the one that `min` is about, and its usual range. */
const figures = {
  total: { needs: ['total'], range: 'total' },
  human: { needs: ['human'], range: 'human' },
  ai: { needs: ['ai'], range: 'ai' },
  'ai-share': { needs: ['total', 'ai'], range: 'share' },
} as const;
const figureNames = Object.keys(figures) as (keyof typeof figures)[];

/** A rule: `[project:] figure (unusual | < usual | > usual | operator number | operator change%) [min number]`. */
export type AlertRule = Exclude<ReturnType<typeof parseRule>, string>;

/** The result of a rule: it fired, it didn't fire, or the data to check it is missing. */
export type AlertResult = ReturnType<typeof checkAlerts>[number];

/** Project names may contain colons, so the last colon before a figure ends the name. */
const linePattern = new RegExp(`^(?:(.*):\\s+)?((${figureNames.join('|')})(?![\\w-])(.*))$`);

const conditionPattern =
  /^\s*(?:(?<range>unusual|(?<side>[<>])\s*usual)|(?<operator>[<>]=?)\s*(?<number>\d{1,12}|[+-]?\d{1,9}(\.\d{1,9})?%))(?:\s+min\s+(?<min>\d{1,15}))?$/;

/** With fewer visitors, a percentage is mostly chance. */
const fewVisitors = 20;

const withoutBefore = '`compare: none` leaves out earlier periods';

/** Parses one rule per line and skips blank lines. A mistake begins with the rule. */
export function parseAlertRules(text: string) {
  const parsed = text.split('\n').flatMap((line, index) => {
    const rule = line.trim() === '' ? [] : parseRule(line.trim());
    return typeof rule === 'string'
      ? `${shortCode(line.trim())} (line ${index + 1}): ${rule}`
      : rule;
  });
  const mistakes = parsed.filter((rule) => typeof rule === 'string');
  return { rules: parsed.filter((rule) => typeof rule !== 'string'), mistakes };
}

/** A rule, or what is wrong with it. It fires only if one of the numbers it compares has `min` visitors. */
function parseRule(line: string) {
  const [, project, text = '', name, rest = ''] = linePattern.exec(line) ?? [];
  const figure = figureNames.find((known) => known === name);
  if (figure === undefined)
    return `a rule must begin with one of these: ${figureNames.join(', ')}; for example, \`total unusual\``;
  const isShare = figure === 'ai-share';
  const {
    range,
    side,
    operator = '',
    number = '',
    min,
  } = conditionPattern.exec(rest)?.groups ?? {};
  // A rule without a project applies to all.
  const base = { text, project: project?.trim(), figure };
  if (range !== undefined) {
    const sides: Side[] =
      side === undefined ? ['fewer', 'more'] : [side === '<' ? 'fewer' : 'more'];
    return { ...base, condition: { of: 'range' as const, sides }, min: Number(min ?? fewVisitors) };
  }
  if (!(isShare ? /^\d.*%$/ : /\d/).test(number)) {
    const numbers = isShare
      ? 'or a share such as `> 60%`'
      : 'a number such as `< 1000`, or a change such as `< -30%`';
    return `after \`${figure}\`, write \`unusual\`, \`< usual\`, \`> usual\`, ${numbers}; then, if you like, \`min 50\``;
  }
  const isPercent = number.endsWith('%');
  // 100% of a count is one visitor.
  const percent = Number.parseFloat(number) * (isPercent ? 1 : 100);
  const of = isPercent && !isShare ? ('change' as const) : ('value' as const);
  const [least, most] = [of === 'change' ? -100 : 0, isShare ? 100 : Number.POSITIVE_INFINITY];
  const reach = operator.startsWith('<') ? percent - least : most - percent;
  if (reach < 0 || (reach === 0 && !operator.endsWith('=')))
    return `\`${figure}\` can never be \`${operator} ${number}\``;
  // Whoever writes a number of visitors has already said how many matter.
  return {
    ...base,
    condition: { of, operator, percent },
    min: Number(min ?? (isPercent ? fewVisitors : 0)),
  };
}

/** Whether a line of an input applies to a project: it names it, or none. */
export function isFor(
  { project }: { readonly project: string | undefined },
  { id, name }: Project,
): boolean {
  return project === undefined || project === name || project === id;
}

/** Checks every rule. The window before is compared as it is, even if one month is longer than the other. */
export function checkAlerts(rules: readonly AlertRule[], site: SiteWindows, findings: Findings) {
  return rules.map((rule) => {
    const compared = compare(rule, site, findings);
    if (typeof compared === 'string') return { rule, state: 'unchecked' as const, why: compared };
    const isFired = isMet(rule, compared, site.now);
    return isFired
      ? { rule, state: 'fired' as const, ...compared }
      : { rule, state: 'quiet' as const };
  });
}

/** The figure, with the usual range or change that the rule is about, or why that is unknown. A count is a part of 1. */
function compare(
  { figure, condition }: AlertRule,
  { now, before }: SiteWindows,
  findings: Findings,
) {
  const value = figureIn(figure, now);
  if (typeof value === 'string') return value;
  if (condition.of === 'value') return { now: value };
  if (condition.of === 'range') {
    const usual = findings.usual[figures[figure].range];
    if (usual) return { now: value, usual };
    const why = findings.whyNoRange?.said ?? 'too few earlier periods have this figure';
    return `there is no usual range: ${before === undefined ? withoutBefore : why}`;
  }
  if (before === undefined) return withoutBefore;
  const earlier = figureIn(figure, before);
  if (typeof earlier === 'string') return earlier;
  const change = changeFrom(earlier.part, value.part);
  return change === undefined
    ? `there were none in ${now.window.previousName}`
    : { now: value, change };
}

function figureIn(figure: AlertRule['figure'], { totals, window }: WindowRead): Fraction | string {
  const { needs, range } = figures[figure];
  if (needs.some((kind) => totals[kind] === undefined))
    return `it could not be read for ${window.label}`;
  if (range !== 'share') return { part: totals[range] ?? 0, whole: 1 };
  if (totals.total === 0) return 'there were no visitors';
  return aiShare(totals) ?? 'the service counted more AI visitors than visitors in total';
}

function isMet(
  { figure, condition, min }: AlertRule,
  compared: Exclude<ReturnType<typeof compare>, string>,
  { totals }: WindowRead,
): boolean {
  const { now, usual, change } = compared;
  const [kind] = figures[figure].needs;
  if (Math.max(totals[kind] ?? 0, usual?.high ?? 0, change?.whole ?? 0) < min) return false;
  if (condition.of === 'range') return usual !== undefined && condition.sides.includes(usual.side);
  const above = compareToPercent(change ?? now, condition.percent);
  return above === 0
    ? condition.operator.endsWith('=')
    : condition.operator.startsWith(above > 0 ? '>' : '<');
}
