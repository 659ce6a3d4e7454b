import * as z from 'zod/mini';
import type { ChangesSince, ContextChoice, ContinueChoice } from './agent/context-inputs.ts';
import { agentInputs } from './agent/inputs.ts';
import { missingPrompt } from './agent/missing-prompt.ts';
import type { Permission } from './agent/permissions.ts';
import { collectInputs } from './collect/inputs.ts';
import { InputError, type InputProblem, messageOf } from './core/errors.ts';
import { commonInputs, type Mode } from './core/inputs/common.ts';
import type { RawInputs, Surroundings } from './core/inputs/given.ts';
import { type Projects, projectList } from './core/inputs/projects.ts';
import { strayInputs } from './core/inputs/stray.ts';
import type { ThreadChoice } from './core/inputs/thread.ts';
import type { PeriodChoice } from './report/window.ts';
import { shortCode } from './text/markdown.ts';
import type { AlertRule } from './visitors/alert-rules.ts';

interface CommonConfig {
  /** Where the service is, who asks, and which project is asked about: of several the first. */
  readonly service: { readonly baseUrl: string; readonly projectId: string; readonly apiKey: string };
  readonly githubToken: string | undefined;
  readonly failOn: ReadonlySet<string>;
}

export interface AgentConfig extends CommonConfig {
  readonly mode: 'agent';
  /** From `prompt` or `prompt-file`, without trailing blank lines. */
  readonly prompt: string | undefined;
  /** Why the prompt file cannot be used, for when whoever started the run is let in. */
  readonly promptProblem: InputProblem | undefined;
  readonly jobId: string | undefined;
  readonly command: string;
  readonly allow: Permission;
  /** Lower-case logins. */
  readonly allowUsers: readonly string[];
  readonly context: ContextChoice;
  /** How much may be added to the prompt, in bytes of UTF-8. */
  readonly contextLimitBytes: number;
  readonly changesSince: ChangesSince | undefined;
  /** File globs, `!` excludes; none for every file. */
  readonly paths: readonly string[];
  readonly continue: ContinueChoice;
  readonly thread: ThreadChoice;
  readonly wait: boolean;
  readonly timeoutMs: number;
  readonly dryRun: boolean;
}

export interface VisitorsConfig extends CommonConfig {
  readonly mode: 'visitors';
  /** In the order they were given; they share the key and the budget. */
  readonly projects: Projects;
  readonly period: PeriodChoice;
  /** IANA name. */
  readonly timeZone: string;
  readonly compare: 'previous' | 'none';
  /** Page globs, `!` excludes; none for every page. */
  readonly pages: readonly string[];
  /** Pages a list has at most. */
  readonly top: number;
  readonly sectionDepth: number;
  readonly charts: 'mermaid' | 'text' | 'none';
  readonly alerts: readonly AlertRule[];
  readonly maxRequests: number;
  readonly reportDir: string | undefined;
  readonly historyFile: string | undefined;
  readonly thread: ThreadChoice;
}

export interface CollectConfig extends CommonConfig {
  readonly mode: 'collect';
  readonly projects: Projects;
  /** How long after it was asked a job is looked for. */
  readonly sinceMs: number;
  readonly maxRequests: number;
  /** The slash command of the threads, for the words in them. */
  readonly command: string;
}

/** What a run was asked to do, checked whole. */
export type Config = AgentConfig | VisitorsConfig | CollectConfig;

/** Kept as written: the spaces of a prompt matter, and a mistake is shown with its line and column. */
const untrimmed: ReadonlySet<string> = new Set(['prompt', 'alerts', 'project-id']);

const secrets: ReadonlySet<string> = new Set(['api-key', 'github-token']);

/** Enough of a bad value to recognise it by. */
const shownCharacters = 80;

/**
 * Reads all inputs and reports all that is wrong with them at once.
 *
 * @throws InputError naming every bad input, what it got, and what it takes.
 */
export async function parseConfig(raw: RawInputs, surroundings: Surroundings): Promise<Config> {
  const given = Object.fromEntries(
    Object.entries(raw)
      .filter(([, value]) => value.trim() !== '')
      .map(([name, value]) => [name, untrimmed.has(name) ? value : value.trim()]),
  );
  const mode = commonInputs.mode.safeParse(given.mode);
  const arms = { agent: agentConfig, visitors: visitorsConfig, collect: collectConfig } satisfies Record<
    Mode,
    unknown
  >;
  if (!mode.success) {
    throw new InputError(problemsOf(given, z.object(commonInputs).safeParse(given)));
  }
  const stray = strayInputs(mode.data, given);
  const config = await arms[mode.data](given, surroundings).catch((error: unknown) => {
    throw error instanceof InputError ? new InputError([...stray, ...error.problems]) : error;
  });
  if (stray.length > 0) throw new InputError(stray);
  return config;
}

async function agentConfig(given: RawInputs, surroundings: Surroundings): Promise<AgentConfig> {
  const parsed = agentInputs.safeParse(given);
  const problems = problemsOf(given, parsed);
  problems.push(...severalProjects(given));
  const { prompt, promptProblem } = readPrompt(given, surroundings, problems);
  if (promptProblem !== undefined && !surroundings.judgesAuthor) problems.push(promptProblem);
  problems.push(...(await pathsProblems(given)));
  if (!parsed.success || problems.length > 0) throw new InputError(problems);
  const inputs = parsed.data;
  return {
    ...commonConfig(inputs),
    mode: 'agent',
    prompt,
    promptProblem,
    jobId: inputs['job-id'],
    command: inputs.command,
    allow: inputs.allow,
    allowUsers: inputs['allow-users'] ?? [],
    context: inputs.context,
    contextLimitBytes: inputs['context-limit'] * 1024,
    changesSince: inputs['changes-since'],
    paths: inputs.paths ?? [],
    continue: inputs.continue,
    thread: inputs.thread,
    wait: inputs.wait,
    timeoutMs: inputs['timeout-minutes'] * 60_000,
    dryRun: inputs['dry-run'],
  };
}

