import { commandWord } from './agent/command.ts';
import type { AgentConfig } from './agent/inputs.ts';
import { InputError, type InputProblem } from './core/errors.ts';
import { commonInputs } from './core/inputs/common.ts';
import { fieldOf, type Inputs, type RawInputs, type Surroundings, shown } from './core/inputs/given.ts';
import { defaultOf, list } from './core/inputs/inputs.ts';
import { type Config, type ModeName, modeInput, modeNames, modes } from './modes.ts';
import { code } from './text/markdown.ts';
import { minSecret } from './text/scrub.ts';

/** Reads all inputs. @throws InputError that lists every bad input; if the key is in the wrong inputs, only those. */
export async function parseConfig(raw: RawInputs, surroundings: Surroundings): Promise<Config> {
  const given = givenOf(raw);
  expectNoLeak(given);
  const mode = modeInput.safeParse(given.mode).data;
  if (mode === undefined) {
    const { problems } = await readAll({ mode: modeInput, ...commonInputs }, given, raw);
    throw inputError(problems);
  }
  const { values, problems } = await readAll(modes[mode].inputs, given, raw);
  const checked = (await modes[mode].load()).check(values, given, surroundings);
  const foreign = foreignInputs(mode, given);
  // With the wrong mode, other inputs only seem to be missing.
  const all = [...foreign, ...problems, ...(foreign.length > 0 ? [] : checked.problems)];
  if (all.length > 0) throw inputError(all);
  return { mode, ...values, ...checked.fields } as Config;
}

/** A config for checking a person's permission. Bad inputs count as omitted. @throws error in modes other than agent. */
export async function configForGate(raw: RawInputs, error: InputError): Promise<AgentConfig> {
  const { command = '', prompt, 'job-id': jobId, 'prompt-file': promptFile, mode } = givenOf(raw);
  if (!['agent', undefined].includes(modeInput.safeParse(mode).data)) throw error;
  const bad = ['context', 'paths', 'changes-since', ...error.problems.flatMap(inputsOf)];
  const good = Object.fromEntries(Object.entries(raw).filter(([name]) => !bad.includes(name)));
  const { values } = await readAll(modes.agent.inputs, givenOf(good), good);
  // Comments are signed with the key and the project.
  const nobody: object = { apiKey: '', projects: [{ id: '', name: '' }] };
  const owner = values.apiKey && values.projects ? {} : nobody;
  // A bad prompt is still a prompt, so the run isn't about a command.
  const trigger = {
    mode: 'agent',
    command: commandWord(command),
    prompt: prompt && (values.prompt ?? ''),
    jobId,
    promptFile,
  };
  return { ...values, ...owner, ...trigger, problems: error.problems } as AgentConfig;
}

function givenOf(raw: RawInputs): RawInputs {
  const trimmed = Object.entries(raw).map(([name, value]) => [name, value.trim()] as const);
  return Object.fromEntries(trimmed.filter(([, value]) => value !== ''));
}

async function readAll(inputs: Inputs, given: RawInputs, raw: RawInputs) {
  const values: Record<string, unknown> = {};
  const problems: InputProblem[] = [];
  for (const [name, schema] of Object.entries(inputs)) {
    const isSet = given[name] !== undefined;
    const read = await schema.safeParseAsync(isSet ? raw[name] : undefined);
    if (read.success) values[fieldOf(name)] = read.data;
    const [issue] = read.error?.issues ?? [];
    const got = name === 'api-key' || given[name]?.startsWith('mint_') ? undefined : given[name];
    if (issue !== undefined) problems.push({ input: name, got, problem: issue.message });
  }
  return { values, problems };
}

/** The key must not be in other inputs. They may name files or be a part of URLs, where it can't be hidden. @throws InputError */
function expectNoLeak(given: RawInputs): void {
  const { 'api-key': key = '', ...others } = given;
  const isLeak = (name: string) =>
    others[name]?.includes(key) && !modeNames.some((mode) => isDefault(given, name, mode));
  const input = key.length < minSecret ? [] : Object.keys(others).filter(isLeak);
  const contains = input.length === 1 ? 'contains' : 'contain';
  const problem = `${contains} the API key\nRemove it; the key belongs only in \`api-key\`.`;
  if (input.length > 0) throw new InputError([{ input, problem }]);
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
    return { input, problem: `${works} only with ${owners}\nSet that mode, or remove ${them}.` };
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

/** Reports only the first problem of each input, because it usually causes the others. */
function inputError(problems: readonly InputProblem[]): InputError {
  const firsts = problems.filter(({ input }, index) => {
    const earlier = problems.slice(0, index).flatMap(inputsOf);
    return ![input].flat().some((name) => earlier.includes(name));
  });
  return new InputError(firsts.map(({ got, ...problem }) => ({ ...problem, got: got && shown(got) })));
}

/** The inputs that have a problem; for a value of `fail-on`, also `fail-on` itself. */
function inputsOf({ input }: InputProblem): string[] {
  return [input].flat().flatMap((name) => [name, name.replace(/:.*/, '')]);
}
