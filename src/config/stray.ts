import type { InputProblem } from '../lib/errors.ts';
import type { Mode } from './common.ts';
import type { RawInputs } from './given.ts';

/** The inputs of one mode alone that have no default: whoever sets one of them means that mode. */
export const ownInputs: Readonly<Record<Mode, readonly string[]>> = {
  agent: ['prompt', 'prompt-file', 'job-id', 'allow-users', 'changes-since', 'paths'],
  visitors: ['date-from', 'date-to', 'pages', 'alerts', 'report-dir', 'history-file'],
  collect: [],
};

/** Inputs that are set for a mode that this run does not play: they would do nothing. */
export function strayInputs(mode: Mode, given: RawInputs): InputProblem[] {
  const others = Object.entries(ownInputs).filter(([other]) => other !== mode);
  return others.flatMap(([other, names]) =>
    names
      .filter((name) => given[name] !== undefined)
      .map((input) => ({
        input,
        got: undefined,
        takes: `belongs to \`mode: ${other}\`; this is \`mode: ${mode}\``,
      })),
  );
}
