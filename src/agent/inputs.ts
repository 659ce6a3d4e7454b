import * as z from 'zod/mini';
import { type InputProblem, messageOf } from '../core/errors.ts';
import { checksInput, commonInputs, failOnInput, threadInput } from '../core/inputs/common.ts';
import {
  type Checked,
  type ConfigOf,
  type RawInputs,
  type Surroundings,
  shown,
} from '../core/inputs/given.ts';
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
import { mapped } from '../core/mapped.ts';
import { shortCode } from '../text/markdown.ts';

/** Repository permissions, least first. */
export const permissions = ['read', 'triage', 'write', 'maintain', 'admin'] as const;
export type Permission = (typeof permissions)[number];

const slashCommand = text.check(
  z.regex(
    /^\/[A-Za-z][A-Za-z0-9_-]{0,38}$/,
    'must be a slash and one word, such as `/docs` (at most 40 characters)',
  ),
);

const login = text.check(
  z.regex(
    /^@?[A-Za-z0-9][A-Za-z0-9_-]{0,99}(\[bot\])?$/,
    'must be logins, one per line, such as `octocat` or `renovate[bot]`',
  ),
  z.overwrite((name) => name.replace(/^@/, '').toLowerCase()),
);

/** A job's ID becomes part of a URL path. `.` and `..` are rejected, because they change the path even if they are encoded. */
const jobId = text.check(
  z.refine((id) => id !== '.' && id !== '..', 'must be a job ID, copied from the dashboard'),
);

const context = wordsIn(
  lines,
  ['auto', 'none', 'thread', 'changes'],
  ['auto', 'none'],
  'must be auto or none by itself, or thread, changes, or both, one per line',
);

/** The tag, branch, or commit where the changes begin, or the number of days that they go back. */
const changesSince = readAs(
  'must be a tag, branch, or commit, such as `v1.2.0`, or 1 to 3650 days, such as `7 days`',
  (value) => (isRef(value) ? value : daysIn(value)),
);

/** Whether a text can name a tag, branch, or commit. The rules come from git-check-ref-format. */
function isRef(value: string): boolean {
  return /^(?![-/.])[^\s\p{Cc}~^:?*[\\]+(?<![/.])$/u.test(value) && !/\.\.|\/\/|@\{/.test(value);
}

/** Globs for file paths. The glob library is loaded only if there are any. */
const pathGlobs = checked(lines, async (globs) =>
  globs.length === 0 ? undefined : (await import('./paths-input.ts')).pathsProblem(globs),
);

/** The input is in KiB, but the config has bytes. */
const contextLimit = mapped(wholeNumber(8, 256), (kibibytes) => kibibytes * 1024);

/** The days of each period in the input `max-jobs`. */
const periods = new Map(Object.entries({ day: 1, week: 7, month: 30 }));

const maxJobs = readAs('must be a number per day, week, or month, such as `20 per day`', (value) => {
  const [, max, per = ''] = value.match(/^([1-9]\d{0,5}) per (\w+)$/) ?? [];
  const days = periods.get(per);
  return days === undefined ? undefined : { max: Number(max), per, days };
});

/** The inputs of agent mode. */
export const agentInputs = {
  ...commonInputs,
  'fail-on': failOnInput('archived', 'no-changes', 'detached'),
  prompt: z.optional(z.string().check(z.overwrite((value) => value.trimEnd()))),
  'prompt-file': z.optional(text),
  'job-id': z.optional(jobId),
  command: z.prefault(slashCommand, '/docs'),
  allow: z.prefault(oneOf(permissions), 'write'),
  'allow-users': z.prefault(z.pipe(list, z.array(login)), ''),
  context: z.prefault(context, 'auto'),
  'context-limit': z.prefault(contextLimit, '48'),
  'changes-since': z.optional(changesSince),
  paths: z.prefault(pathGlobs, ''),
  continue: z.prefault(oneOf(['auto', 'thread', 'repository', 'never']), 'auto'),
  checks: checksInput,
  'request-review': z.prefault(oneOf(['none', 'requester']), 'none'),
  thread: threadInput,
  wait: z.prefault(flag, 'true'),
  'timeout-minutes': z.prefault(wholeNumber(1, 1440), '30'),
  'dry-run': z.prefault(flag, 'false'),
  'max-jobs': z.optional(maxJobs),
};

/** The checked inputs of agent mode. `prompt` may contain the text of `prompt-file`. */
export type AgentConfig = ConfigOf<'agent', typeof agentInputs> & {
  /** What is wrong with the inputs. The run fails, but only after the person's permission was checked. */
  readonly problems?: readonly InputProblem[];
};

/** Checks the inputs of agent mode in combination, and reads the prompt file. */
export function checkAgent(
  config: Partial<AgentConfig>,
  given: RawInputs,
  surroundings: Surroundings,
): Checked {
  const { prompt, 'prompt-file': file, 'job-id': jobId } = given;
  const projects = config.projects?.length ?? 1;
  const problems: InputProblem[] = [];
  if (projects !== 1) {
    const problem = `names ${projects} projects, but \`mode: agent\` needs one\nRun each in its own job: \`strategy: { matrix: { project: [id1, id2] } }\` with \`project-id: \${{ matrix.project }}\`.`;
    problems.push({ input: 'project-id', problem });
    // Without a prompt, several projects usually mean that `mode: visitors` is missing.
  } else if ([prompt, file, jobId].every((input) => input === undefined) && surroundings.needsPrompt) {
    const problem =
      'is missing: this event has no comment to read a command from\nSet `prompt`, `prompt-file`, or `job-id`.';
    problems.push({ input: 'prompt', problem });
  }
  if (prompt !== undefined && file !== undefined)
    problems.push({ input: ['prompt', 'prompt-file'], problem: 'can’t both be set\nRemove one of them.' });
  if (config.promptFile === undefined || config.prompt !== undefined) return { problems };
  const got = readPrompt(config.promptFile, surroundings);
  return typeof got === 'string' ? { problems, fields: { prompt: got } } : { problems: [...problems, got] };
}

function readPrompt(file: string, { readFile }: Surroundings) {
  const name = shortCode(shown(file));
  const problem = (what: string) => ({ input: 'prompt-file', problem: `(${name}) ${what}` });
  try {
    return readFile(file).trimEnd() || problem('is blank');
  } catch (error) {
    return problem(`can’t be used: ${messageOf(error)}`);
  }
}
