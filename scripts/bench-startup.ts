import { readdirSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { WebhookEvent } from '../simulator/github/types.ts';
import { createInMemorySimulator } from '../simulator/in-memory.ts';
import { inputVariables, readAction } from '../simulator/runner/action.ts';
import { runnerEnvironment } from '../simulator/runner/environment.ts';
import { createRunnerFiles, removeRunnerFiles } from '../simulator/runner/files.ts';
import { type Bench, median, runBench, timeOf } from './bench-tools.ts';

/* Measures how long a bundle takes to start, compared with a Node process that does nothing. */

type Name = 'bare' | 'ordinaryComment' | 'prompt' | 'command';
type Milliseconds = Readonly<Record<Name, number>>;

const { github } = createInMemorySimulator();
github.addThread({ number: 1 });
const commentOf = (text: string) => github.issueCommentEvent(github.comment('maintainer', 1, text));
const steps = {
  ordinaryComment: { event: commentOf('Thanks, that reads much better now!'), inputs: {} },
  prompt: { event: github.workflowDispatchEvent(), inputs: { prompt: 'x' } },
  command: { event: commentOf('/docs x'), inputs: {} },
};

export const startup: Bench<Milliseconds> = {
  title: 'The bundle, medians of 31 rounds',
  rounds: 32,
  async measure(distDir) {
    const bare = await timeOf(['-e', '0']);
    const ordinaryComment = await playStep(distDir, steps.ordinaryComment);
    const prompt = await playStep(distDir, steps.prompt);
    const command = await playStep(distDir, steps.command);
    return {
      bare,
      ordinaryComment: ordinaryComment.exitMs,
      prompt: prompt.requestMs,
      command: command.requestMs,
    };
  },
  conclude(samples, distDir) {
    // The first round doesn't count, because it fills the file system's cache.
    const counted = samples.slice(1);
    const msOf = (name: Name) => median(counted.map((sample) => sample[name]));
    const bareMs = msOf('bare');
    const against = (name: Name) => {
      const ratio = (msOf(name) / bareMs).toFixed(2);
      return `${msOf(name).toFixed(0)} ms, ${ratio} × node -e 0 (${bareMs.toFixed(0)} ms)`;
    };
    const sizes = readdirSync(distDir).map((file) => statSync(join(distDir, file)).size);
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    return [
      {
        what: 'a comment that isn’t a command, to the exit',
        value: against('ordinaryComment'),
        bar: '3.4 ×',
      },
      {
        what: 'a prompt, to the first request to the service',
        value: against('prompt'),
        bar: '5.6 ×',
      },
      {
        what: 'a command, to the first request to GitHub',
        value: against('command'),
        bar: '5.7 ×',
      },
      { what: 'size of dist/', value: `${(bytes / 1e6).toFixed(2)} MB`, bar: '2.0 MB' },
    ];
  },
};

interface Step {
  readonly event: WebhookEvent;
  readonly inputs: Readonly<Record<string, string>>;
}

/** Plays a step, and measures the time from `spawn` to its exit and to its first request. */
async function playStep(distDir: string, step: Step) {
  let requestAt = Number.NaN;
  // Stands in for the service and GitHub, and rejects every request.
  const server = createServer((_, response) => {
    if (Number.isNaN(requestAt)) requestAt = performance.now();
    response.writeHead(401, { 'content-type': 'application/json' }).end('{"error":"bench"}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const action = readAction(distDir);
  const files = createRunnerFiles(step.event.payload, undefined);
  const usual = { 'base-url': url, 'api-key': 'mint_fake_bench', 'project-id': 'prj_bench' };
  const inputs = { ...usual, ...step.inputs };
  const env = {
    ...runnerEnvironment({ inputs, event: step.event }, { runId: 1, attempt: 1 }, files),
    ...inputVariables(action.inputs, inputs, 'ghs_fake_bench'),
    GITHUB_API_URL: url,
  };
  const startedAt = performance.now();
  const exitMs = await timeOf([action.main], env);
  removeRunnerFiles(files);
  server.close();
  return { exitMs, requestMs: requestAt - startedAt };
}

if (import.meta.main) await runBench(startup);
