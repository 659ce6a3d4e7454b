import { DEFAULT_TOKEN } from '../github/store.ts';
import { inputVariables, readAction } from './action.ts';
import { type Ended, runChild } from './child.ts';
import { runnerEnvironment } from './environment.ts';
import {
  createRunnerFiles,
  MAX_SUMMARY_BYTES,
  parseEnvFile,
  type RunnerFiles,
  readText,
  removeRunnerFiles,
} from './files.ts';
import { type Annotation, RunnerLog } from './log.ts';
import type { RunIdentity, RunOptions } from './run-options.ts';

export type { RunOptions } from './run-options.ts';

/** How a phase of the action ended, and what it left behind. */
export interface RunResult extends Ended {
  /** The log as people see it: without workflow commands, and with secrets masked. */
  readonly log: string;
  readonly annotations: readonly Annotation[];
  readonly masks: readonly string[];
  readonly outputs: Readonly<Record<string, string>>;
  readonly state: Readonly<Record<string, string>>;
  readonly summary: string;
  readonly options: RunOptions;
  readonly identity: RunIdentity;
}

let nextRunId = 7_000_000_001;

/** Runs the action's main phase as GitHub's runner would. */
export function runAction(options: RunOptions): Promise<RunResult> {
  const { runId = nextRunId++, attempt = 1 } = options;
  const github = options.simulator?.github;
  // A re-run keeps the original creation time.
  if (github?.runs.has(runId) === false) github.addRun(runId, options.event?.name ?? 'workflow_dispatch');
  return runPhase('main', options, { runId, attempt }, {});
}

/** Runs the post phase with the state that main saved. */
export function runPost(previous: RunResult, overrides: Partial<RunOptions> = {}): Promise<RunResult> {
  const options: RunOptions = { ...undisturbed(previous.options), ...overrides };
  return runPhase('post', options, previous.identity, previous.state);
}

/** Re-runs main as "Re-run jobs" does: with the same event and run ID, as the next attempt. */
export function rerun(previous: RunResult, overrides: Partial<RunOptions> = {}): Promise<RunResult> {
  const { attempt, ...identity } = previous.identity;
  const options = { ...undisturbed(previous.options), ...identity, attempt: attempt + 1 };
  return runAction({ ...options, ...overrides });
}

/** Removes the options that canceled or killed one phase, so that they don't affect the next phase. */
function undisturbed({ signal: _, onSpawn: _seen, killAt: _passed, ...options }: RunOptions): RunOptions {
  return options;
}

async function runPhase(
  phase: 'main' | 'post',
  options: RunOptions,
  identity: RunIdentity,
  state: Readonly<Record<string, string>>,
): Promise<RunResult> {
  const action = readAction(options.distDir);
  const files = createRunnerFiles(options.event?.payload ?? {}, options.workspace);
  const log = new RunnerLog(options.onLogLine);
  try {
    const { variables, unexpected } = inputVariables(action.inputs, options.inputs, DEFAULT_TOKEN);
    if (unexpected.length > 0) {
      const valid = [...action.inputs.keys()].map((name) => `'${name}'`).join(', ');
      const names = unexpected.map((name) => `'${name}'`).join(', ');
      const message = `Unexpected input(s) ${names}, valid inputs are [${valid}]`;
      log.annotate('warning', message);
    }
    const saved = Object.entries(state).map(([name, value]) => [`STATE_${name}`, value]);
    const env = {
      ...runnerEnvironment(options, identity, files),
      ...variables,
      ...Object.fromEntries(saved),
    };
    const ended = await runChild(action[phase], { env, cwd: files.workspace }, log, options);
    return { ...ended, ...readFiles(files, log), options, identity };
  } finally {
    removeRunnerFiles(files);
  }
}

function readFiles(
  files: RunnerFiles,
  log: RunnerLog,
): Omit<RunResult, keyof Ended | 'options' | 'identity'> {
  const read = (path: string, command: string): Record<string, string> => {
    try {
      return parseEnvFile(readText(path));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const message = `Unable to process file command '${command}' successfully. ${reason}`;
      log.annotate('error', message);
      return {};
    }
  };
  const outputs = { ...log.outputs, ...read(files.output, 'output') };
  const state = { ...log.state, ...read(files.state, 'state') };
  const summary = readText(files.summary);
  const bytes = Buffer.byteLength(summary);
  if (bytes > MAX_SUMMARY_BYTES) {
    const message = `$GITHUB_STEP_SUMMARY upload aborted, supports content up to a size of 1024k, got ${Math.ceil(bytes / 1024)}k`;
    log.annotate('error', message);
  }
  const shown = bytes > MAX_SUMMARY_BYTES ? '' : summary;
  return { outputs, state, summary: shown, annotations: log.annotations, masks: log.masks, log: log.text };
}
