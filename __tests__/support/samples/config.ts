import type { AgentConfig } from '../../../src/agent/inputs.ts';
import { readConfig } from '../../../src/config.ts';
import type { RawInputs, Surroundings } from '../../../src/core/common-inputs.ts';
import { InputError, type InputProblem } from '../../../src/core/errors.ts';
import type { Config } from '../../../src/modes.ts';
import { joinTexts } from '../../../src/text/markdown.ts';
import { plain } from '../plain.ts';

/** Surroundings in which all paths are writable, all files are empty, and the time is 0. */
export const outside: Surroundings = {
  now: () => 0,
  scrub: plain,
  needsPrompt: true,
  readFile: () => '',
  findDirectoryProblem: () => undefined,
  findLinkProblem: () => undefined,
};

const required = { 'api-key': 'mint_fake_key', 'project-id': 'prj_1' };

/** The config for these inputs. @throws InputError that lists every bad input. */
export async function parseConfig(
  raw: RawInputs,
  surroundings: Surroundings,
  read = readConfig,
): Promise<Config> {
  const { config, problems } = await read(raw, surroundings);
  if (config === undefined || problems.length > 0) throw new InputError(problems);
  return config;
}

/** The problems found when these inputs are checked together with the required inputs. */
export async function readProblems(
  inputs: RawInputs,
  over: Partial<Surroundings> = {},
): Promise<readonly InputProblem[]> {
  const { problems } = await readConfig({ ...required, ...inputs }, { ...outside, ...over });
  return problems;
}

/** The same problems in the form that tests compare: with the hint on a second line. */
export async function inputProblems(
  inputs: RawInputs,
  over: Partial<Surroundings> = {},
): Promise<readonly InputProblem[]> {
  const problems = await readProblems(inputs, over);
  return problems.map(({ problem, hint, ...more }) => ({
    ...more,
    problem: joinTexts([problem, hint], '\n'),
  }));
}

/** The agent mode config for these inputs and the required ones. */
export async function agentConfig(
  inputs: RawInputs = {},
  over: Partial<Surroundings> = {},
): Promise<AgentConfig> {
  const config = await parseConfig({ ...required, ...inputs }, { ...outside, ...over });
  if (config.mode !== 'agent') throw new Error('These inputs are not of agent mode.');
  return config;
}
