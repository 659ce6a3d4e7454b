import type * as z from 'zod/mini';
import { configForGate } from './agent/inputs.ts';
import * as inputs from './core/common-inputs.ts';
import { InputError, type InputProblem } from './core/errors.ts';
import { type Config, type ModeName, modeInput, modeNames, modes } from './modes.ts';
import { code } from './text/markdown.ts';
import { minSecret } from './text/scrub.ts';

/**
 * Reads and checks all inputs. Even with `problems`, agent mode has a config, to check a
 * permission.
 */
export function readConfig(raw: inputs.RawInputs, surroundings: inputs.Surroundings) {
  const set = trimInputs(raw);
  const leaking = findLeaks(set);
  const safe = omit(leaking, set);

  const mode = modeInput.safeParse(set.mode).data ?? 'agent';
  const schemas: inputs.Inputs = { mode: modeInput, ...modes[mode].inputs };
  const { values, invalid } = parseInputs(schemas, safe);
  const checked = modes[mode].check(values, safe, surroundings);
  const foreign = findForeign(mode, safe);

  const problems = selectProblems(leaking, foreign, invalid, checked.problems);
  if (problems.length === 0)
    return { config: { ...values, ...checked.fields } as Config, problems };
  if (mode !== 'agent') return { config: undefined, problems };
  const bad = [...invalid, ...problems].flatMap(inputsOf);
  const good = parseInputs(schemas, omit(bad, safe));
  return { config: configForGate(good.values, set, new InputError(problems)), problems };
}

/** The inputs that are set. Space around a value means nothing, except before a prompt. */
function trimInputs(raw: inputs.RawInputs): inputs.RawInputs {
  const set: Record<string, string> = {};
  for (const [name, value] of Object.entries(raw)) {
    const trimmed = value.trim();
    if (trimmed !== '') set[name] = name === 'prompt' ? value : trimmed;
  }
  return set;
}

function omit(names: readonly string[], set: inputs.RawInputs): inputs.RawInputs {
  return Object.fromEntries(Object.entries(set).filter(([name]) => !names.includes(name)));
}

/**
 * The inputs that contain the key. They may name files or be a part of URLs, where it can't be
 * hidden.
 */
function findLeaks(set: inputs.RawInputs): string[] {
  const { 'api-key': key, ...others } = set;
  if (key === undefined || key.length < minSecret) return [];
  const leaks = Object.entries(others).filter(
    ([name, value]) => value.includes(key) && !isDefault(name, value),
  );
  return leaks.map(([name]) => name);
}

/**
 * Parses each input by itself. Returns the values by their fields in the config, and the problems
 * of the inputs that are invalid.
 */
function parseInputs(schemas: inputs.Inputs, set: inputs.RawInputs) {
  const values: Record<string, unknown> = {};
  const invalid: InputProblem[] = [];
  for (const [name, schema] of Object.entries(schemas)) {
    const parsed = schema.safeParse(set[name]);
    const issue = parsed.error?.issues[0];
    if (issue === undefined) values[inputs.fieldOf(name)] = parsed.data;
    else invalid.push(describeIssue(issue, name, set[name]));
  }
  return { values, invalid };
}

function describeIssue(issue: z.core.$ZodIssue, name: string, text?: string): InputProblem {
  const isShown = text !== undefined && name !== 'api-key' && !text.startsWith('mint_');
  return {
    input: name,
    got: isShown ? inputs.shortenValue(text) : undefined,
    problem: issue.message,
    hint: issue.code === 'custom' ? issue.params?.hint : undefined,
  };
}

/** An input that doesn't have its default, or an ending in `fail-on`. */
interface Setting {
  /** What its problem is about, such as `fail-on: alert`. */
  readonly label: string;
  readonly name: string;
  /** The modes that accept it. */
  readonly owners: readonly ModeName[];
}

function listSettings(set: inputs.RawInputs): Setting[] {
  const settings: Setting[] = [];
  for (const [name, value] of Object.entries(set)) {
    if (isDefault(name, value)) continue;
    const owners = modeNames.filter((mode) => name in modes[mode].inputs);
    settings.push({ label: name, name, owners });
  }
  for (const name of inputs.list.parse(set['fail-on'] ?? '')) {
    const accepts = (mode: ModeName) => modes[mode].inputs['fail-on']?.safeParse(name).success;
    settings.push({ label: `fail-on: ${name}`, name, owners: modeNames.filter(accepts) });
  }
  return settings;
}

/** The settings that work only in other modes: one problem for all of the same mode. */
function findForeign(mode: ModeName, set: inputs.RawInputs): InputProblem[] {
  const foreign = listSettings(set).filter(
    ({ owners }) => owners.length > 0 && !owners.includes(mode),
  );
  // The mode that was probably meant has them all.
  const meant = modeNames.filter((name) => foreign.every(({ owners }) => owners.includes(name)));
  const byModes = Map.groupBy(foreign, ({ owners }) => {
    const suggested = meant.length > 0 ? meant : owners;
    return suggested.map((name) => `\`mode: ${name}\``).join(' or ');
  });
  return Array.from(byModes, ([suggested, settings]) => describeForeign(settings, suggested));
}

function describeForeign(settings: readonly Setting[], suggested: string): InputProblem {
  const input = settings.map(({ label }) => label);
  const [first, ...others] = settings;
  if (first === undefined || others.length > 0)
    return {
      input,
      problem: `work only with ${suggested}`,
      hint: 'Set that mode, or remove them.',
    };
  const hint = `Set that mode, or remove ${code(first.name)}.`;
  return { input, problem: `works only with ${suggested}`, hint };
}

/**
 * Whether a value is the default of an input in any mode. action.yml sets all defaults in every
 * mode, so a default is never an error.
 */
function isDefault(input: string, value: string): boolean {
  return modeNames.some((mode) => {
    const usual = inputs.defaultOf(modes[mode].inputs[input]);
    return usual?.toLowerCase() === value.toLowerCase();
  });
}

type Problems = readonly InputProblem[];

/** Selects the problems that don't seem to follow from others. */
function selectProblems(
  leaking: readonly string[],
  foreign: Problems,
  invalid: Problems,
  conflicts: Problems,
): Problems {
  if (leaking.length > 0) {
    const verb = leaking.length === 1 ? 'contains' : 'contain';
    const hint = 'Remove it; the key belongs only in `api-key`.';
    return [{ input: leaking, problem: `${verb} the API key`, hint }];
  }
  const isModeInvalid = invalid.some(({ input }) => input === 'mode');
  if (isModeInvalid) {
    // Only the inputs of every mode can be judged.
    const shared = ['mode', ...Object.keys(inputs.commonInputs)];
    return invalid.filter(({ input }) => shared.includes(`${input}`));
  }
  // With the wrong mode, other inputs only seem to be missing.
  if (foreign.length > 0) return firstOfEach([...foreign, ...invalid]);
  return firstOfEach([...invalid, ...conflicts]);
}

/** The first problem of each input, because it usually causes the others. */
function firstOfEach(problems: Problems): Problems {
  const named = new Set<string>();
  return problems.filter((problem) => {
    const isFirst = ![problem.input].flat().some((name) => named.has(name));
    for (const name of inputsOf(problem)) named.add(name);
    return isFirst;
  });
}

/** The inputs that have a problem; for an ending in `fail-on`, also `fail-on` itself. */
function inputsOf(problem: InputProblem): string[] {
  const labels = [problem.input].flat();
  const names = labels.map((label) => label.replace(/:.*/, ''));
  return [...labels, ...names];
}
