import type * as z from 'zod/mini';
import { configForGate } from './agent/inputs.ts';
import * as inputs from './core/common-inputs.ts';
import { InputError, type InputProblem } from './core/errors.ts';
import { type Config, type ModeName, modeInput, modeNames, modes } from './modes.ts';
import { code } from './text/markdown.ts';
import { minSecret, type Scrub } from './text/scrub.ts';

/**
 * Reads and checks all inputs. Even with `problems`, agent mode has a config, to check a
 * permission.
 */
export function readConfig(rawInputs: inputs.RawInputs, surroundings: inputs.Surroundings) {
  const texts = trimInputs(rawInputs);
  const leakingNames = findLeaks(texts);
  const safeTexts = omit(leakingNames, texts);

  // With an invalid mode, the permission is checked as in agent mode, before anyone sees the error.
  const mode = modeInput.safeParse(texts.mode).data ?? 'agent';
  const schemas: inputs.Inputs = { mode: modeInput, ...modes[mode].inputs };
  const parsed = parseInputs(schemas, safeTexts, surroundings.scrub);
  const checked = modes[mode].check(parsed.values, safeTexts, surroundings);
  const foreign = findInputsOfOtherModes(mode, safeTexts);

  // With the wrong mode, an input only seems to be missing, but one that is set is meant.
  const conflicts = checked.problems.filter(
    (problem) => foreign.length === 0 || problem.inputs.every((name) => isMeant(name, safeTexts)),
  );
  const problems = selectProblems(leakingNames, foreign, parsed.problems, conflicts);
  if (problems.length === 0)
    return { config: { ...parsed.values, ...checked.fromFiles } as Config, problems };
  if (mode !== 'agent') return { config: undefined, problems };
  // Bad inputs count as omitted, so parse again: their defaults apply.
  const badNames = [...parsed.problems, ...problems].flatMap(inputsOf);
  const good = parseInputs(schemas, omit(badNames, safeTexts), surroundings.scrub);
  // What is requested depends on which inputs are set, even if they contain the key.
  return { config: configForGate(good.values, texts, new InputError(problems)), problems };
}

/** The inputs that are set. Space around a value means nothing, except before a prompt. */
function trimInputs(rawInputs: inputs.RawInputs): inputs.RawInputs {
  const texts: Record<string, string> = {};
  for (const [name, value] of Object.entries(rawInputs)) {
    const trimmed = value.trim();
    if (trimmed === '') continue;
    texts[name] = name === 'prompt' ? value : trimmed;
  }
  return texts;
}

function omit(names: readonly string[], texts: inputs.RawInputs): inputs.RawInputs {
  return Object.fromEntries(Object.entries(texts).filter(([name]) => !names.includes(name)));
}

/**
 * Inputs that contain the key. Such a value could end up in a path or URL, where scrubbing can't
 * reach it. A default may contain the key by chance.
 */
function findLeaks(texts: inputs.RawInputs): string[] {
  const { 'api-key': key, ...others } = texts;
  if (key === undefined || key.length < minSecret) return [];
  const leaks = Object.entries(others).filter(
    ([name, value]) => value.includes(key) && !isDefault(name, value),
  );
  return leaks.map(([name]) => name);
}

/** Parses each input by itself. Returns the values by their fields in the config. */
function parseInputs(schemas: inputs.Inputs, texts: inputs.RawInputs, scrub: Scrub) {
  const values: Record<string, unknown> = {};
  const problems: InputProblem[] = [];
  for (const [name, schema] of Object.entries(schemas)) {
    const parsed = schema.safeParse(texts[name]);
    const issue = parsed.error?.issues[0];
    if (issue === undefined) values[inputs.fieldOf(name)] = parsed.data;
    else problems.push(describeIssue(issue, name, scrub, texts[name]));
  }
  return { values, problems };
}

function describeIssue(
  issue: z.core.$ZodIssue,
  name: string,
  scrub: Scrub,
  text?: string,
): InputProblem {
  const isShown = text !== undefined && name !== 'api-key' && !text.startsWith('mint_');
  return {
    inputs: [name],
    got: isShown ? inputs.shortenValue(scrub(text)) : undefined,
    problem: issue.message,
    hint: issue.code === 'custom' ? issue.params?.hint : undefined,
  };
}

/** What may belong to another mode: an input, or an ending in `fail-on`. */
interface Setting {
  /** What its problem is about, such as `fail-on: alert`. */
  readonly label: string;
  readonly name: string;
  readonly acceptedBy: readonly ModeName[];
}

