import { type InputProblem, messageOf } from '../core/errors.ts';
import { type Checked, type RawInputs, type Surroundings, shown } from '../core/inputs/given.ts';
import { shortCode } from '../text/markdown.ts';
import type { AgentConfig } from './inputs.ts';

/** Nothing says what to ask the agent: no input does, and the event has no comment to read a command from. */
export const missingPrompt = problem(
  'prompt',
  'missing. This event carries no comment to read a command from: set `prompt`, `prompt-file` or `job-id`.',
);

/** Checks the inputs of agent mode together, and reads the prompt file. */
export function checkAgent(
  config: Partial<AgentConfig>,
  given: RawInputs,
  surroundings: Surroundings,
): Checked {
  const problems = [...severalProjects(config), ...promptInputs(given, surroundings)];
  if (config.promptFile === undefined || config.prompt !== undefined) return { problems };
  const fields = readPrompt(config.promptFile, config.apiKey, surroundings);
  // A stranger may have written the file, and must not turn the step red.
  if (fields.promptProblem !== undefined && !surroundings.checksAuthor) problems.push(fields.promptProblem);
  return { problems, fields };
}

function severalProjects({ projects }: Partial<AgentConfig>): InputProblem[] {
  if (projects === undefined || projects.length === 1) return [];
  const takes = `one project in \`mode: agent\`, and these are ${projects.length}. Run each in a job of its own: \`strategy: { matrix: { project: [id1, id2] } }\` with \`project-id: \${{ matrix.project }}\``;
  return [problem('project-id', takes)];
}

function promptInputs(given: RawInputs, { needsPrompt }: Surroundings): InputProblem[] {
  const { prompt, 'prompt-file': file, 'job-id': jobId } = given;
  if (prompt === undefined && file === undefined && jobId === undefined)
    return needsPrompt ? [missingPrompt] : [];
  if (prompt === undefined || file === undefined) return [];
  return [problem('prompt-file', 'a file only where `prompt` is not set: set one of the two', file)];
}

function readPrompt(
  file: string,
  apiKey: string | undefined,
  { readFile }: Surroundings,
): Pick<AgentConfig, 'prompt' | 'promptProblem'> {
  const name = shortCode(shown(file, apiKey));
  try {
    const prompt = readFile(file).trimEnd();
    return prompt === '' ? { promptProblem: problem('prompt-file', `${name} is blank`) } : { prompt };
  } catch (error) {
    return { promptProblem: problem('prompt-file', `${name} cannot be used: ${messageOf(error)}`) };
  }
}

function problem(input: string, takes: string, got?: string): InputProblem {
  return { input, got, takes };
}
