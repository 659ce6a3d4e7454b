import type { Runner } from '../../../src/runner/runner.ts';

/** Records what the action sends to the runner. */
export interface RecordingRunner extends Runner {
  /** Lines in the form `level: message`. */
  readonly log: string[];
  readonly outputs: Record<string, string>;
  readonly state: Record<string, string>;
  readonly summary: string;
}

/** @param isOn whether to record; false once the simulated process is killed. */
export function recordingRunner(isOn = () => true): RecordingRunner {
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
  return {
    log,
    outputs,
    state,
    get summary() {
      return summary;
    },
    info: at('info'),
    notice: at('notice'),
    warning: at('warning'),
    error: at('error'),
    verbatim: (heading, text) => print(`verbatim: ${heading}\n${text}`),
    setOutput: set(outputs),
    saveState: set(state),
    writeSummary: async (markdown) => {
      if (isOn()) summary = markdown;
    },
  };
}
