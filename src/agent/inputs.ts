import * as z from 'zod/mini';
import type { InputProblem } from '../core/errors.ts';
import { commonInputs, failOnInput, pathSegment } from '../core/inputs/common.ts';
import type { ConfigOf } from '../core/inputs/given.ts';
import { flag, input, list, oneOf, text, wholeNumber } from '../core/inputs/inputs.ts';
import { threadInput } from '../core/inputs/thread.ts';
import { contextInputs } from './context-inputs.ts';
import { permissions } from './permissions.ts';

const slashCommand = text.check(
  z.regex(/^\/[A-Za-z][A-Za-z0-9_-]{0,38}$/, 'a slash and one word, such as `/docs` (at most 40 characters)'),
);

const login = z
  .string()
  .check(
    z.regex(
      /^@?[A-Za-z0-9][A-Za-z0-9_-]{0,99}(\[bot\])?$/,
      'logins, on separate lines; bots by their exact login, such as `renovate[bot]`',
    ),
  );

/** In lower case, without the `@`. */
const logins = z.pipe(
  list,
  z.pipe(
    z.array(login),
    z.transform((names) => names.map((name) => name.replace(/^@/, '').toLowerCase())),
  ),
);

/** The inputs of agent mode. */
export const agentInputs = z.object({
  ...commonInputs,
  'fail-on': failOnInput('archived', 'no-changes', 'detached'),
  prompt: input(text.check(z.overwrite((value) => value.trimEnd())), {
    description:
      'What the agent should do; white space at the end is cut. On a comment event it replaces the `/docs …` command.',
    asWritten: true,
  }),
  'prompt-file': input(text, {
    description:
      'A UTF-8 text file of the workspace with the prompt, at most 256 KiB; instead of `prompt`. A byte order mark and white space at the end are cut. Links that lead out are refused.',
  }),
  'job-id': input(pathSegment('a job id'), {
    description:
      'An existing job: with a prompt, the prompt is sent to it as a follow-up message; without one, the run attaches to it and waits.',
  }),
  command: input(slashCommand, {
    description: 'The slash command listened to in comments on issues and pull requests.',
    default: '/docs',
  }),
  allow: input(oneOf(permissions), {
    description:
      'Minimum repository permission a commenter needs: `read`, `triage`, `write`, `maintain` or `admin`.',
    default: 'write',
  }),
  'allow-users': input(logins, {
    description:
      'Logins let in besides, on separate lines. A bot is let in only by its exact login, such as `renovate[bot]`.',
    default: '',
  }),
  ...contextInputs,
  thread: threadInput,
  wait: input(flag, {
    description: 'Follow the job to its end. `false` leaves it running and ends the step as `detached`.',
    default: 'true',
  }),
  'timeout-minutes': input(wholeNumber(1, 1440), {
    description: 'How long to follow the job, in minutes, 1 to 1440. The job itself goes on after that.',
    default: '30',
  }),
  'dry-run': input(flag, {
    description:
      'Print the exact prompt and what would happen, and check the key and the project with one read. Nothing is asked of the agent.',
    default: 'false',
  }),
});

/** What a run of agent mode was asked to do. Its `prompt` may come from `prompt-file`. */
export type AgentConfig = ConfigOf<'agent', typeof agentInputs> & {
  /** Why the prompt file cannot be used. It ends the run once the person who started it is let in. */
  readonly promptProblem?: InputProblem | undefined;
};
