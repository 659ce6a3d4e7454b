import * as z from 'zod/mini';
import type { InputProblem } from '../core/errors.ts';
import { commonInputs, failOnInput, pathSegment, threadInput } from '../core/inputs/common.ts';
import type { ConfigOf } from '../core/inputs/given.ts';
import {
  checked,
  daysIn,
  flag,
  input,
  lines,
  list,
  oneOf,
  readAs,
  text,
  wholeNumber,
  wordsIn,
} from '../core/inputs/inputs.ts';

/** Repository permissions, least first. */
export const permissions = ['read', 'triage', 'write', 'maintain', 'admin'] as const;
export type Permission = (typeof permissions)[number];

const slashCommand = text.check(
  z.regex(/^\/[A-Za-z][A-Za-z0-9_-]{0,38}$/, 'a slash and one word, such as `/docs` (at most 40 characters)'),
);

const login = text.check(
  z.regex(
    /^@?[A-Za-z0-9][A-Za-z0-9_-]{0,99}(\[bot\])?$/,
    'logins, on separate lines; bots by their exact login, such as `renovate[bot]`',
  ),
  z.overwrite((name) => name.replace(/^@/, '').toLowerCase()),
);

/** What of GitHub's data travels with a prompt. */
export type ContextChoice =
  | { readonly kind: 'auto' }
  | { readonly kind: 'none' }
  /** Asked for by name: where it cannot be read, nothing is asked of the agent. */
  | { readonly kind: 'named'; readonly thread: boolean; readonly changes: boolean };

const context = z.pipe(
  wordsIn(
    lines,
    ['auto', 'none', 'thread', 'changes'],
    ['auto', 'none'],
    'auto or none alone, or thread and changes, on separate lines',
  ),
  z.transform((words): ContextChoice => {
    const [word] = words;
    if (word === 'auto' || word === 'none') return { kind: word };
    return { kind: 'named', thread: words.includes('thread'), changes: words.includes('changes') };
  }),
);

/** From where on changes count: a tag, branch or commit, or a number of days. */
export type ChangesSince =
  | { readonly kind: 'ref'; readonly ref: string }
  | { readonly kind: 'days'; readonly days: number };

const changesSince = readAs(
  'a tag, branch or commit, such as `v1.2.0`, or a number of days, 1 to 3650, such as `7 days`',
  (value): ChangesSince | undefined => {
    if (isRef(value)) return { kind: 'ref', ref: value };
    const days = daysIn(value);
    return days === undefined ? undefined : { kind: 'days', days };
  },
);

/** As git-check-ref-format has it, as far as a name could mean something else in an address or to git. */
function isRef(value: string): boolean {
  return /^(?![-/.])[^\s\p{Cc}~^:?*[\\]+(?<![/.])$/u.test(value) && !/\.\.|\/\/|@\{/.test(value);
}

/** File globs. The library that knows them is loaded only if there are any. */
const pathGlobs = checked(lines, async (globs) =>
  globs.length === 0 ? undefined : (await import('./paths-input.ts')).pathsTake(globs),
);

/** In KiB; as a value in bytes of UTF-8. */
const contextLimit = z.pipe(
  wholeNumber(8, 256),
  z.transform((kibibytes) => kibibytes * 1024),
);

/** Which job a prompt goes to. */
export type ContinueChoice = (typeof continueChoices)[number];
const continueChoices = ['auto', 'thread', 'repository', 'never'] as const;

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
  'allow-users': input(z.pipe(list, z.array(login)), {
    description:
      'Logins let in besides, on separate lines. A bot is let in only by its exact login, such as `renovate[bot]`.',
    default: '',
  }),
  context: input(context, {
    description:
      'What the agent is told besides the prompt. `auto`: for a command, the issue or pull request it stands in, with a pull request’s changes; for a prompt from the inputs, nothing. `none`: the prompt alone. Or `thread`, `changes`, or both, on separate lines.',
    default: 'auto',
  }),
  'context-limit': input(contextLimit, {
    description:
      'How much is added to the prompt at most, in KiB, 8 to 256. What does not fit is counted, in the prompt and in the summary.',
    default: '48',
  }),
  'changes-since': input(changesSince, {
    description:
      'Where `changes` begin: a tag, branch or commit, or a number of days such as `7 days`. Needed where the event itself carries no change, such as a schedule.',
  }),
  paths: input(pathGlobs, {
    description:
      'Globs of the files that matter to the docs, on separate lines; `!` excludes, the last match decides. A change without such a file is skipped, and the patches of other files are not sent.',
    default: '',
  }),
  continue: input(oneOf(continueChoices), {
    description:
      'Which job gets the prompt. `auto`: a command goes on with its thread’s job, a prompt from the inputs starts a new one. `thread`: the thread’s job. `repository`: the newest job of this repository whose pull request is still open. `never`: always a new job.',
    default: 'auto',
  }),
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