async function visitorsConfig(given: RawInputs, surroundings: Surroundings): Promise<VisitorsConfig> {
  const { visitorsInputs, visitorsProblems } = await import('./visitors/inputs.ts');
  const parsed = visitorsInputs.safeParse(given);
  const problems = problemsOf(given, parsed);
  problems.push(...visitorsProblems(given, surroundings));
  if (!parsed.success || problems.length > 0) throw new InputError(problems);
  const inputs = parsed.data;
  const [dateFrom, dateTo] = [inputs['date-from'] ?? '', inputs['date-to'] ?? ''];
  return {
    ...commonConfig(inputs),
    mode: 'visitors',
    projects: inputs['project-id'],
    period: inputs.period === 'custom' ? { kind: 'custom', dateFrom, dateTo } : { kind: inputs.period },
    timeZone: inputs['time-zone'],
    compare: inputs.compare,
    pages: inputs.pages ?? [],
    top: inputs.top,
    sectionDepth: inputs['section-depth'],
    charts: inputs.charts,
    alerts: inputs.alerts ?? [],
    maxRequests: inputs['max-requests'],
    reportDir: inputs['report-dir'],
    historyFile: inputs['history-file'],
    thread: inputs.thread,
  };
}

async function collectConfig(given: RawInputs): Promise<CollectConfig> {
  const parsed = collectInputs.safeParse(given);
  if (!parsed.success) throw new InputError(problemsOf(given, parsed));
  const inputs = parsed.data;
  return {
    ...commonConfig(inputs),
    mode: 'collect',
    projects: inputs['project-id'],
    sinceMs: inputs['collect-since'],
    maxRequests: inputs['max-requests'],
    command: inputs.command,
  };
}

function commonConfig(inputs: z.infer<z.ZodMiniObject<typeof commonInputs>>): CommonConfig {
  const [{ id: projectId }] = inputs['project-id'];
  return {
    service: { baseUrl: inputs['base-url'], projectId, apiKey: inputs['api-key'] },
    githubToken: inputs['github-token'],
    failOn: inputs['fail-on'],
  };
}

/** Several projects, where the agent works on one. */
function severalProjects({ 'project-id': projects }: RawInputs): InputProblem[] {
  const { length } = projectList.safeParse(projects).data ?? [];
  if (length <= 1) return [];
  const takes = `one project in \`mode: agent\`, and these are ${length}. Run each in a job of its own: \`strategy: { matrix: { project: [id1, id2] } }\` with \`project-id: \${{ matrix.project }}\``;
  return [{ input: 'project-id', got: undefined, takes }];
}

interface PromptGiven {
  readonly prompt?: string | undefined;
  /** What is wrong with the file, whoever has made it so. */
  readonly promptProblem?: InputProblem;
}

/** The prompt from whichever of the two inputs has it; what is wrong with the inputs themselves is added to `problems`. */
function readPrompt(
  given: RawInputs,
  { readFile, needsPrompt }: Surroundings,
  problems: InputProblem[],
): PromptGiven {
  const { prompt, 'prompt-file': file, 'job-id': jobId } = given;
  if (prompt === undefined && file === undefined && jobId === undefined && needsPrompt)
    problems.push(missingPrompt);
  if (file === undefined) return { prompt: prompt?.trimEnd() };
  if (prompt !== undefined) {
    problems.push({
      input: 'prompt-file',
      got: shown(file, given['api-key']),
      takes: 'a file only where `prompt` is not set: set one of the two',
    });
    return {};
  }
  const name = shortCode(shown(file, given['api-key']));
  const wrong = (takes: string): PromptGiven => ({
    promptProblem: { input: 'prompt-file', got: undefined, takes },
  });
  try {
    const text = readFile(file).trimEnd();
    return text === '' ? wrong(`${name} is blank`) : { prompt: text };
  } catch (error) {
    return wrong(`${name} cannot be used: ${messageOf(error)}`);
  }
}

/** The globs are compiled by a library that agent mode does without unless they are set. */
async function pathsProblems({ paths, 'api-key': apiKey }: RawInputs): Promise<InputProblem[]> {
  if (paths === undefined) return [];
  const { pathsTake } = await import('./agent/paths-input.ts');
  const takes = pathsTake(paths);
  return takes === undefined ? [] : [{ input: 'paths', got: shown(paths, apiKey), takes }];
}

type ParseResult = { success: true } | { success: false; error: z.core.$ZodError };

/** One problem an input: its first, since the others follow from it. */
function problemsOf(given: RawInputs, result: ParseResult): InputProblem[] {
  if (result.success) return [];
  const problems = new Map<string, InputProblem>();
  for (const issue of result.error.issues) {
    const name = String(issue.path[0]);
    if (problems.has(name)) continue;
    const value = given[name];
    problems.set(name, {
      input: name,
      got: value === undefined || secrets.has(name) ? undefined : shown(value, given['api-key']),
      takes: issue.message,
    });
  }
  return [...problems.values()];
}

/** A bad value as it may be shown: without the key and without credentials of an address, wherever they stand in it. */
function shown(value: string, apiKey: string | undefined): string {
  const bare = apiKey === undefined ? value : value.replaceAll(apiKey, '***');
  const safe = bare.replace(/(^[a-z][a-z0-9+.-]*:[\\/]*|\/\/)[^\\/?#]*@/gi, '$1***@');
  return safe.length <= shownCharacters ? safe : `${safe.slice(0, shownCharacters)}…`;
}
