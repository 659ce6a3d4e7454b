import { readdirSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

import type { WebhookEvent } from '../simulator/github/types.ts';
import { createInMemorySimulator } from '../simulator/in-memory.ts';
import { ACTION_DIR, inputVariables, readAction } from '../simulator/runner/action.ts';
import { runnerEnvironment } from '../simulator/runner/environment.ts';
import {
  createRunnerFiles,
  type RunnerFiles,
  removeRunnerFiles,
} from '../simulator/runner/files.ts';
import { benchChanges } from './bench-changes.ts';
import { benchCollect } from './bench-collect.ts';
import { benchCommand } from './bench-command.ts';
import { against, bareNode, interleave, print, timeOf } from './bench-tools.ts';
import { benchVisitors } from './bench-visitors.ts';

/*
 * `npm run bench` measures the time, size, and memory of the committed bundle. It never fails, because on a busy machine, the
 * numbers mostly show the load.
 */

const rounds = 31;
const { main, inputs: declared } = readAction();

/** Stands in for the service and GitHub. Records when the first request arrives, and rejects every request. */
const server = createServer((_, response) => {
  arrivedAt ??= performance.now();
  response.writeHead(401, { 'content-type': 'application/json' }).end('{"error":"bench"}');
});
let arrivedAt: number | undefined;
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

/** A workflow step's environment and files. */
function step(event: WebhookEvent, given: Readonly<Record<string, string>>) {
  const files: RunnerFiles = createRunnerFiles(event.payload, undefined);
  const usual = { 'base-url': baseUrl, 'api-key': 'mint_fake_bench', 'project-id': 'prj_bench' };
  const inputs = { ...usual, ...given };
  const identity = { runId: 1, attempt: 1 };
  const env = {
    ...runnerEnvironment({ inputs, event }, identity, files),
    ...inputVariables(declared, inputs, 'ghs_fake_bench'),
    GITHUB_API_URL: baseUrl,
  };
  return { env, remove: () => removeRunnerFiles(files) };
}

const { github } = createInMemorySimulator();
github.addThread({ number: 1 });
const commentOf = (text: string) => github.issueCommentEvent(github.comment('maintainer', 1, text));
const ordinaryComment = step(commentOf('Thanks, that reads much better now!'), {});
const prompt = step(github.workflowDispatchEvent(), { prompt: 'x' });
const command = step(commentOf('/docs x'), {});

/** The time from `spawn` to the first request to either API. */
async function timeToRequest(env: NodeJS.ProcessEnv): Promise<number> {
  arrivedAt = undefined;
  const startedAt = performance.now();
  await timeOf([main], env);
  return (arrivedAt ?? Number.NaN) - startedAt;
}

const medians = await interleave(
  {
    bare: bareNode,
    ordinaryComment: () => timeOf([main], ordinaryComment.env),
    prompt: () => timeToRequest(prompt.env),
    command: () => timeToRequest(command.env),
  },
  rounds,
);
server.close();
for (const { remove } of [ordinaryComment, prompt, command]) remove();

const dist = join(ACTION_DIR, 'dist');
const bytes = readdirSync(dist).reduce((sum, file) => sum + statSync(join(dist, file)).size, 0);

print(`The bundle, medians of ${rounds} rounds`, [
  {
    what: 'a comment that isn’t a command, to the exit',
    value: against(medians.ordinaryComment, medians.bare),
    bar: '1.25 ×',
  },
  {
    what: 'a prompt, to the first request to the service',
    value: against(medians.prompt, medians.bare),
    bar: '3.6 ×',
  },
  {
    what: 'a command, to the first request to GitHub',
    value: against(medians.command, medians.bare),
    bar: '4.1 ×',
  },
  { what: 'size of dist/', value: `${(bytes / 1e6).toFixed(2)} MB`, bar: '1.4 MB' },
]);

print('A command, from its comment to the pull request', await benchCommand());
print('The visitors report, with its files and its history', await benchVisitors());
print('A large pull request, from its merge to the end', await benchChanges());
print('A request without a waiting run', await benchCollect());
