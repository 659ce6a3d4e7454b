import { type ChildProcess, spawn } from 'node:child_process';

import type { WebhookEvent } from '../github/types.ts';
import type { Simulator } from '../index.ts';
import { ACTION_DIR, inputVariables, postRuns, readAction } from './action.ts';
import { type CancelTimes, cancelAction } from './cancel.ts';
import { type RunIdentity, runnerEnvironment, tokenOf } from './environment.ts';
import {
  createRunnerFiles,
  MAX_SUMMARY_BYTES,
  parseEnvFile,
  type RunnerFiles,
  readText,
  removeRunnerFiles,
} from './files.ts';
import { type Annotation, LineSplitter, RunnerLog } from './log.ts';

export { cancelAction } from './cancel.ts';

export interface RunOptions {
  /** Gives the addresses of GitHub, the repository and the clock; `base-url` is an input like any other. */
  readonly simulator?: Simulator;
  readonly inputs: Readonly<Record<string, string>>;
  /** What triggered the run; a manual dispatch unless told otherwise. */
  readonly event?: WebhookEvent;
  /** Variables over the runner's own. */
  readonly env?: Readonly<Record<string, string>>;
  readonly runId?: number;
  readonly attempt?: number;
  readonly stepId?: string;
  readonly job?: string;
  /** What `${{ github.token }}` stands for. */
  readonly githubToken?: string;
  /** The folder of `action.yml`; this repository unless told otherwise. */
  readonly actionDir?: string;
  /** Where the bundle is, if not where `action.yml` says. */
  readonly distDir?: string;
  /** GITHUB_WORKSPACE; an empty folder unless told otherwise. */
  readonly workspace?: string;
  /** `jump` (with a simulated clock) ends every sleep at once. */
  readonly time?: 'jump' | 'real';
  /** Aborting cancels the run as GitHub does. */
  readonly signal?: AbortSignal;
  /** How long a cancelled run is given between the signals. */
  readonly cancelTimes?: CancelTimes;
  /** After so long the child is killed, come what may. */
  readonly killAfterMs?: number;
  readonly onSpawn?: (child: ChildProcess) => void;
  /** The log as it comes, line by line. */
  readonly onLogLine?: (line: string) => void;
}

export interface RunResult {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  /** As a person sees it: commands carried out, secrets masked. */
  readonly log: string;
  readonly annotations: readonly Annotation[];
  readonly masks: readonly string[];
  readonly outputs: Readonly<Record<string, string>>;
  readonly state: Readonly<Record<string, string>>;
  readonly summary: string;
  readonly durationMs: number;
  /** Whether the runner cancelled it, and whether its time bound did. */
  readonly cancelled: boolean;
  readonly killedByBound: boolean;
  readonly options: RunOptions;
  readonly identity: RunIdentity;
}

let nextRunId = 7_000_000_001;

/** Runs the action's main phase as GitHub's runner would. */
export function runAction(options: RunOptions): Promise<RunResult> {
  const { runId = nextRunId++, attempt = 1, stepId = '__octo-org_docs-agent', job = 'docs' } = options;
  const github = options.simulator?.github;
  // A re-run keeps the time at which the run was created.
  if (github?.runs.has(runId) === false) github.addRun(runId, options.event?.name ?? 'workflow_dispatch');
  return runPhase('main', options, { runId, attempt, stepId, job }, {});
}

/** Runs the post phase with what main saved; `undefined` where the action has none or `post-if` says no. */
export async function runPost(
  previous: RunResult,
  overrides: Partial<RunOptions> = {},
): Promise<RunResult | undefined> {
  // The abort that cancelled main is spent; the runner lets post run on.
  const { signal: _spent, onSpawn: _seen, ...kept } = previous.options;
  const options: RunOptions = { ...kept, ...overrides };
  const { post, postIf } = readAction(options.actionDir ?? ACTION_DIR, options.distDir);
  const failed = previous.exitCode !== 0 && !previous.cancelled;
  if (post === undefined || !postRuns(postIf, { failed, cancelled: previous.cancelled })) return undefined;
  return runPhase('post', options, previous.identity, previous.state);
}

/** Runs main again as "Re-run jobs" does: the same event and run, the next attempt. */
export function rerun(previous: RunResult, overrides: Partial<RunOptions> = {}): Promise<RunResult> {
  const { signal: _spent, onSpawn: _seen, ...kept } = previous.options;
  const { runId, attempt, stepId, job } = previous.identity;
  return runAction({ ...kept, runId, attempt: attempt + 1, stepId, job, ...overrides });
}

