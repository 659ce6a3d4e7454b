import type { InputProblem } from '../lib/errors.ts';

/** Nothing says what to ask the agent: no input, and no words in the event. */
export const missingPrompt: InputProblem = {
  input: 'prompt',
  got: undefined,
  takes: 'what the agent should do: set `prompt`, `prompt-file` or `job-id`',
};
