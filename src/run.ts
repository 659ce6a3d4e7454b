import type { Config } from './config/parse.ts';
import type { Deps } from './deps.ts';
import { ActionError, describeProblem, InputError, messageOf } from './lib/errors.ts';
import { fenced } from './lib/markdown.ts';
import type { ModeResult } from './lib/outcome.ts';
import type { Runner } from './runner/runner.ts';

/** What `main.ts` hands to a run: how to read the inputs, how to build the edges they ask for, and what to do with them. */
export interface RunOptions {
  readonly runner: Runner;
  readonly mode: (config: Config, deps: Deps) => Promise<ModeResult>;
  readonly readConfig: () => Promise<Config>;
  readonly connect: (config: Config, onEnd: Deps['onEnd']) => Promise<Deps>;
}

/** One run: inputs → mode → result → outputs. Gives the exit code. */
export async function run({ runner, mode, readConfig, connect }: RunOptions): Promise<0 | 1> {
  const closings: Parameters<Deps['onEnd']>[0][] = [];
  let result: ModeResult;
  try {
    const config = await readConfig();
    result = await mode(config, await connect(config, (close) => closings.push(close)));
  } catch (error) {
    result = resultOfError(error);
  }
  for (const close of closings.reverse()) result = await close(result);
  await publish(runner, result);
  return result.red ? 1 : 0;
}

/** The registry of modes, each loaded only when it is played. */
export async function runMode(config: Config, deps: Deps): Promise<ModeResult> {
  switch (config.mode) {
    case 'agent': {
      const { runAgent } = await import('./agent/index.ts');
      return runAgent(config, deps);
    }
    case 'visitors': {
      const { runVisitors } = await import('./visitors/index.ts');
      return runVisitors(config, deps);
    }
  }
}

/** Writes the result to everywhere the runner shows it, the outputs first. */
async function publish(runner: Runner, result: ModeResult): Promise<void> {
  const { outcome, reason, outputs, message } = result;
  for (const [name, value] of Object.entries({ outcome, reason, ...outputs })) runner.setOutput(name, value);
  runner.setOutput('result', JSON.stringify({ version: 1, outcome, reason, ...result.result }));
  if (result.summary !== undefined) {
    // A summary nobody can read must not turn a run red whose work is done.
    await runner.writeSummary(result.summary).catch((error: unknown) => {
      runner.warning(`The job summary could not be written: ${messageOf(error)}`);
    });
  }
  runner[message.level](message.text, message.title === undefined ? {} : { title: message.title });
}

/**
 * Errors are red, cancellation is not: the runner marks a cancelled job itself. Nothing goes on without this run; agent
 * mode, where a job may, says so in the end of its own.
 */
function resultOfError(error: unknown): ModeResult {
  if (error instanceof ActionError && error.reason === 'cancelled') {
    return {
      outcome: 'failed',
      reason: 'cancelled',
      outputs: {},
      result: {},
      summary: undefined,
      message: { level: 'warning', title: 'Cancelled', text: error.message },
      red: false,
    };
  }
  const { reason, title, text } = explain(error);
  return {
    outcome: 'failed',
    reason,
    outputs: {},
    result: { error: text },
    summary: `### Docs Agent: ${title}\n\n${fenced(text)}\n`,
    message: { level: 'error', title: `Docs Agent: ${title}`, text },
    red: true,
  };
}

function explain(error: unknown): { reason: string; title: string; text: string } {
  if (error instanceof InputError) {
    const [count, text] = [error.problems.length, error.problems.map(describeProblem).join('\n')];
    return {
      reason: error.reason,
      title: count === 1 ? 'one input is wrong' : `${count} inputs are wrong`,
      text,
    };
  }
  if (error instanceof ActionError) {
    const text = error.hint === undefined ? error.message : `${error.message}.\n${error.hint}`;
    return { reason: error.reason, title: 'the run could not do its work', text };
  }
  return { reason: 'internal', title: 'a defect in this action', text: messageOf(error) };
}