/** Lists the inputs that don't have their defaults, and the endings in `fail-on`. */
function listSettings(texts: inputs.RawInputs): Setting[] {
  const settings: Setting[] = [];
  for (const [name, value] of Object.entries(texts)) {
    if (isDefault(name, value)) continue;
    const acceptedBy = modeNames.filter((mode) => name in modes[mode].inputs);
    settings.push({ label: name, name, acceptedBy });
  }
  for (const ending of inputs.list.parse(texts['fail-on'] ?? '')) {
    const accepts = (mode: ModeName) => modes[mode].inputs['fail-on']?.safeParse(ending).success;
    const acceptedBy = modeNames.filter(accepts);
    settings.push({ label: `fail-on: ${ending}`, name: ending, acceptedBy });
  }
  return settings;
}

/** The settings that work only in other modes: one problem for all of the same mode. */
function findInputsOfOtherModes(mode: ModeName, texts: inputs.RawInputs): InputProblem[] {
  // An ending that no mode accepts is invalid, and `mode` itself is an input of none.
  const foreign = listSettings(texts).filter(
    ({ acceptedBy }) => acceptedBy.length > 0 && !acceptedBy.includes(mode),
  );
  // The mode that was probably meant has them all.
  const meant = modeNames.filter((name) =>
    foreign.every(({ acceptedBy }) => acceptedBy.includes(name)),
  );
  const bySuggestion = Map.groupBy(foreign, ({ acceptedBy }) => {
    const suggested = meant.length > 0 ? meant : acceptedBy;
    return suggested.map((name) => `\`mode: ${name}\``).join(' or ');
  });
  return Array.from(bySuggestion, ([suggestion, settings]) =>
    describeForeign(settings, suggestion),
  );
}

/** `suggestion` names the modes, as Markdown. */
function describeForeign(settings: readonly Setting[], suggestion: string): InputProblem {
  const labels = settings.map(({ label }) => label);
  if (settings.length > 1) {
    const hint = 'Set that mode, or remove them.';
    return { inputs: labels, problem: `work only with ${suggestion}`, hint };
  }
  const names = settings.map(({ name }) => code(name));
  const hint = `Set that mode, or remove ${names.join()}.`;
  return { inputs: labels, problem: `works only with ${suggestion}`, hint };
}

/**
 * Whether a value is the default of an input in any mode. action.yml sets all defaults in every
 * mode, so a default is never an error.
 */
function isDefault(input: string, value: string): boolean {
  return modeNames.some((mode) => {
    const defaultText = inputs.defaultOf(modes[mode].inputs[input]);
    return defaultText?.toLowerCase() === value.toLowerCase();
  });
}

/** Whether an input is set that not every mode has. */
function isMeant(input: string, texts: inputs.RawInputs): boolean {
  return input in texts && !(input in inputs.commonInputs);
}

type Problems = readonly InputProblem[];

/** Selects the problems that don't seem to follow from others. */
function selectProblems(
  leakingNames: readonly string[],
  foreign: Problems,
  invalid: Problems,
  conflicts: Problems,
): Problems {
  if (leakingNames.length > 0) {
    const verb = leakingNames.length === 1 ? 'contains' : 'contain';
    const hint = 'Remove it; the key belongs only in `api-key`.';
    return [{ inputs: leakingNames, problem: `${verb} the API key`, hint }];
  }
  const isModeInvalid = invalid.some((problem) => problem.inputs.includes('mode'));
  if (isModeInvalid) {
    // Only the inputs of every mode can be judged.
    const shared = ['mode', ...Object.keys(inputs.commonInputs)];
    return invalid.filter((problem) => problem.inputs.every((name) => shared.includes(name)));
  }
  return firstOfEach([...foreign, ...invalid, ...conflicts]);
}

/** The first problem of each input, because it usually causes the others. */
function firstOfEach(problems: Problems): Problems {
  const reported = new Set<string>();
  return problems.filter((problem) => {
    const isFirst = problem.inputs.every((name) => !reported.has(name));
    for (const name of inputsOf(problem)) reported.add(name);
    return isFirst;
  });
}

/** The inputs that have a problem; for an ending in `fail-on`, also `fail-on` itself. */
function inputsOf(problem: InputProblem): string[] {
  const names = problem.inputs.map((label) => label.replace(/:.*/, ''));
  return [...problem.inputs, ...names];
}
