import * as z from 'zod/mini';
import * as inputs from '../core/common-inputs.ts';
import { ActionError, type InputError, type InputProblem, messageOf } from '../core/errors.ts';
import { mapSchema } from '../core/mapped.ts';
import { code } from '../text/markdown.ts';
import { commandWord } from './command.ts';
import { permissions } from './permission.ts';

const slashCommand = inputs.parseAs(
  'must be a slash and one word, such as `/docs` (at most 40 characters)',
  (word) => word.match(/^\/[A-Za-z][A-Za-z0-9_-]{0,38}$/)?.[0],
);

const login = inputs.parseAs(
  'must be logins, one per line, such as `octocat`, `renovate[bot]`, or `*[bot]`',
  (name) =>
    name.match(/^@?([A-Za-z0-9][A-Za-z0-9_-]{0,99}(?:\[bot\])?|\*\[bot\])$/)?.[1]?.toLowerCase(),
);

/**
 * A job's ID becomes part of a URL path. `.` and `..` are rejected, because they change the path
 * even if they are encoded.
 */
const jobId = inputs.parseAs('must be a job ID, copied from the dashboard', (id) => {
  if (id === '.' || id === '..') return undefined;
  return id;
});

const context = inputs.wordsIn(
  inputs.lines,
  ['auto', 'none', 'thread', 'changes'],
  ['auto', 'none'],
  'must be auto or none by itself, or thread, changes, or both, one per line',
);

const changesSince = inputs.parseAs(
  'must be a tag, branch, or commit, such as `v1.2.0`, or 1 to 3650 days, such as `7 days`',
  (value) => (inputs.isRefName(value) ? value : inputs.daysIn(value)),
);

/** What is wrong with a glob for the paths of files, besides what is wrong anywhere. */
function pathGlobProblem(glob: string) {
  const pattern = glob.replace(/^!/, '');
  // In brackets or after a backslash, `?` and `+` are ordinary characters, as in workflow files.
  const [special] = pattern.replace(/\\.|\[[^\]]*\]/g, '').match(/[?+]/) ?? [];
  if (special !== undefined) {
    const difference = `\`${special}\` means something else in a workflow’s \`paths\` filter`;
    const literal = `to match the character itself, write \`[${special}]\``;
    return `${difference}; ${literal}; for anything else, use \`*\` or \`{a,b}\``;
  }
  // With more of them, matching some paths takes minutes.
  if ((pattern.match(/\*\*/g) ?? []).length > 3) return 'use `**` at most 3 times';
  if (pattern.endsWith('/')) return 'a slash at the end matches no file; add `**`';
  return undefined;
}

/** The input is in KiB, but the config has bytes. */
const contextLimit = mapSchema(inputs.wholeNumber(8, 256), (kibibytes) => kibibytes * 1024);

const daysPer: Readonly<Record<string, number>> = { day: 1, week: 7, month: 30 };

const maxJobs = inputs.parseAs(
  'must be a number per day, week, or month, such as `20 per day`',
  (value) => {
    const syntax = /^(?<max>[1-9]\d{0,5}) per (?<per>day|week|month)$/;
    const { max, per = '' } = value.match(syntax)?.groups ?? {};
    const days = daysPer[per];
    if (days === undefined) return undefined;
    return { max: Number(max), per, days };
  },
);

export const agentInputs = {
  ...inputs.commonInputs,
  'fail-on': inputs.failOnInput('archived', 'no-changes', 'detached'),
  prompt: z.optional(z.string().check(z.overwrite((value) => value.trimEnd()))),
  'prompt-file': z.optional(inputs.text),
  'job-id': z.optional(jobId),
  command: z.prefault(slashCommand, '/docs'),
  allow: z.prefault(inputs.oneOf(permissions), 'write'),
  'allow-users': z.prefault(z.pipe(inputs.list, z.array(login)), ''),
  context: z.prefault(context, 'auto'),
  'context-limit': z.prefault(contextLimit, '48'),
  'changes-since': z.optional(changesSince),
  paths: z.prefault(inputs.globList(pathGlobProblem), ''),
  continue: z.prefault(inputs.oneOf(['auto', 'thread', 'repository', 'never']), 'auto'),
  checks: inputs.checksInput,
  'publish-branch': z.optional(inputs.branch),
  'request-review': z.prefault(inputs.oneOf(['none', 'requester']), 'none'),
  thread: inputs.threadInput,
  wait: z.prefault(inputs.flag, 'true'),
  'timeout-minutes': z.prefault(inputs.wholeNumber(1, 1440), '30'),
  'dry-run': z.prefault(inputs.flag, 'false'),
  'max-jobs': z.optional(maxJobs),
  'max-open': z.optional(inputs.wholeNumber(1, 50)),
};

/** `prompt` may contain the text of `prompt-file`. */
export type AgentConfig = inputs.ConfigOf<'agent', typeof agentInputs> & {
  /**
   * What is wrong with the inputs. The run fails, but only after the person's permission was
   * checked.
   */
  readonly inputError?: InputError;
};

/** Also reads the prompt file. */
export const checkAgent: inputs.Check<AgentConfig> = (values, texts, surroundings) => {
  const problems: InputProblem[] = [];
  const add = (input: string | string[], problem: string, hint?: string) =>
    problems.push({ inputs: [input].flat(), problem, hint });

  const { prompt, 'prompt-file': file } = texts;
  const hasRequest = prompt || file || texts['job-id'];
  const projectCount = values.projects?.length ?? 0;
  // Without a prompt, several projects usually mean that `mode: visitors` is missing, so that is
  // all we say.
  if (projectCount > 1) {
    const problem = `names ${projectCount} projects, but \`mode: agent\` needs one`;
    const matrix =
      '`strategy: { matrix: { project: [id1, id2] } }` with `project-id: ${{ matrix.project }}`';
    add('project-id', problem, `Run each in its own job: ${matrix}.`);
  } else if (surroundings.needsPrompt && !hasRequest) {
    const problem = 'is missing: this event has no comment to read a command from';
    add('prompt', problem, 'Set `prompt`, `prompt-file`, or `job-id`.');
  }
  if (prompt && file) add(['prompt', 'prompt-file'], 'can’t both be set', 'Remove one of them.');

  const { promptFile } = values;
  if (!promptFile || prompt) return { problems };
  const name = code(inputs.shortenValue(surroundings.scrub(promptFile)));
  try {
    const text = surroundings.readFile(promptFile).trimEnd();
    if (text === '') add('prompt-file', `(${name}) is blank`);
    return { problems, fromFiles: { prompt: text } };
  } catch (error) {
    const hint = error instanceof ActionError ? error.hint : undefined;
    add('prompt-file', `(${name}) can’t be used: ${messageOf(error)}`, hint);
    return { problems };
  }
};

/**
 * The config for checking a person's permission. The bad inputs count as omitted, but a bad prompt
 * is still a prompt.
 */
export function configForGate(
  values: Partial<AgentConfig>,
  texts: inputs.RawInputs,
  inputError: InputError,
): AgentConfig {
  const config = {
    ...values,
    command: commandWord(texts.command ?? ''),
    prompt: texts.prompt && (values.prompt ?? ''),
    jobId: texts['job-id'],
    promptFile: texts['prompt-file'],
    inputError,
  };
  // Comments are signed with the key and the project.
  if (!values.apiKey || !values.projects)
    Object.assign(config, { apiKey: '', projects: [{ id: '', name: '' }] });
  return config as AgentConfig;
}
