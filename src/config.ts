import type * as z from 'zod/mini';
import { InputError, type InputProblem } from './core/errors.ts';
import { commonInputs } from './core/inputs/common.ts';
import { fieldOf, type RawInputs, type Surroundings } from './core/inputs/given.ts';
import { inputDocs, list } from './core/inputs/inputs.ts';
import { shown } from './core/inputs/shown.ts';
import { type Config, checkInputs, type ModeName, modeInput, modeNames, modes } from './modes.ts';

type Shape = Readonly<Record<string, z.ZodMiniType>>;

/**
 * Reads all inputs and reports all that is wrong with them at once, for each input its first problem.
 *
 * @throws InputError naming every bad input, what it got, and what it takes.
 */
export async function parseConfig(raw: RawInputs, surroundings: Surroundings): Promise<Config> {
  const given = Object.fromEntries(
    Object.entries(raw)
      .map(([name, value]) => [name, value.trim()] as const)
      .filter(([, value]) => value !== ''),
  );
  const mode = modeInput.safeParse(given.mode).data;
  if (mode === undefined) {
    const { problems } = await readAll({ mode: modeInput, ...commonInputs }, given, raw);
    throw inputError(problems, given);
  }
  const { values, problems } = await readAll(modes[mode].inputs.shape, given, raw);
  const checked = await checkInputs(mode, { values, given, surroundings });
  const all = [...foreignInputs(mode, given), ...problems, ...checked.problems];
  if (all.length > 0) throw inputError(all, given);
  return { mode, ...values, ...checked.fields } as Config;
}

/** Reads each input by itself. */
async function readAll(shape: Shape, given: RawInputs, raw: RawInputs) {
  const values: Record<string, unknown> = {};
  const problems: InputProblem[] = [];
  for (const [name, schema] of Object.entries(shape)) {
    const doc = inputDocs.get(schema);
    const isSet = given[name] !== undefined;
    const read = await schema.safeParseAsync(isSet && doc?.asWritten ? raw[name] : given[name]);
    if (read.success) values[fieldOf(name)] = read.data;
    const [issue] = read.error?.issues ?? [];
    const got = doc?.secret ? undefined : given[name];
    if (issue !== undefined) problems.push({ input: name, got, takes: issue.message });
  }
  return { values, problems };
}

/** Inputs, and values of `fail-on`, that are set for another mode: they would do nothing. */
function foreignInputs(mode: ModeName, given: RawInputs): InputProblem[] {
  const inputs = Object.entries(given).flatMap(([input, value]) => {
    const owners = modeNames.filter((other) => input in modes[other].inputs.shape);
    if (owners.length === 0 || owners.includes(mode) || isDefault(input, value, owners)) return [];
    return [{ input, got: undefined, takes: `belongs to ${named(owners)}; this is ${named([mode])}` }];
  });
  return [...inputs, ...foreignEndings(mode, given)];
}

/** action.yml sets the default of every input, whatever the mode. */
function isDefault(input: string, value: string, owners: readonly ModeName[]): boolean {
  return owners.some((owner) => {
    const { [input]: schema }: Shape = modes[owner].inputs.shape;
    return schema !== undefined && inputDocs.get(schema)?.default?.toLowerCase() === value.toLowerCase();
  });
}

function foreignEndings(mode: ModeName, { 'fail-on': value = '' }: RawInputs): InputProblem[] {
  const isEndingOf = (ending: string) => (one: ModeName) =>
    modes[one].inputs.shape['fail-on'].safeParse(ending).success;
  const belongings = list.parse(value).flatMap((ending) => {
    const owners = modeNames.filter(isEndingOf(ending));
    return owners.length === 0 || owners.includes(mode) ? [] : [`\`${ending}\` belongs to ${named(owners)}`];
  });
  if (belongings.length === 0) return [];
  return [{ input: 'fail-on', got: undefined, takes: `${belongings.join(', ')}; this is ${named([mode])}` }];
}

function named(owners: readonly ModeName[]): string {
  return owners.map((owner) => `\`mode: ${owner}\``).join(' and ');
}

/** One problem an input: its first, since the others follow from it. */
function inputError(problems: readonly InputProblem[], given: RawInputs): InputError {
  const isFirst = ({ input }: InputProblem, index: number) =>
    problems.findIndex((problem) => problem.input === input) === index;
  return new InputError(
    problems.filter(isFirst).map(({ got, ...problem }) => ({
      ...problem,
      got: got === undefined ? undefined : shown(got, given['api-key']),
    })),
  );
}
