import type { InputProblem } from '../errors.ts';
import type { Mode } from './common.ts';
import type { RawInputs } from './given.ts';
import { list } from './inputs.ts';

/** The inputs of one mode alone that have no default: whoever sets one of them means that mode. */
export const ownInputs: Readonly<Record<Mode, readonly string[]>> = {
  agent: ['prompt', 'prompt-file', 'job-id', 'allow-users', 'changes-since', 'paths'],
  visitors: ['date-from', 'date-to', 'pages', 'alerts', 'report-dir', 'history-file'],
  collect: [],
};

/** The values of `fail-on` that not every mode takes: all but those of its default, which stands in every mode. */
export const ownEndings: Readonly<Record<string, readonly Mode[]>> = {
  archived: ['agent'],
  'no-changes': ['agent'],
  detached: ['agent'],
  incomplete: ['visitors', 'collect'],
  alert: ['visitors'],
};

/** Inputs, and values of `fail-on`, that are set for a mode that this run does not play: they would do nothing. */
export function strayInputs(mode: Mode, given: RawInputs): InputProblem[] {
  const others = Object.entries(ownInputs).filter(([other]) => other !== mode);
  // It has a default, and whoever sets it expects that nothing is written.
  const dry =
    mode !== 'agent' && /^true$/i.test(given['dry-run'] ?? '') ? [stray('dry-run', 'agent', mode)] : [];
  const inputs = others.flatMap(([other, names]) =>
    names.filter((name) => given[name] !== undefined).map((name) => stray(name, other, mode)),
  );
  return [...inputs, ...dry, ...strayEndings(mode, given)];
}

function stray(input: string, other: string, mode: Mode): InputProblem {
  return { input, got: undefined, takes: `belongs to \`mode: ${other}\`; this is \`mode: ${mode}\`` };
}

function strayEndings(mode: Mode, { 'fail-on': given = '' }: RawInputs): InputProblem[] {
  const endings = list.parse(given);
  return Object.entries(ownEndings)
    .filter(([ending, whose]) => endings.includes(ending) && !whose.includes(mode))
    .map(([ending, whose]) => {
      const others = whose.map((one) => `\`mode: ${one}\``).join(' and ');
      const takes = `\`${ending}\` belongs to ${others}; this is \`mode: ${mode}\``;
      return { input: 'fail-on', got: undefined, takes };
    });
}
