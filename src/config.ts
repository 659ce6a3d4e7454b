import { type AgentConfig, configForGate } from './agent/inputs.ts';
import {
  commonInputs,
  defaultOf,
  fieldOf,
  type Inputs,
  list,
  type RawInputs,
  type Surroundings,
  shown,
} from './core/common-inputs.ts';
import type { InputProblem } from './core/errors.ts';
import { type Config, type ModeName, modeInput, modeNames, modes } from './modes.ts';
import { code } from './text/markdown.ts';
import { minSecret } from './text/scrub.ts';

/** What a run reads from its inputs. */
export interface ReadInputs {
  /** With problems, the config for checking a person's permission. Only agent mode has one. */
  readonly config: Config | undefined;
  /** All bad inputs; if the key is in the wrong inputs, only those. */
  readonly problems: readonly InputProblem[];
}

/** Reads and checks all inputs. */
export async function readConfig(raw: RawInputs, surroundings: Surroundings): Promise<ReadInputs> {
  const trimmed = Object.entries(raw).map(([name, value]) => [name, value.trim()] as const);
  const set = trimmed.filter(([, value]) => value !== '');
  const leaks = leaksIn(Object.fromEntries(set));
  const given = Object.fromEntries(set.filter(([name]) => !leaks.includes(name)));
  const named = modeInput.safeParse(given.mode).data;
  const mode = named ?? 'agent';
  const inputs: Inputs = { mode: modeInput, ...modes[mode].inputs };
  const { values, unreadable } = await readAll(inputs, given, raw);
  const checked = await modes[mode].check(values, given, surroundings);
  const foreign = foreignInputs(mode, given);
  // With the wrong mode, other inputs only seem to be missing.
  const found = firstOfEach([...foreign, ...unreadable, ...(foreign.length > 0 ? [] : checked.problems)]);
  const isShared = ({ input }: InputProblem) => Object.keys({ mode, ...commonInputs }).includes(`${input}`);
  const known = named === undefined ? found.filter(isShared) : found;
  const problems = leaks.length > 0 ? [leakProblem(leaks)] : known;
  if (problems.length === 0) return { config: { ...values, ...checked.fields } as Config, problems };
  if (mode !== 'agent') return { config: undefined, problems };
  // Bad inputs count as omitted.
  for (const name of [...unreadable, ...problems].flatMap(inputsOf))
    values[fieldOf(name)] = (await inputs[name]?.safeParseAsync(undefined))?.data;
  return {
    config: configForGate(values as Partial<AgentConfig>, Object.fromEntries(set), problems),
    problems,
  };
}

/** The values of the inputs that are valid separately, by their fields in the config, and the problems of the others. */
async function readAll(inputs: Inputs, given: RawInputs, raw: RawInputs) {
  const values: Record<string, unknown> = {};
  const unreadable: InputProblem[] = [];
  for (const [name, schema] of Object.entries(inputs)) {
    const text = given[name];
    const read = await schema.safeParseAsync(text === undefined ? undefined : raw[name]);
    if (read.success) values[fieldOf(name)] = read.data;
    const [issue] = read.error?.issues ?? [];
    if (issue === undefined) continue;
    const isSecret = name === 'api-key' || text?.startsWith('mint_');
    const hint: string | undefined = issue.code === 'custom' ? issue.params?.hint : undefined;
    const got = isSecret || text === undefined ? undefined : shown(text);
    unreadable.push({ input: name, got, problem: issue.message, hint });
  }
  return { values, unreadable };
}

/** The inputs that contain the key. They may name files or be a part of URLs, where it can't be hidden. */
function leaksIn(set: RawInputs): string[] {
  const { 'api-key': key = '', ...others } = set;
  const isLeak = (name: string) =>
    others[name]?.includes(key) && !modeNames.some((mode) => isDefault(set, name, mode));
  return key.length < minSecret ? [] : Object.keys(others).filter(isLeak);
}

function leakProblem(input: readonly string[]): InputProblem {
  const problem = `${input.length === 1 ? 'contains' : 'contain'} the API key`;
  return { input, problem, hint: 'Remove it; the key belongs only in `api-key`.' };
}

/** The inputs and values of `fail-on` that work only in other modes: one problem for all of the same mode. */
function foreignInputs(mode: ModeName, given: RawInputs): InputProblem[] {
  const set = Object.keys(given).filter((input) => !modeNames.some((name) => isDefault(given, input, name)));
  const endings = list.parse(given['fail-on'] ?? '').map((ending) => `fail-on: ${ending}`);
  const ownersOf = (input: string) => modeNames.filter((name) => accepts(name, input));
  const foreign = [...set, ...endings].filter((input) => ownersOf(input).length > 0 && !accepts(mode, input));
  // The mode that was probably meant has them all.
  const meant = modeNames.filter((name) => foreign.every((input) => accepts(name, input)));
  const named = (input: string) =>
    (meant.length > 0 ? meant : ownersOf(input)).map((owner) => `\`mode: ${owner}\``);
  return [...Map.groupBy(foreign, (input) => named(input).join(' or '))].map(([owners, input]) => {
    const [works, them] =
      input.length === 1 ? ['works', code(`${input}`.replace(/^.*: /, ''))] : ['work', 'them'];
    return { input, problem: `${works} only with ${owners}`, hint: `Set that mode, or remove ${them}.` };
  });
}

/** Whether a mode has an input, or accepts a value, written as `fail-on: alert`. */
function accepts(mode: ModeName, input: string): boolean {
  const [name = '', ...ending] = input.split(': ');
  const schema = modes[mode].inputs[name];
  return schema !== undefined && (ending.length === 0 || schema.safeParse(ending.join(': ')).success);
}

/** Whether an input has the default of a mode. action.yml sets all defaults in every mode, so a default is never an error. */
function isDefault(given: RawInputs, input: string, mode: ModeName): boolean {
  const usual = defaultOf(modes[mode].inputs[input]);
  return usual?.toLowerCase() === given[input]?.toLowerCase();
}

/** The first problem of each input, because it usually causes the others. */
function firstOfEach(problems: readonly InputProblem[]): InputProblem[] {
  return problems.filter(({ input }, index) => {
    const earlier = problems.slice(0, index).flatMap(inputsOf);
    return ![input].flat().some((name) => earlier.includes(name));
  });
}

/** The inputs that have a problem; for a value of `fail-on`, also `fail-on` itself. */
function inputsOf({ input }: InputProblem): string[] {
  return [input].flat().flatMap((name) => [name, name.replace(/:.*/, '')]);
}
