import * as z from 'zod/mini';
import type { InputProblem } from '../core/errors.ts';
import { commonInputs, failOnInput, pathSegment, threadInput } from '../core/inputs/common.ts';
import type { ConfigOf } from '../core/inputs/given.ts';
import {
  checked,
  daysIn,
  flag,
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
export const agentInputs = {
  ...commonInputs,
  'fail-on': failOnInput('archived', 'no-changes', 'detached'),
  prompt: z.optional(z.string().check(z.overwrite((value) => value.trimEnd()))),
  'prompt-file': z.optional(text),
  'job-id': z.optional(pathSegment('a job id')),
  command: z.prefault(slashCommand, '/docs'),
  allow: z.prefault(oneOf(permissions), 'write'),
  'allow-users': z.prefault(z.pipe(list, z.array(login)), ''),
  context: z.prefault(context, 'auto'),
  'context-limit': z.prefault(contextLimit, '48'),
  'changes-since': z.optional(changesSince),
  paths: z.prefault(pathGlobs, ''),
  continue: z.prefault(oneOf(continueChoices), 'auto'),
  'request-review': z.prefault(oneOf(['none', 'asker']), 'none'),
  thread: threadInput,
  wait: z.prefault(flag, 'true'),
  'timeout-minutes': z.prefault(wholeNumber(1, 1440), '30'),
  'dry-run': z.prefault(flag, 'false'),
};

/** What a run of agent mode was asked to do. Its `prompt` may come from `prompt-file`. */
export type AgentConfig = ConfigOf<'agent', typeof agentInputs> & {
  /** Why the prompt file cannot be used. It ends the run once the person who started it is let in. */
  readonly promptProblem?: InputProblem | undefined;
};
