import { afterEach, beforeEach, expect } from '@jest/globals';

import type { RecordedRequest } from '../../../simulator/http/messages.ts';
import { type Simulator, startSimulator } from '../../../simulator/index.ts';
import { readAction } from '../../../simulator/runner/action.ts';
import type { RunOptions, RunResult } from '../../../simulator/runner/runner.ts';
import { serviceInputs } from '../usual.ts';
import { runAction } from './run.ts';

/** A simulator of its own for every test, and the committed bundle run against it as GitHub's runner would. */
export interface Stage {
  readonly simulator: Simulator;
  /** Runs main with these inputs over the usual ones; what must hold of every run is checked at once. */
  play(inputs: Readonly<Record<string, string>>, options?: Partial<RunOptions>): Promise<RunResult>;
}

const declared = readAction().inputs;

/** Call once in a test file; the object it gives is filled anew before each test. */
export function useStage(): Stage {
  const { current } = useSimulator();
  return {
    get simulator() {
      return current();
    },
    async play(inputs, options) {
      const all = { ...serviceInputs(current()), ...inputs };
      for (const name of Object.keys(all)) expect(declared.has(name)).toBe(true);
      const run = await runAction({ simulator: current(), inputs: all, ...options });
      expectSound(run, all['api-key']);
      return run;
    },
  };
}

/** A new simulator for every test of a file, and whenever it is reset. */
export function useSimulator(prepare: (simulator: Simulator) => void = () => undefined) {
  let simulator: Simulator | undefined;
  const current = (): Simulator => {
    if (simulator === undefined) throw new Error('There is a simulator only while a test runs.');
    return simulator;
  };
  const close = async () => {
    await simulator?.close();
    const { violations, otherOrigin } = current();
    simulator = undefined;
    expect(violations).toEqual([]);
    expect(otherOrigin.requests).toEqual([]);
  };
  const reset = async () => {
    if (simulator !== undefined) await close();
    simulator = await startSimulator();
    prepare(simulator);
  };
  beforeEach(reset);
  afterEach(close);
  return { current, reset };
}

/** What holds of every run, however it ends. */
function expectSound(run: RunResult, apiKey: string): void {
  expect(run.killedByBound).toBe(false);
  expect(run.stderr).toBe('');
  const { outcome, reason, result } = run.outputs;
  expect(JSON.parse(result ?? '')).toMatchObject({ version: 1, outcome, reason });
  if (apiKey.trim() === '') return;
  expect(run.masks).toContain(apiKey.trim());
  const { outputs, state, summary, annotations, log } = run;
  expect(JSON.stringify({ outputs, state, summary, annotations, log })).not.toContain(apiKey.trim());
  // The command that asks the runner to mask it is the one place where the key may be written.
  expect(run.stdout.replaceAll(`::add-mask::${apiKey.trim()}`, '')).not.toContain(apiKey.trim());
}

/** The requests to the service as `METHOD path`, in the order they came. */
export function requestLines(requests: readonly RecordedRequest[]): string[] {
  return requests.map(({ method, path }) => `${method} ${path}`);
}

/** How many requests of a method the service got. */
export function countOf(method: string, { requests }: Simulator): number {
  return requests.filter((request) => request.method === method).length;
}

/** The one annotation a run ends with. */
export function lastAnnotation({ annotations }: RunResult) {
  const last = annotations.at(-1);
  if (last === undefined) throw new Error('The run left no annotation.');
  return last;
}
