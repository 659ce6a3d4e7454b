import type { InputProblem } from '../core/errors.ts';

/** Nothing says what to ask the agent: no input does, and the event has no comment to read a command from. */
export const missingPrompt: InputProblem = {
  input: 'prompt',
  got: undefined,
  takes:
    'missing. This event carries no comment to read a command from: set `prompt`, `prompt-file` or `job-id`.',
};
