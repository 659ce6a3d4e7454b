import type { Dispatcher } from 'undici';
import type { SimulatorCore } from '../../simulator/simulator.ts';
import { finishKilled } from '../../src/agent/finish.ts';
import { type Config, parseConfig } from '../../src/config/parse.ts';
import type { Deps } from '../../src/deps.ts';
import { createGitHub } from '../../src/github/client.ts';
import { parseEvent } from '../../src/github/event.ts';
import type { Clock } from '../../src/lib/clock.ts';
import { run, runMode } from '../../src/run.ts';
import { diskFiles } from '../../src/runner/files.ts';
import type { Runner } from '../../src/runner/runner.ts';
import { createDocsService } from '../../src/service/client.ts';
import { outside } from './config.ts';
import type { Staged } from './faults-scenarios.ts';
import type { Played } from './faults-truth.ts';

const TOKEN = 'ghs_fake_0000simulated0000';

/** Which run of the workflow it is. */
export interface Identity {
  readonly runId: number;
  readonly attempt: number;
}

export interface InProcess {
  readonly core: SimulatorCore;
  readonly dispatcher: Dispatcher;
  readonly staged: Pick<Staged, 'event' | 'inputs'>;
  readonly identity: Identity;
  readonly signal?: AbortSignal;
  readonly clock?: Clock;
}

/** The product's own modules, from inputs to outputs, in this process: only the runner and the network are not real. */
export function playMain(options: InProcess): Promise<Played> {
  return play(options, runMode);
}

/** The post phase, with what main saved; `undefined` where it has nothing to do, as `post.ts` has it. */
export async function playPost(options: InProcess, { state }: Played): Promise<Played | undefined> {
  const saved = state.progress ?? '';
  if (saved === '' || saved.includes('"stage":"ended"')) return undefined;
  return play(options, (config, deps) => finishKilled(saved, config, deps));
}

async function play(
  {
    core,
    dispatcher,
    staged,
    identity,
    signal = new AbortController().signal,
    clock = core.clock,
  }: InProcess,
  mode: Parameters<typeof run>[0]['mode'],
): Promise<Played> {
  const left = new Leavings();
  const { owner, name, id } = core.github.repository;
  const context = {
    eventName: staged.event.name,
    payload: staged.event.payload,
    repository: `${owner}/${name}`,
    repositoryId: String(id),
    runId: String(identity.runId),
    runAttempt: identity.attempt,
    stepId: 'docs.__octo-org_docs-agent',
    apiUrl: core.githubUrl,
    runUrl: `https://github.com/${owner}/${name}/actions/runs/${identity.runId}`,
  };
  const connect = async (config: Config, onEnd: Deps['onEnd']): Promise<Deps> => ({
    service: createDocsService({ ...config.service, clock, dispatcher }),
    github: createGitHub({
      apiUrl: core.githubUrl,
      token: TOKEN,
      repository: context.repository,
      clock,
      dispatcher,
    }),
    runner: left.runner,
    clock,
    context,
    event: parseEvent(context.eventName, context.payload),
    files: diskFiles,
    signal,
    onEnd,
  });
  const exitCode = await run({
    runner: left.runner,
    mode,
    readConfig: () => readConfig(core, staged.inputs),
    connect,
  });
  return left.played(identity.runId, exitCode);
}

/** The simulator in memory has no address that the inputs would take; it is put in where they were read. */
async function readConfig({ url }: SimulatorCore, inputs: Staged['inputs']): Promise<Config> {
  const raw = { ...inputs, 'base-url': 'http://localhost', 'github-token': TOKEN };
  const config = await parseConfig(raw, { ...outside, words: true });
  return { ...config, service: { ...config.service, baseUrl: url } };
}

/** A runner that keeps what it is given. */
class Leavings {
  readonly #outputs: Record<string, string> = {};
  readonly #state: Record<string, string> = {};
  readonly #lines: string[] = [];
  #summary = '';

  readonly runner: Runner = {
    info: (message) => this.#print(message),
    debug: (message) => this.#print(message),
    notice: (message) => this.#print(message),
    warning: (message) => this.#print(message),
    error: (message) => this.#print(message),
    verbatim: (heading, text) => this.#print(`${heading}\n${text}`),
    setOutput: (name, value) => {
      this.#outputs[name] = value;
    },
    saveState: (name, value) => {
      this.#state[name] = value;
    },
    writeSummary: async (markdown) => {
      this.#summary = markdown;
    },
  };

  played(runId: number, exitCode: number | null): Played {
    const { outputs, state } = { outputs: { ...this.#outputs }, state: { ...this.#state } };
    return { runId, exitCode, outputs, state, summary: this.#summary, printed: this.#lines.join('\n') };
  }

  #print(message: string): void {
    this.#lines.push(message);
  }
}
