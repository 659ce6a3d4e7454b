import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ACTION_DIR } from '../../../simulator/runner/action.ts';
import { finishKilled } from '../../../src/agent/post.ts';
import { ActionError } from '../../../src/core/errors.ts';
import { type ModeResult, resultOfError } from '../../../src/core/mode-result.ts';
import { accessTo } from '../../../src/core/projects.ts';
import { createGitHub } from '../../../src/github/client.ts';
import { parseEvent } from '../../../src/github/event.ts';
import { startMode } from '../../../src/modes.ts';
import { publish } from '../../../src/publish.ts';
import { guardRunner, type Runner } from '../../../src/runner/runner.ts';
import { createDocsService } from '../../../src/service/client.ts';
import { createScrub } from '../../../src/text/scrub.ts';
import { parseConfig } from '../samples/config.ts';

/** The parts of the action that a run in this process uses. */
export type Version = typeof today;

const edges = {
  accessTo,
  createDocsService,
  createGitHub,
  createScrub,
  guardRunner,
  parseConfig,
  parseEvent,
};
interface Ends {
  readonly publish: typeof publish;
  readonly resultOfError: typeof resultOfError;
}

/** The function that publishes how a phase ended, and returns its exit code. */
function finishWith({ publish, resultOfError }: Ends) {
  return async (runner: Runner, start: () => Promise<ModeResult>): Promise<number> => {
    const result = await start().catch(resultOfError);
    await publish(runner, result);
    return result.red ? 1 : 0;
  };
}

/** The working copy's version. */
export const today = {
  ...edges,
  ActionError,
  finish: finishWith({ publish, resultOfError }),
  finishKilled,
  startMode,
};

/** Where this version and earlier ones have these parts. */
const files = [
  ...[
    'agent/post',
    'config',
    'core/errors',
    'core/mode-result',
    'core/projects',
    'github/client',
    'github/event',
  ],
  ...['modes', 'publish', 'run', 'runner/runner', 'service/client', 'text/scrub'],
];

/** The version at a commit of this repository, which needs its history. Its packages are those that are installed now. */
export async function versionAt(commit: string): Promise<Version> {
  const folder = join(ACTION_DIR, '__tests__/.versions', commit);
  const input = execFileSync('git', ['archive', commit, 'src'], {
    cwd: ACTION_DIR,
    maxBuffer: 2 ** 26,
  });
  mkdirSync(folder, { recursive: true });
  execFileSync('tar', ['-x', '-C', folder], { input });
  const paths = files.map((file) => `${folder}/src/${file}.ts`).filter(existsSync);
  const parts = Object.assign({}, ...(await Promise.all(paths.map((path) => import(path)))));
  // Earlier versions have a `parseConfig` of their own.
  const parse: Version['parseConfig'] = (raw, surroundings) =>
    parseConfig(raw, surroundings, parts.readConfig);
  if (parts.publish !== undefined)
    return { parseConfig: parse, finish: finishWith(parts), ...parts };
  // Before there was `publish`, these functions had other names.
  const finish: Version['finish'] = (runner, start) => parts.run(runner, start, false);
  const former = { startMode: parts.runMode, guardRunner: parts.guarded, finish };
  return { parseConfig: parse, ...former, ...parts };
}
