import * as core from '@actions/core';
import { ActionError } from '../core/errors.ts';
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
  setOutput: (name: string, value: string) => core.setOutput(name, value),
  /** Saves a value for `post`, which gets it even if this process is killed right afterward. */
  saveState: (name: string, value: string) => core.saveState(name, value),
  /** Replaces this step's part of the job summary. Throws if the runner's file can't be written. */
  async writeSummary(markdown: string): Promise<void> {
    if (!process.env.GITHUB_STEP_SUMMARY) return;
    await core.summary.addRaw(markdown, true).write({ overwrite: true });
  },
};

/**
 * A runner that scrubs secrets from everything it writes, and escapes invisible characters in log
 * messages.
 */
export function guardRunner(runner: Runner, scrub: Scrub): Runner {
  const clean = (message: string) => escapeInvisible(scrub(message));
  /** Skips a value that hasn't changed, because each write appends to one of the runner's files. */
  const skipRepeats = (write: Runner['setOutput']): Runner['setOutput'] => {
    const written = new Map<string, string>();
    return (name, value) => {
      if (written.get(name) === value) return;
      written.set(name, value);
      write(name, scrub(value));
    };
  };
  return {
    info: (message) => runner.info(clean(message)),
    notice: (message, annotation) => runner.notice(clean(message), annotation),
    warning: (message, annotation) => runner.warning(clean(message), annotation),
    error: (message, annotation) => runner.error(clean(message), annotation),
    verbatim: (heading, text) => runner.verbatim(heading, scrub(text)),
    setOutput: skipRepeats((name, value) => runner.setOutput(name, value)),
    saveState: skipRepeats((name, value) => runner.saveState(name, value)),
    writeSummary: (markdown) => runner.writeSummary(scrub(markdown)),
  };
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
