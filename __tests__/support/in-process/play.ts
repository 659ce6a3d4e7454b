import { type Dispatcher, getGlobalDispatcher } from 'undici';
import type { SimulatorCore } from '../../../simulator/core.ts';
import { DEFAULT_TOKEN } from '../../../simulator/github/store.ts';
import type { WebhookEvent } from '../../../simulator/github/types.ts';
import type { RunIdentity } from '../../../simulator/runner/run-options.ts';
import type { AgentConfig } from '../../../src/agent/inputs.ts';
import { finishKilled } from '../../../src/agent/post.ts';
import { parseConfig } from '../../../src/config.ts';
import { accessTo } from '../../../src/core/inputs/projects.ts';
import { createGitHub } from '../../../src/github/client.ts';
import { parseEvent } from '../../../src/github/event.ts';
import { type Config, runMode } from '../../../src/modes.ts';
import { run } from '../../../src/run.ts';
import { diskFiles, type Files } from '../../../src/runner/files.ts';
import { guarded, type Runner } from '../../../src/runner/runner.ts';
import { createDocsService } from '../../../src/service/client.ts';
import { createScrub } from '../../../src/text/scrub.ts';
import type { Played } from '../oracle/played.ts';
import { withTrueResult } from '../oracle/result.ts';
import { outside } from '../samples/config.ts';
import { Life } from './life.ts';

/** One run, to be played in this process. */
export interface InProcess {
  /** Over its own dispatcher where it is in memory, else over sockets. */
  readonly core: SimulatorCore & { readonly dispatcher?: Dispatcher };
  readonly staged: { readonly event: WebhookEvent; readonly inputs: Readonly<Record<string, string>> };
  readonly identity: Pick<RunIdentity, 'runId' | 'attempt'>;
  readonly signal?: AbortSignal;
  /** The disk by default. */
  readonly files?: Files;
  /** What kills it. */
  readonly life?: Life;
}

/** The product's own modules, from inputs to outputs, in this process: only the runner and the network are not real. */
export function playMain(options: InProcess): Promise<Played> {
  return play(options, runMode);
}

/** The post phase, with what main saved; `undefined` where it has nothing to do, as `post.ts` has it. */
export async function playPost(options: InProcess, { state }: Played): Promise<Played | undefined> {
  const saved = state.run ?? '';
  if (saved === '') return undefined;
  return play(options, async (config, deps) => finishKilled(saved, config as AgentConfig, deps));
}

async function play(
  {
    core,
    staged,
    identity,
    signal = new AbortController().signal,
    files = diskFiles,
    life = new Life(),
  }: InProcess,
  mode: typeof runMode,
): Promise<Played> {
  const clock = life.clock(core.clock);
  const dispatcher = life.dispatcher(core.dispatcher ?? getGlobalDispatcher());
  const left = new Leavings(life);
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
    repositoryUrl: `https://github.com/${owner}/${name}`,
    sha: core.github.git.branches.get('main') ?? '',
    workflow: `${owner}/${name}/.github/workflows/docs.yml`,
  };
  const scrub = createScrub([staged.inputs['api-key'] ?? '', DEFAULT_TOKEN]);
  const attempt = async () => {
    const config = await readConfig(core, staged.inputs);
    const edge = { clock, dispatcher, scrub };
    return mode(config, {
      service: createDocsService({ ...accessTo(config), ...edge }),
      github: createGitHub({
        apiUrl: core.githubUrl,
        token: DEFAULT_TOKEN,
        repository: context.repository,
        debug: () => undefined,
        ...edge,
      }),
      runner: guarded(left.runner, scrub),
      clock,
      context,
      event: parseEvent(context.eventName, context.payload),
      files,
      scrub,
      signal,
    });
  };
  const running = run(left.runner, attempt, false);
  const exitCode = await Promise.race([running, life.killed]);
  return withTrueResult(left.played(identity.runId, exitCode));
}

/** The simulator in memory has no address that the inputs would take; it is put in where they were read. */
async function readConfig({ url }: SimulatorCore, inputs: InProcess['staged']['inputs']): Promise<Config> {
  const raw = { ...inputs, 'base-url': 'http://localhost', 'github-token': DEFAULT_TOKEN };
  const config = await parseConfig(raw, { ...outside, needsPrompt: false });
  return { ...config, baseUrl: url };
}

/** A runner that keeps what it is given, from the living. */
class Leavings {
  readonly #life: Life;
  readonly #outputs: Record<string, string> = {};
  readonly #state: Record<string, string> = {};
  readonly #lines: string[] = [];
  #summary = '';

  constructor(life: Life) {
    this.#life = life;
  }

  readonly runner: Runner = {
    info: (message) => this.#print(message),
    notice: (message) => this.#print(message),
    warning: (message) => this.#print(message),
    error: (message) => this.#print(message),
    verbatim: (heading, text) => this.#print(`${heading}\n${text}`),
    setOutput: (name, value) => {
      if (!this.#life.isOver) this.#outputs[name] = value;
    },
    saveState: (name, value) => {
      if (!this.#life.isOver) this.#state[name] = value;
    },
    writeSummary: async (markdown) => {
      if (!this.#life.isOver) this.#summary = markdown;
    },
  };

  played(runId: number, exitCode: number | null): Played {
    const { outputs, state } = { outputs: { ...this.#outputs }, state: { ...this.#state } };
    return { runId, exitCode, outputs, state, summary: this.#summary, printed: this.#lines.join('\n') };
  }

  #print(message: string): void {
    if (!this.#life.isOver) this.#lines.push(message);
  }
}
