import type { AgentConfig } from '../../../src/agent/inputs.ts';
import { parseConfig } from '../../../src/config.ts';
import { InputError, type InputProblem } from '../../../src/core/errors.ts';
import type { RawInputs, Surroundings } from '../../../src/core/inputs/given.ts';

/** Surroundings in which all paths are writable, all files are empty, and the time is 0. */
export const outside: Surroundings = {
  now: () => 0,
  needsPrompt: true,
  readFile: () => '',
  directoryProblem: () => undefined,
  linkProblem: () => undefined,
};

const required = { 'api-key': 'mint_fake_key', 'project-id': 'prj_1' };

/** The problems found when these inputs are checked together with the required inputs. */
export async function inputProblems(
  inputs: RawInputs,
  over: Partial<Surroundings> = {},
): Promise<readonly InputProblem[]> {
  try {
    await parseConfig({ ...required, ...inputs }, { ...outside, ...over });
    return [];
  } catch (error) {
    if (error instanceof InputError) return error.problems;
    throw error;
  }
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
