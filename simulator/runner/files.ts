import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Creates the files in a new directory. The event file contains the payload, and the others are empty. */
export function createRunnerFiles(event: unknown, workspace: string | undefined) {
  const directory = mkdtempSync(join(tmpdir(), 'docs-agent-run-'));
  const make = (name: string, content = ''): string => {
    const path = join(directory, name);
    writeFileSync(path, content);
    return path;
  };
  return {
    directory,
    workspace: workspace ?? mkdtempSync(join(directory, 'workspace-')),
    output: make('output'),
    state: make('state'),
    summary: make('summary.md'),
    event: make('event.json', JSON.stringify(event)),
  };
}

/** The files that a step and its runner use to communicate. */
export type RunnerFiles = ReturnType<typeof createRunnerFiles>;

export function removeRunnerFiles({ directory }: RunnerFiles): void {
  rmSync(directory, { recursive: true, force: true });
}

/** Parses `name=value` lines and `name<<DELIMITER` blocks, in order. @throws the error with which the runner would fail the step. */
export function parseEnvFile(path: string): [name: string, value: string][] {
  const values: [string, string][] = [];
  const lines = readFileSync(path, 'utf8').split(/\r?\n/);
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    if (line === '') continue;
    const [, block, delimiter] = /^([^=<]+)<<(.+)$/.exec(line) ?? [];
    const [, name, value = ''] = /^([^=]+)=(.*)$/.exec(line) ?? [];
    if (block !== undefined && delimiter !== undefined) {
      const end = lines.indexOf(delimiter, index + 1);
      if (end === -1) throw new Error(`Invalid value. Matching delimiter not found '${delimiter}'`);
      values.push([block, lines.slice(index + 1, end).join('\n')]);
      index = end;
    } else if (name !== undefined) {
      values.push([name, value]);
    } else {
      throw new Error(`Invalid format '${line}'`);
    }
  }
  return values;
}
