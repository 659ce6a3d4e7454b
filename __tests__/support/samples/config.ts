import type { AgentConfig } from '../../../src/agent/inputs.ts';
import { parseConfig } from '../../../src/config.ts';
import type { RawInputs, Surroundings } from '../../../src/core/inputs/given.ts';

/** A machine on which every place can be written and files are empty, at the beginning of time. */
export const outside: Surroundings = {
  now: () => 0,
  needsPrompt: true,
  judgesAuthor: false,
  readFile: () => '',
  directoryProblem: () => undefined,
  fileProblem: () => undefined,
};

/** The configuration of agent mode that these inputs give, with the required ones filled in. */
export async function agentConfig(
  inputs: RawInputs = {},
  over: Partial<Surroundings> = {},
): Promise<AgentConfig> {
  const raw = { 'api-key': 'mint_fake_key', 'project-id': 'prj_1', ...inputs };
  const config = await parseConfig(raw, { ...outside, ...over });
  if (config.mode !== 'agent') throw new Error('These inputs are not of agent mode.');
  return config;
}
