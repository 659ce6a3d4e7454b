import { type InputProblem, messageOf } from '../core/errors.ts';
import { type Checked, type RawInputs, type Surroundings, shown } from '../core/inputs/given.ts';
import { shortCode } from '../text/markdown.ts';
import type { AgentConfig } from './inputs.ts';

/** Checks the inputs of agent mode in combination, and reads the prompt file. */
export function checkAgent(
  config: Partial<AgentConfig>,
  given: RawInputs,
  surroundings: Surroundings,
): Checked {
  const problems = [...severalProjects(config), ...promptInputs(given, surroundings)];
  if (config.promptFile === undefined || config.prompt !== undefined) return { problems };
  const fields = readPrompt(config.promptFile, config.apiKey, surroundings);
  // The file may come from a stranger, who must not be able to make the step fail.
  if (fields.promptProblem !== undefined && !surroundings.checksAuthor) problems.push(fields.promptProblem);
  return { problems, fields };
}

function severalProjects({ projects }: Partial<AgentConfig>): InputProblem[] {
  if (projects === undefined || projects.length === 1) return [];
  const takes = `needs one project in \`mode: agent\`, but got ${projects.length}. Run each in its own job: \`strategy: { matrix: { project: [id1, id2] } }\` with \`project-id: \${{ matrix.project }}\``;
  return [{ input: 'project-id', takes }];
}

function promptInputs(given: RawInputs, { needsPrompt }: Surroundings): InputProblem[] {
  const { prompt, 'prompt-file': file, 'job-id': jobId } = given;
  if (prompt === undefined && file === undefined && jobId === undefined && needsPrompt) {
    const how = 'This event has no comment to read a command from: set `prompt`, `prompt-file`, or `job-id`.';
    return [{ input: 'prompt', takes: `missing. ${how}` }];
  }
  if (prompt === undefined || file === undefined) return [];
  const takes = 'a file, but only if `prompt` isn’t set';
  return [{ input: 'prompt-file', got: file, takes }];
}

function readPrompt(
  file: string,
  apiKey: string | undefined,
  { readFile }: Surroundings,
): Pick<AgentConfig, 'prompt' | 'promptProblem'> {
  const name = shortCode(shown(file, apiKey));
  const problem = (what: string) => ({
    promptProblem: { input: 'prompt-file', takes: `${name} ${what}` },
  });
  try {
    const prompt = readFile(file).trimEnd();
    return prompt === '' ? problem('is blank') : { prompt };
  } catch (error) {
    return problem(`can’t be used: ${messageOf(error)}`);
  }
}
