import { type InputProblem, messageOf } from '../core/errors.ts';
import type { Checked, Surroundings, ToCheck } from '../core/inputs/given.ts';
import { shown } from '../core/inputs/shown.ts';
import { shortCode } from '../text/markdown.ts';
import type { AgentConfig } from './inputs.ts';
import { missingPrompt } from './missing-prompt.ts';

/** Checks the inputs of agent mode together, and reads the prompt file. */
export function checkAgent(inputs: ToCheck<AgentConfig>): Checked<AgentConfig> {
  const { values, given, surroundings } = inputs;
  const problems = [...severalProjects(values), ...promptInputs(given, surroundings)];
  if (values.promptFile === undefined || values.prompt !== undefined) return { problems };
  const fields = readPrompt(values.promptFile, values.apiKey, surroundings);
  // A stranger may have written the file, and must not turn the step red.
  if (fields.promptProblem !== undefined && !surroundings.judgesAuthor) problems.push(fields.promptProblem);
  return { problems, fields };
}

/** The agent works on one project. */
function severalProjects({ projects = [] }: Partial<Record<'projects', readonly unknown[]>>): InputProblem[] {
  if (projects.length <= 1) return [];
  const takes = `one project in \`mode: agent\`, and these are ${projects.length}. Run each in a job of its own: \`strategy: { matrix: { project: [id1, id2] } }\` with \`project-id: \${{ matrix.project }}\``;
  return [{ input: 'project-id', got: undefined, takes }];
}

/** Whether the inputs name a prompt, and only one. */
function promptInputs(given: ToCheck<AgentConfig>['given'], { needsPrompt }: Surroundings): InputProblem[] {
  const { prompt, 'prompt-file': file, 'job-id': jobId } = given;
  if (prompt === undefined && file === undefined && jobId === undefined)
    return needsPrompt ? [missingPrompt] : [];
  if (prompt === undefined || file === undefined) return [];
  const takes = 'a file only where `prompt` is not set: set one of the two';
  return [{ input: 'prompt-file', got: file, takes }];
}

function readPrompt(
  file: string,
  apiKey: string | undefined,
  { readFile }: Surroundings,
): Pick<AgentConfig, 'prompt' | 'promptProblem'> {
  const name = shortCode(shown(file, apiKey));
  const wrong = (takes: string) => ({ promptProblem: { input: 'prompt-file', got: undefined, takes } });
  try {
    const prompt = readFile(file).trimEnd();
    return prompt === '' ? wrong(`${name} is blank`) : { prompt };
  } catch (error) {
    return wrong(`${name} cannot be used: ${messageOf(error)}`);
  }
}
