import * as z from 'zod/mini';
import {
  type Checked,
  type ConfigOf,
  checksInput,
  commonInputs,
  daysIn,
  failOnInput,
  flag,
  globList,
  lines,
  list,
  oneOf,
  type RawInputs,
  readAs,
  type Surroundings,
  shown,
  text,
  threadInput,
  wholeNumber,
  wordsIn,
} from '../core/common-inputs.ts';
import { ActionError, type InputProblem, messageOf } from '../core/errors.ts';
import { mapped } from '../core/mapped.ts';
import { shortCode } from '../text/markdown.ts';
import { commandWord } from './command.ts';

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

/** With more `**` than this in one glob, matching some paths takes minutes. */
const maxGlobstars = 3;

/** What is wrong with a glob for the paths of files, besides what is wrong anywhere. */
function pathGlobProblem(glob: string): string | undefined {
  const pattern = glob.replace(/^!/, '');
  // In brackets or after a backslash, `?` and `+` are ordinary characters, as in workflow files.
  const [special] = pattern.replace(/\\.|\[[^\]]*\]/g, '').match(/[?+]/) ?? [];
  if (special !== undefined) {
    return `\`${special}\` means something else in a workflow’s \`paths\` filter; to match the character itself, write \`[${special}]\`, or use \`*\` and \`{a,b}\``;
  }
  if ((pattern.match(/\*\*/g) ?? []).length > maxGlobstars) return `use \`**\` at most ${maxGlobstars} times`;
  return pattern.endsWith('/') ? 'a slash at the end matches no file; add `**`' : undefined;
}

/** The input is in KiB, but the config has bytes. */
const contextLimit = mapped(wholeNumber(8, 256), (kibibytes) => kibibytes * 1024);

/** The days of each period in the input `max-jobs`. */
const periods = new Map(Object.entries({ day: 1, week: 7, month: 30 }));

const maxJobs = readAs('must be a number per day, week, or month, such as `20 per day`', (value) => {
  const [, most, per = ''] = value.match(/^([1-9]\d{0,5}) per (\w+)$/) ?? [];
  const days = periods.get(per);
  return days === undefined ? undefined : { most: Number(most), per, days };
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
  paths: z.prefault(globList(pathGlobProblem), ''),
  continue: z.prefault(oneOf(['auto', 'thread', 'repository', 'never']), 'auto'),
  checks: checksInput,
  'request-review': z.prefault(oneOf(['none', 'asker']), 'none'),
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
  { projects, promptFile }: Partial<AgentConfig>,
  { prompt, 'prompt-file': file, 'job-id': job }: RawInputs,
  surroundings: Surroundings,
): Checked {
  const problems: InputProblem[] = [];
  if (projects !== undefined && projects.length > 1) {
    const problem = `names ${projects.length} projects, but \`mode: agent\` needs one`;
    const hint =
      'Run each in its own job: `strategy: { matrix: { project: [id1, id2] } }` with `project-id: ${{ matrix.project }}`.';
    problems.push({ input: 'project-id', problem, hint });
    // Without a prompt, several projects usually mean that `mode: visitors` is missing.
  } else if ((prompt ?? file ?? job) === undefined && surroundings.needsPrompt) {
    const problem = 'is missing: this event has no comment to read a command from';
    problems.push({ input: 'prompt', problem, hint: 'Set `prompt`, `prompt-file`, or `job-id`.' });
  }
  if (prompt !== undefined && file !== undefined) {
    const input = ['prompt', 'prompt-file'];
    problems.push({ input, problem: 'can’t both be set', hint: 'Remove one of them.' });
  }
  if (promptFile === undefined || prompt !== undefined) return { problems };
  const got = readPrompt(promptFile, surroundings);
  return typeof got === 'string' ? { problems, fields: { prompt: got } } : { problems: [...problems, got] };
}

/** The text of the prompt file, or what is wrong with it. */
function readPrompt(file: string, { readFile }: Surroundings): string | InputProblem {
  const input = 'prompt-file';
  const name = shortCode(shown(file));
  try {
    return readFile(file).trimEnd() || { input, problem: `(${name}) is blank` };
  } catch (error) {
    const hint = error instanceof ActionError ? error.hint : undefined;
    return { input, problem: `(${name}) can’t be used: ${messageOf(error)}`, hint };
  }
}

/** The config for checking a person's permission. The bad inputs count as omitted, but a bad prompt is still a prompt. */
export function configForGate(
  values: Partial<AgentConfig>,
  { command = '', prompt, 'job-id': job, 'prompt-file': file }: RawInputs,
  problems: readonly InputProblem[],
): AgentConfig {
  // Comments are signed with the key and the project.
  const canSign = values.apiKey !== undefined && values.projects !== undefined;
  const nobody: object = { apiKey: '', projects: [{ id: '', name: '' }] };
  const trigger = {
    command: commandWord(command),
    prompt: prompt && (values.prompt ?? ''),
    jobId: job,
    promptFile: file,
  };
  return withProblems({ ...values, ...(canSign ? {} : nobody), ...trigger } as AgentConfig, problems);
}

/** A config with problems to report. The inputs that may not fit the event count as omitted. */
export function withProblems(config: AgentConfig, problems: readonly InputProblem[]): AgentConfig {
  return { ...config, context: ['auto'], paths: [], changesSince: undefined, problems };
}
