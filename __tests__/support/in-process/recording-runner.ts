import type { Runner } from '../../../src/runner/runner.ts';

/**
 * Records what the action sends to the runner; `log` has lines in the form `level: message`.
 *
 * @param isOn whether to record; false once the simulated process is killed.
 */
export function recordingRunner(isOn = () => true) {
  const log: string[] = [];
  const outputs: Record<string, string> = {};
  const state: Record<string, string> = {};
  let summary = '';
  const print = (line: string): void => {
    if (isOn()) log.push(line);
  };
  const set = (values: Record<string, string>) => (name: string, value: string) => {
    if (isOn()) values[name] = value;
  };
  const at = (level: string) => (message: string) => print(`${level}: ${message}`);
  const runner: Runner = {
    info: at('info'),
    notice: at('notice'),
    warning: at('warning'),
    error: at('error'),
    verbatim: (heading, text) => print(`verbatim: ${heading}\n${text}`),
    setOutput: set(outputs),
    saveState: set(state),
    clearOutputs: () => undefined,
    clearState: () => undefined,
    writeSummary: async (markdown) => {
      if (isOn()) summary = markdown;
    },
  };
  return { ...runner, log, outputs, state, summary: () => summary };
}
