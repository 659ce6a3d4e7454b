import type { Runner } from '../../../src/runner/runner.ts';

/** A runner that keeps what it gets, for modules played without a process. */
export interface RecordingRunner extends Runner {
  /** `level: message`, in the order they came. */
  readonly log: string[];
  readonly outputs: Record<string, string>;
  readonly state: Record<string, string>;
}

export function recordingRunner(): RecordingRunner {
  const log: string[] = [];
  const outputs: Record<string, string> = {};
  const state: Record<string, string> = {};
  const at = (level: string) => (message: string) => void log.push(`${level}: ${message}`);
  return {
    log,
    outputs,
    state,
    info: at('info'),
    notice: at('notice'),
    warning: at('warning'),
    error: at('error'),
    verbatim: (heading, text) => void log.push(`verbatim: ${heading}\n${text}`),
    setOutput: (name, value) => void Object.assign(outputs, { [name]: value }),
    saveState: (name, value) => void Object.assign(state, { [name]: value }),
    writeSummary: () => Promise.resolve(),
  };
}
