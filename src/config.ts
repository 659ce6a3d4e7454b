import { type AgentConfig, configForGate } from './agent/inputs.ts';
import * as inputs from './core/common-inputs.ts';
import { InputError, type InputProblem } from './core/errors.ts';
import { type Config, type ModeName, modeInput, modeNames, modes } from './modes.ts';
import { code } from './text/markdown.ts';
import { minSecret } from './text/scrub.ts';

/** Reads and checks all inputs. Even with `problems`, agent mode has a config, to check a permission. */
export function readConfig(raw: inputs.RawInputs, surroundings: inputs.Surroundings) {
  const trimmed = Object.entries(raw).map(([name, value]) => [name, value.trim()] as const);
  const set = Object.fromEntries(trimmed.filter(([, value]) => value !== ''));
  const leaks = leaksIn(set);
  const leaky = leaks.flatMap(inputsOf);
  const given = Object.fromEntries(Object.entries(set).filter(([name]) => !leaky.includes(name)));
  const named = modeInput.safeParse(set.mode).data;
  const mode = named ?? 'agent';
  const schemas: inputs.Inputs = { mode: modeInput, ...modes[mode].inputs };
  const { values, unreadable } = readAll(schemas, given, raw);
  const checked = modes[mode].check(values, given, surroundings);
  const foreign = foreignInputs(mode, given);
  // With the wrong mode, other inputs only seem to be missing.
  const found = [...foreign, ...unreadable, ...(foreign.length > 0 ? [] : checked.problems)];
  const isShared = ({ input }: InputProblem) => `${input}` in { mode, ...inputs.commonInputs };
  const known = named === undefined ? unreadable.filter(isShared) : firstOfEach(found);
  const problems = leaks.length > 0 ? leaks : known;
  if (problems.length === 0)
    return { config: { ...values, ...checked.fields } as Config, problems };
  if (mode !== 'agent') return { config: undefined, problems };
  const bad = [...unreadable, ...problems].flatMap(inputsOf);
  for (const [name, schema] of Object.entries(schemas).filter(([name]) => bad.includes(name)))
    values[inputs.fieldOf(name)] = schema.safeParse(undefined).data;
  return {
    config: configForGate(values as Partial<AgentConfig>, set, new InputError(problems)),
    problems,
  };
}

/** The values of the inputs that are valid separately, by their fields in the config, and the problems of the others. */
function readAll(schemas: inputs.Inputs, given: inputs.RawInputs, raw: inputs.RawInputs) {
  const values: Record<string, unknown> = {};
  const unreadable: InputProblem[] = [];
  for (const [name, schema] of Object.entries(schemas)) {
    const text = given[name];
    const { success, data, error } = schema.safeParse(text && raw[name]);
    if (success) values[inputs.fieldOf(name)] = data;
    const [issue] = error?.issues ?? [];
    if (issue === undefined) continue;
    const isSecret = name === 'api-key' || text?.startsWith('mint_');
    const hint: string | undefined = issue.code === 'custom' ? issue.params?.hint : undefined;
    const got = isSecret ? undefined : text && inputs.shown(text);
    unreadable.push({ input: name, got, problem: issue.message, hint });
  }
  return { values, unreadable };
}

/** The inputs that contain the key. They may name files or be a part of URLs, where it can't be hidden. */
function leaksIn(set: inputs.RawInputs): InputProblem[] {
  const { 'api-key': key = '', ...others } = set;
  const isLeak = (name: string) =>
    others[name]?.includes(key) && !modeNames.some((mode) => isDefault(set, name, mode));
  const input = key.length < minSecret ? [] : Object.keys(others).filter(isLeak);
  if (input.length === 0) return [];
  const problem = `${input.length === 1 ? 'contains' : 'contain'} the API key`;
  return [{ input, problem, hint: 'Remove it; the key belongs only in `api-key`.' }];
}

/** The inputs and values of `fail-on` that work only in other modes: one problem for all of the same mode. */
function foreignInputs(mode: ModeName, given: inputs.RawInputs): InputProblem[] {
  const set = Object.keys(given).filter(
    (input) => !modeNames.some((name) => isDefault(given, input, name)),
  );
  const endings = inputs.list.parse(given['fail-on'] ?? '').map((ending) => `fail-on: ${ending}`);
  const ownersOf = (input: string) => modeNames.filter((name) => accepts(name, input));
  const foreign = [...set, ...endings].filter(
    (input) => ownersOf(input).length > 0 && !accepts(mode, input),
  );
  // The mode that was probably meant has them all.
  const meant = modeNames.filter((name) => foreign.every((input) => accepts(name, input)));
  const named = (input: string) =>
    (meant.length > 0 ? meant : ownersOf(input)).map((owner) => `\`mode: ${owner}\``);
  return [...Map.groupBy(foreign, (input) => named(input).join(' or '))].map(([owners, input]) => {
    const [works, them] =
      input.length === 1 ? ['works', code(`${input}`.replace(/^.*: /, ''))] : ['work', 'them'];
    return {
      input,
      problem: `${works} only with ${owners}`,
      hint: `Set that mode, or remove ${them}.`,
    };
  });
}

/** Whether a mode has an input, or accepts a value, written as `fail-on: alert`. */
function accepts(mode: ModeName, input: string): boolean {
  const [name = '', ...ending] = input.split(': ');
  const schema = modes[mode].inputs[name];
  return (
    schema !== undefined && (ending.length === 0 || schema.safeParse(ending.join(': ')).success)
  );
}

/** Whether an input has the default of a mode. action.yml sets all defaults in every mode, so a default is never an error. */
function isDefault(given: inputs.RawInputs, input: string, mode: ModeName): boolean {
  const usual = inputs.defaultOf(modes[mode].inputs[input]);
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
