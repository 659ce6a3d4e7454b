import { commandWord } from './agent/command.ts';
import type { AgentConfig } from './agent/inputs.ts';
import { InputError, type InputProblem } from './core/errors.ts';
import { commonInputs } from './core/inputs/common.ts';
import { fieldOf, type Inputs, type RawInputs, type Surroundings, shown } from './core/inputs/given.ts';
import { defaultOf, list } from './core/inputs/inputs.ts';
import { type Config, type ModeName, modeInput, modeNames, modes } from './modes.ts';

/** Reads all inputs. @throws InputError that lists every bad input, its value, and what it accepts. */
export async function parseConfig(raw: RawInputs, surroundings: Surroundings): Promise<Config> {
  const given = givenOf(raw);
  const mode = modeInput.safeParse(given.mode).data;
  if (mode === undefined) {
    const { problems } = await readAll({ mode: modeInput, ...commonInputs }, given, raw);
    throw inputError(problems, given);
  }
  const { values, problems } = await readAll(modes[mode].inputs, given, raw);
  const checked = (await modes[mode].load()).check(values, given, surroundings);
  const all = [...foreignInputs(mode, given), ...problems, ...checked.problems];
  if (/^(?!mint_)./.test(given['api-key'] ?? '') && given['project-id']?.startsWith('mint_'))
    all.unshift({ input: 'api-key', takes: 'not an admin key, but `project-id` is (`mint_…`). Swap them.' });
  if (all.length > 0) throw inputError(all, given);
  return { mode, ...values, ...checked.fields } as Config;
}

/** A config for checking a person's permission although inputs are bad: those count as omitted. @throws error in other modes. */
export async function configForGate(raw: RawInputs, error: InputError): Promise<AgentConfig> {
  const { command = '', 'job-id': jobId, 'prompt-file': promptFile, mode } = givenOf(raw);
  if (!['agent', undefined].includes(modeInput.safeParse(mode).data)) throw error;
  const bad = ['context', 'paths', 'changes-since', ...error.problems.map(({ input }) => input)];
  const good = Object.fromEntries(Object.entries(raw).filter(([name]) => !bad.includes(name)));
  const { values } = await readAll(modes.agent.inputs, givenOf(good), good);
  // Comments are signed with the key and the project. Without both, only the reaction is possible.
  const nobody: object = { apiKey: '', projects: [{ id: '', name: '' }], thread: 'none' };
  const owner = values.apiKey && values.projects ? {} : nobody;
  const trigger = { mode: 'agent', command: commandWord(command), jobId, promptFile };
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
    if (issue !== undefined) problems.push({ input: name, got, takes: issue.message });
  }
  return { values, problems };
}

/** The problems with inputs and `fail-on` values that only other modes use. */
function foreignInputs(mode: ModeName, given: RawInputs): InputProblem[] {
  const set = Object.keys(given).filter((input) => !modeNames.some((name) => isDefault(given, input, name)));
  const endings = list.parse(given['fail-on'] ?? '');
  const isEnding = (name: ModeName, ending: string) =>
    modes[name].inputs['fail-on']?.safeParse(ending).success === true;
  return [
    ...foreignValues(mode, 'mode', set, (name, input) => input in modes[name].inputs),
    ...foreignValues(mode, 'fail-on', endings, isEnding),
  ];
}

/** Whether an input has the default of a mode. action.yml sets all defaults in every mode, so a default is never an error. */
function isDefault(given: RawInputs, input: string, mode: ModeName): boolean {
  const usual = defaultOf(modes[mode].inputs[input]);
  return usual?.toLowerCase() === given[input]?.toLowerCase();
}

/** One problem that lists the values that only other modes accept. */
function foreignValues(
  mode: ModeName,
  input: string,
  values: readonly string[],
  accepts: (name: ModeName, word: string) => boolean,
): InputProblem[] {
  const ownersOf = (word: string) => modeNames.filter((name) => accepts(name, word));
  const foreign = values.filter((word) => ownersOf(word).length > 0 && !accepts(mode, word));
  if (foreign.length === 0) return [];
  const listed = (words: readonly string[]) =>
    new Intl.ListFormat('en-US').format(words.map((word) => `\`${word}\``));
  const named = (owners: readonly ModeName[]) => listed(owners.map((owner) => `mode: ${owner}`));
  const owned = Array.from(
    Map.groupBy(foreign, (word) => named(ownersOf(word))),
    ([owners, own]) => `${listed(own)} ${own.length === 1 ? 'belongs' : 'belong'} to ${owners}`,
  );
  return [{ input, got: undefined, takes: `${owned.join('; ')}, but this is ${named([mode])}` }];
}

/** Reports only the first problem of each input, because it usually causes the others. */
function inputError(problems: readonly InputProblem[], given: RawInputs): InputError {
  const firsts = [...Map.groupBy(problems, ({ input }) => input).values()].flatMap(([first]) => first ?? []);
  return new InputError(
    firsts.map(({ got, ...problem }) => ({ ...problem, got: got && shown(got, given['api-key']) })),
  );
}