async function runPhase(
  phase: 'main' | 'post',
  options: RunOptions,
  identity: RunIdentity,
  state: Readonly<Record<string, string>>,
): Promise<RunResult> {
  const action = readAction(options.actionDir ?? ACTION_DIR, options.distDir);
  const files = createRunnerFiles(options.event?.payload ?? {}, options.workspace);
  const log = new RunnerLog(options.onLogLine);
  try {
    const { variables, unexpected } = inputVariables(action.inputs, options.inputs, tokenOf(options));
    if (unexpected.length > 0) {
      const valid = [...action.inputs.keys()].map((name) => `'${name}'`).join(', ');
      const names = unexpected.map((name) => `'${name}'`).join(', ');
      const message = `Unexpected input(s) ${names}, valid inputs are [${valid}]`;
      log.annotate({ level: 'warning', message, title: undefined });
    }
    const saved = Object.entries(state).map(([name, value]): [string, string] => [`STATE_${name}`, value]);
    const env = {
      ...runnerEnvironment(options, identity, files),
      ...variables,
      ...Object.fromEntries(saved),
    };
    const entry = phase === 'main' ? action.main : (action.post ?? action.main);
    const ended = await runChild(entry, env, files, log, options);
    return { ...ended, ...readFiles(files, log), options, identity };
  } finally {
    removeRunnerFiles(files);
  }
}

type Ended = Pick<
  RunResult,
  'exitCode' | 'signal' | 'stdout' | 'stderr' | 'durationMs' | 'cancelled' | 'killedByBound'
>;

/** Runs Node on a file until it ends, is cancelled, or has had its time. */
function runChild(
  entry: string,
  env: Readonly<Record<string, string>>,
  files: RunnerFiles,
  log: RunnerLog,
  { signal: cancel, cancelTimes, killAfterMs = 60_000, onSpawn }: RunOptions,
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const child = spawn(process.execPath, [entry], {
      env,
      cwd: files.workspace,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const stdout = collect(child.stdout, log);
    const stderr = collect(child.stderr, log);
    let killedByBound = false;
    const bound = setTimeout(() => {
      killedByBound = true;
      child.kill('SIGKILL');
    }, killAfterMs);
    const onCancel = (): void => void cancelAction(child, cancelTimes);
    if (cancel?.aborted === true) onCancel();
    cancel?.addEventListener('abort', onCancel, { once: true });
    const settle = (): void => {
      clearTimeout(bound);
      cancel?.removeEventListener('abort', onCancel);
    };
    child.once('error', (error) => {
      settle();
      reject(error);
    });
    child.once('close', (exitCode, signal) => {
      settle();
      const durationMs = performance.now() - startedAt;
      const cancelled = cancel?.aborted === true;
      resolve({ exitCode, signal, stdout: stdout(), stderr: stderr(), durationMs, cancelled, killedByBound });
    });
    onSpawn?.(child);
  });
}

/** Feeds a stream to the log line by line; the returned function ends it and gives the whole text. */
function collect(stream: NodeJS.ReadableStream, log: RunnerLog): () => string {
  const lines = new LineSplitter((line) => log.line(line));
  let text = '';
  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => {
    text += chunk;
    lines.push(chunk);
  });
  return () => {
    lines.end();
    return text;
  };
}

type Read = Pick<RunResult, 'outputs' | 'state' | 'summary' | 'annotations' | 'masks' | 'log'>;

function readFiles(files: RunnerFiles, log: RunnerLog): Read {
  const read = (path: string, command: string): Record<string, string> => {
    try {
      return parseEnvFile(readText(path));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const message = `Unable to process file command '${command}' successfully. ${reason}`;
      log.annotate({ level: 'error', message, title: undefined });
      return {};
    }
  };
  const outputs = { ...log.outputs, ...read(files.output, 'output') };
  const state = { ...log.state, ...read(files.state, 'state') };
  const summary = readText(files.summary);
  const bytes = Buffer.byteLength(summary);
  if (bytes > MAX_SUMMARY_BYTES) {
    const message = `$GITHUB_STEP_SUMMARY upload aborted, supports content up to a size of 1024k, got ${Math.ceil(bytes / 1024)}k`;
    log.annotate({ level: 'error', message, title: undefined });
  }
  const shown = bytes > MAX_SUMMARY_BYTES ? '' : summary;
  return { outputs, state, summary: shown, annotations: log.annotations, masks: log.masks, log: log.text };
}
