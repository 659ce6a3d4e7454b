import * as z from 'zod/mini';
import { checked, daysIn, input, lines, oneOf, text, wholeNumber } from '../core/inputs/inputs.ts';

/** What of GitHub's data travels with a prompt. */
export type ContextChoice =
  | { readonly kind: 'auto' }
  | { readonly kind: 'none' }
  /** Asked for by name: where it cannot be read, nothing is asked of the agent. */
  | { readonly kind: 'named'; readonly thread: boolean; readonly changes: boolean };

/** From where on changes count. */
export type ChangesSince =
  /** A tag, branch or commit. */
  { readonly kind: 'ref'; readonly ref: string } | { readonly kind: 'days'; readonly days: number };

const continueChoices = ['auto', 'thread', 'repository', 'never'] as const;
/** Which job a prompt goes to. */
export type ContinueChoice = (typeof continueChoices)[number];

const contextTakes = 'auto or none alone, or thread and changes, on separate lines';

const context = z.pipe(
  lines,
  z.pipe(
    z
      .array(z.enum(['auto', 'none', 'thread', 'changes'], contextTakes))
      .check(
        z.refine(
          (words) => words.length === 1 || !words.some((word) => word === 'auto' || word === 'none'),
          contextTakes,
        ),
      ),
    z.transform((words): ContextChoice => {
      const [word] = words;
      if (word === 'auto' || word === 'none') return { kind: word };
      return { kind: 'named', thread: words.includes('thread'), changes: words.includes('changes') };
    }),
  ),
);

const sinceTakes =
  'a tag, branch or commit, such as `v1.2.0`, or a number of days, 1 to 3650, such as `7 days`';

const changesSince = z.pipe(
  text.check(z.refine((value) => isRef(value) || daysIn(value) <= 3650, sinceTakes)),
  z.transform((value): ChangesSince => {
    return isRef(value) ? { kind: 'ref', ref: value } : { kind: 'days', days: daysIn(value) };
  }),
);

/** As git-check-ref-format has it, as far as a name could mean something else in an address or to git. */
function isRef(value: string): boolean {
  return /^(?![-/.])[^\s\p{Cc}~^:?*[\\]+(?<![/.])$/u.test(value) && !/\.\.|\/\/|@\{/.test(value);
}

/** File globs. The library that knows them is loaded only if there are any. */
const pathGlobs = checked(lines, async (globs) =>
  globs.length === 0 ? undefined : (await import('./paths-input.ts')).pathsTake(globs),
);

/** The most that is added to a prompt, in bytes of UTF-8. */
const limit = z.pipe(
  wholeNumber(8, 256),
  z.transform((kibibytes) => kibibytes * 1024),
);

/** The inputs about what is sent with the prompt. */
export const contextInputs = {
  context: input(context, {
    description:
      'What the agent is told besides the prompt. `auto`: for a command, the issue or pull request it stands in, with a pull request’s changes; for a prompt from the inputs, nothing. `none`: the prompt alone. Or `thread`, `changes`, or both, on separate lines.',
    default: 'auto',
  }),
  'context-limit': input(limit, {
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
};
