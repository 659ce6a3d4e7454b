import { readFileSync } from 'node:fs';

import { DEFAULT_TOKEN } from '../github/store.ts';
import { inputVariables, readAction } from './action.ts';
import { runChild } from './child.ts';
import { runnerEnvironment } from './environment.ts';
import { createRunnerFiles, parseEnvFile, type RunnerFiles, removeRunnerFiles } from './files.ts';
import { RunnerLog } from './log.ts';
import type { RunIdentity, RunOptions } from './run-options.ts';

export type { RunOptions } from './run-options.ts';

/** How a phase of the action ended, and what it left behind. */
export type RunResult = Awaited<ReturnType<typeof runPhase>>;

let nextRunId = 7_000_000_001;

/** Runs the action's main phase as GitHub's runner would. */
export function runAction(options: RunOptions): Promise<RunResult> {
  const { runId = nextRunId++, attempt = 1 } = options;
  const { github } = options.simulator;
  // A re-run keeps the original creation time.
  if (!github.runs.has(runId)) github.addRun(runId, options.event?.name ?? 'workflow_dispatch');
  return runPhase('main', options, { runId, attempt }, {});
}

/** Runs the post phase with the state that main saved. */
export function runPost(
  previous: RunResult,
  overrides: Partial<RunOptions> = {},
): Promise<RunResult> {
  const options: RunOptions = { ...undisturbed(previous.options), ...overrides };
  return runPhase('post', options, previous.identity, previous.state);
}

/** Re-runs main like the "Re-run jobs" button: with the same event and run ID, as the next attempt. */
export function rerun(
  previous: RunResult,
  overrides: Partial<RunOptions> = {},
): Promise<RunResult> {
  const { attempt, ...identity } = previous.identity;
  const options = { ...undisturbed(previous.options), ...identity, attempt: attempt + 1 };
  return runAction({ ...options, ...overrides });
}

/** Removes the options that canceled or killed one phase, so that they don't affect the next phase. */
function undisturbed({ signal: _, killAt: _passed, ...options }: RunOptions): RunOptions {
  return options;
}

async function runPhase(
  phase: 'main' | 'post',
  options: RunOptions,
  identity: RunIdentity,
  state: Readonly<Record<string, string>>,
) {
  const action = readAction(options.distDir);
  const files = createRunnerFiles(options.event?.payload ?? {}, options.workspace);
  const log = new RunnerLog(options.onLogLine);
  const { execute = runChild } = options;
  try {
    const saved = Object.entries(state).map(([name, value]) => [`STATE_${name}`, value]);
    const env = {
      ...runnerEnvironment(options, identity, files),
      ...inputVariables(action.inputs, options.inputs, DEFAULT_TOKEN),
      ...Object.fromEntries(saved),
    };
    const ended = await execute(action[phase], { env, cwd: files.workspace }, log, options);
    return { ...ended, ...readFiles(files, log), options, identity };
  } finally {
    removeRunnerFiles(files);
  }
}

/** A phase's outputs, saved state, and summary. The runner doesn't upload a summary of more than 1 MiB. */
function readFiles(files: RunnerFiles, log: RunnerLog) {
  const outputs = { ...log.outputs, ...Object.fromEntries(parseEnvFile(files.output)) };
  /** Every state that the phase saved; a later one replaces an earlier one of the same name. */
  const saved = parseEnvFile(files.state);
  const state = { ...log.state, ...Object.fromEntries(saved) };
  const summary = readFileSync(files.summary, 'utf8');
  const isUploaded = Buffer.byteLength(summary) <= 1024 * 1024;
  if (!isUploaded)
    log.annotate(
      'error',
      '$GITHUB_STEP_SUMMARY upload aborted, supports content up to a size of 1024k',
    );
  const { annotations, masks, text } = log;
  return {
    outputs,
    saved,
    state,
    summary: isUploaded ? summary : '',
    annotations,
    masks,
    log: text,
  };
}
