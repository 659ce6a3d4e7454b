import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ACTION_DIR } from '../../../simulator/runner/action.ts';
import { finishKilled } from '../../../src/agent/post.ts';
import { parseConfig } from '../../../src/config.ts';
import { ActionError } from '../../../src/core/errors.ts';
import { accessTo } from '../../../src/core/inputs/projects.ts';
import { createGitHub } from '../../../src/github/client.ts';
import { parseEvent } from '../../../src/github/event.ts';
import { runMode } from '../../../src/modes.ts';
import { run } from '../../../src/run.ts';
import { guarded } from '../../../src/runner/runner.ts';
import { createDocsService } from '../../../src/service/client.ts';
import { createScrub } from '../../../src/text/scrub.ts';

/** The parts of the action that a run in this process uses. */
export type Version = typeof today;

const edges = { accessTo, createDocsService, createGitHub, createScrub, guarded, parseConfig, parseEvent };
/** The working copy's version. */
export const today = { ...edges, ActionError, finishKilled, run, runMode };

/** Where earlier versions have these parts. */
const files = [
  ...['agent/post', 'config', 'core/errors', 'core/inputs/projects', 'github/client', 'github/event'],
  ...['modes', 'run', 'runner/runner', 'service/client', 'text/scrub'],
];

/** The version at a commit of this repository, which needs its history. Its packages are those that are installed now. */
export async function versionAt(commit: string): Promise<Version> {
  const folder = join(ACTION_DIR, '__tests__/.versions', commit);
  const input = execFileSync('git', ['archive', commit, 'src'], { cwd: ACTION_DIR, maxBuffer: 2 ** 26 });
  mkdirSync(folder, { recursive: true });
  execFileSync('tar', ['-x', '-C', folder], { input });
  return Object.assign({}, ...(await Promise.all(files.map((file) => import(`${folder}/src/${file}.ts`)))));
}
