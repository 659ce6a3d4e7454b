import * as z from 'zod/mini';
import { commonInputs, pathSegment } from '../core/inputs/common.ts';
import { flag, input, list, oneOf, text, wholeNumber } from '../core/inputs/inputs.ts';
import { threadInput } from '../core/inputs/thread.ts';
import { contextInputs } from './context-inputs.ts';
import { permissions } from './permissions.ts';

const login = /^@?[A-Za-z0-9][A-Za-z0-9_-]{0,99}(\[bot\])?$/;

/** The inputs of agent mode. */
export const agentInputs = z.object({
  ...commonInputs,
  prompt: input(z.optional(text), {
    description:
      'What the agent should do; white space at the end is cut. On a comment event it replaces the `/docs …` command.',
  }),
  'prompt-file': input(z.optional(text), {
    description:
      'A UTF-8 text file of the workspace with the prompt, at most 256 KiB; instead of `prompt`. A byte order mark and white space at the end are cut. Links that lead out are refused.',
  }),
  'job-id': input(z.optional(pathSegment('a job id')), {
    description:
      'An existing job: with a prompt, the prompt is sent to it as a follow-up message; without one, the run attaches to it and waits.',
  }),
  command: input(
    z.prefault(
      text.check(
        z.regex(
          /^\/[A-Za-z][A-Za-z0-9_-]{0,38}$/,
          'a slash and one word, such as `/docs` (at most 40 characters)',
        ),
      ),
      '/docs',
    ),
    { description: 'The slash command listened to in comments on issues and pull requests.' },
  ),
  allow: input(z.prefault(oneOf(permissions), 'write'), {
    description:
      'Minimum repository permission a commenter needs: `read`, `triage`, `write`, `maintain` or `admin`.',
  }),
  'allow-users': input(
    z.optional(
      z.pipe(
        list,
        z.pipe(
          z.array(
            z
              .string()
              .check(
                z.regex(
                  login,
                  'logins, on separate lines; bots by their exact login, such as `renovate[bot]`',
                ),
              ),
          ),
          z.transform((logins) => logins.map((name) => name.replace(/^@/, '').toLowerCase())),
        ),
      ),
    ),
    {
      description:
        'Logins let in besides, on separate lines. A bot is let in only by its exact login, such as `renovate[bot]`.',
    },
  ),
  ...contextInputs,
  thread: threadInput,
  wait: input(z.prefault(flag, 'true'), {
    description: 'Follow the job to its end. `false` leaves it running and ends the step as `detached`.',
  }),
  'timeout-minutes': input(z.prefault(wholeNumber(1, 1440), '30'), {
    description: 'How long to follow the job, in minutes, 1 to 1440. The job itself goes on after that.',
  }),
  'dry-run': input(z.prefault(flag, 'false'), {
    description:
      'Print the exact prompt and what would happen, and check the key and the project with one read. Nothing is asked of the agent.',
  }),
});
