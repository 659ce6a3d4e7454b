import { truncateSync } from 'node:fs';
import * as core from '@actions/core';
import { ActionError, messageOf } from '../core/errors.ts';
import { escapeInvisible } from '../text/markdown.ts';
import type { Scrub } from '../text/scrub.ts';

type Annotation = Readonly<Pick<core.AnnotationProperties, 'title'>>;

/** The inputs by name, untrimmed, because space before a prompt may mean something. */
export function readInputs(names: readonly string[]): Record<string, string> {
  const values = names.map((name) => [name, core.getInput(name, { trimWhitespace: false })]);
  return Object.fromEntries(values);
}

export type Runner = typeof actionsRunner;

/** The runner's log, outputs, saved state, and job summary. */
export const actionsRunner = {
  /** Writes lines to the log. External text in them can't become a workflow command. */
  info: (message: string) => core.info(disarm(message)),
  notice: (message: string, annotation?: Annotation) => core.notice(message, annotation),
  warning: (message: string, annotation?: Annotation) => core.warning(message, annotation),
  error: (message: string, annotation?: Annotation) => core.error(message, annotation),
  /** Logs a text exactly as it is, under a heading, with workflow commands turned off. */
  verbatim(heading: string, text: string): void {
    const token = crypto.randomUUID();
    core.startGroup(heading);
    process.stdout.write(`::stop-commands::${token}\n${text}\n::${token}::\n`);
    core.endGroup();
  },
  /** This and all that follow throw if the runner's file can't be written. */
  setOutput: (name: string, value: string) => core.setOutput(name, value),
  /** Saves a value for `post`, which gets it even if this process is killed right afterward. */
  saveState: (name: string, value: string) => core.saveState(name, value),
  /** Removes all outputs, or all state, that this process has written. */
  clearOutputs: () => emptyFile(process.env.GITHUB_OUTPUT),
  clearState: () => emptyFile(process.env.GITHUB_STATE),
  /** Replaces this step's part of the job summary. */
  async writeSummary(markdown: string): Promise<void> {
    if (!process.env.GITHUB_STEP_SUMMARY) return;
    await core.summary.emptyBuffer().addRaw(markdown, true).write({ overwrite: true });
  },
};

/** Empties one of the runner's files. The runner gives each step its own. */
function emptyFile(path = ''): void {
  if (path !== '') truncateSync(path);
}

/** What is lost if one of the runner's files can't be written. */
const losses = {
  outputs: {
    level: 'error',
    loss: 'The outputs couldn’t be written to `GITHUB_OUTPUT`, so later steps don’t get them',
  },
  state: {
    level: 'warning',
    loss: 'The run’s state couldn’t be saved to `GITHUB_STATE`, so if the run is killed, only a later run finishes its comment',
  },
  summary: {
    level: 'warning',
    loss: 'The job summary couldn’t be written to `GITHUB_STEP_SUMMARY`',
  },
} as const;

export interface GuardedRunner extends Runner {
  /** Whether the step's outputs are missing, because they couldn't be written. */
  readonly lacksOutputs: () => boolean;
}

/**
 * A runner that scrubs secrets from everything it writes, and escapes invisible characters in log
 * messages. A file that can't be written, such as on a full disk, is only a message in the log.
 */
export function guardRunner(runner: Runner, scrub: Scrub): GuardedRunner {
  const clean = (message: string) => escapeInvisible(scrub(message));
  const report = (file: keyof typeof losses, error: unknown) => {
    const { level, loss } = losses[file];
    const hint = 'Check that the disk has space and that the runner’s files are writable.';
    runner[level](clean(`${loss}. ${hint}\n${messageOf(error)}`), { title: 'Docs Agent' });
  };
  const outputs = keepValues(runner.setOutput, runner.clearOutputs, (error) =>
    report('outputs', error),
  );
  const state = keepValues(runner.saveState, runner.clearState, (error) => report('state', error));
  return {
    info: (message) => runner.info(clean(message)),
    notice: (message, annotation) => runner.notice(clean(message), annotation),
    warning: (message, annotation) => runner.warning(clean(message), annotation),
    error: (message, annotation) => runner.error(clean(message), annotation),
    verbatim: (heading, text) => runner.verbatim(heading, scrub(text)),
    setOutput: (name, value) => outputs.set(name, scrub(value)),
    saveState: (name, value) => state.set(name, scrub(value)),
    clearOutputs: runner.clearOutputs,
    clearState: runner.clearState,
    writeSummary: (markdown) =>
      runner.writeSummary(scrub(markdown)).catch((error: unknown) => report('summary', error)),
    lacksOutputs: outputs.areMissing,
  };
}

type Write = (name: string, value: string) => void;

/**
 * Keeps the newest values in one of the runner's files. A value that hasn't changed isn't written
 * again. If one can't be written, the file is emptied: post must not act on an old state.
 */
function keepValues(write: Write, clear: () => void, onFailure: (error: unknown) => void) {
  const values = new Map<string, string>();
  let areMissing = false;
  return {
    areMissing: () => areMissing,
    set(name: string, value: string): void {
      if (areMissing || values.get(name) === value) return;
      values.set(name, value);
      const failure = failureOf(() => write(name, value));
      if (failure === undefined) return;
      areMissing = true;
      failureOf(clear);
      onFailure(failure);
    },
  };
}

/** The error that an act throws; `undefined` for none. */
function failureOf(act: () => void): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  return undefined;
}

export { debug, getInput, getState } from '@actions/core';

/** Hides a value in everything that this job logs from now on. */
export function maskSecret(value: string): void {
  if (value.trim() !== '') core.setSecret(value.trim());
}

/**
 * Aborts the signal if the job is canceled: SIGINT, 7.5 s later SIGTERM, and 2.5 s later SIGKILL
 * ("Workflow cancellation reference").
 */
export function abortOnCancel(): AbortSignal {
  const controller = new AbortController();
  const cancel = () => controller.abort(new ActionError('cancelled', 'The run was canceled'));
  process.on('SIGINT', cancel);
  process.on('SIGTERM', cancel);
  return controller.signal;
}

/**
 * The runner treats `::name::` at the start of a line and `##[name]` anywhere as a command
 * (actions/runner, ActionCommand.cs). A backslash makes it ordinary text. For .NET, NEL (U+0085)
 * is whitespace at the start of a line.
 */
function disarm(message: string): string {
  return message.replace(/^([\s\u0085]*)::/gm, '$1\\::').replaceAll('##[', '#\\#[');
}
