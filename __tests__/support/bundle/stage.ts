import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect } from '@jest/globals';
import type { SimulatorOptions } from '../../../simulator/core.ts';
import type { SimulatedGitHub } from '../../../simulator/github/github.ts';
import type { Comment, WebhookEvent } from '../../../simulator/github/types.ts';
import type { RecordedRequest } from '../../../simulator/http/messages.ts';
import { type Simulator, startSimulator } from '../../../simulator/index.ts';
import type { RunOptions, RunResult } from '../../../simulator/runner/runner.ts';
import { rerun, runAction, runPost } from '../../../simulator/runner/runner.ts';
import { executeInProcess } from '../in-process/execute.ts';
import { isLong } from '../long.ts';
import { textOf, writtenIn } from '../oracle/agent.ts';
import { withTrueResult } from '../oracle/result.ts';
import { leaks } from '../played.ts';
import { requestIn } from '../prompts.ts';
import { serviceInputs, THREAD } from '../usual.ts';

/** One run of the action, and the requests that it sent. */
export interface StageRun extends RunResult {
  readonly github: readonly RecordedRequest[];
  readonly service: readonly RecordedRequest[];
}

/** A comment with a command, and the run that it triggered. */
export interface Said extends StageRun {
  readonly command: Comment;
}

type Inputs = Readonly<Record<string, string>>;
type Options = Partial<Omit<RunOptions, 'inputs'>>;

interface SayOptions extends Options {
  readonly inputs?: Inputs;
  readonly login?: string;
  readonly thread?: number;
}

/** Options that only a process of its own can have. */
const processOptions = ['killAt', 'signal', 'distDir', 'killAfterMs', 'cancelTimes'] as const;

/**
 * Runs the action as GitHub's runner would, and checks everything that must be true of every run. It runs the committed bundle,
 * if only that can show what a test is about; other tests run `src/` in this process, except at night.
 */
export class Stage {
  readonly #options: SimulatorOptions;
  readonly #isBundle: boolean;
  #simulator: Simulator | undefined;
  #workspace = '';

  /** Create one per test file. Every test gets a new simulator and workspace. */
  constructor(options: SimulatorOptions = {}, engine?: 'bundle') {
    this.#options = options;
    this.#isBundle = engine === 'bundle' || isLong;
    beforeEach(() => this.reset());
    afterEach(() => this.#close());
  }

  /** Starts over with an empty repository. */
  async reset(options = this.#options): Promise<void> {
    await this.#close();
    this.#simulator = await startSimulator(options);
    this.#workspace = mkdtempSync(join(tmpdir(), 'workspace-'));
    this.threadIs({});
  }

  async #close(): Promise<void> {
    if (this.#simulator === undefined) return;
    const { violations, otherOrigin } = this.#simulator;
    await this.#simulator.close();
    this.#simulator = undefined;
    rmSync(this.#workspace, { recursive: true });
    expect(violations).toEqual([]);
    expect(otherOrigin.requests).toEqual([]);
  }

  get simulator(): Simulator {
    if (this.#simulator === undefined)
      throw new Error('There is a simulator only while a test runs.');
    return this.#simulator;
  }

  get github(): SimulatedGitHub {
    return this.simulator.github;
  }

  path(...names: readonly string[]): string {
    return join(this.#workspace, ...names);
  }

  threadIs(thread: Parameters<Simulator['github']['addThread']>[0]): void {
    this.github.addThread({ number: THREAD, ...thread });
  }

  get jobs() {
    return this.simulator.service.jobs;
  }

  /** The prompts of each job, without the data from GitHub. */
  get requests(): readonly (readonly string[])[] {
    return this.jobs.map(({ prompts }) => prompts.map(requestIn));
  }

  async say(
    body: string,
    { login = 'maintainer', thread = THREAD, inputs = {}, ...options }: SayOptions = {},
  ): Promise<Said> {
    const command = this.github.comment(login, thread, body);
    return {
      ...(await this.play(inputs, { event: this.github.issueCommentEvent(command), ...options })),
      command,
    };
  }

  /** Runs the workflow with these inputs and the required ones. */
  play(inputs: Inputs, options: Options = {}): Promise<StageRun> {
    const all = { ...serviceInputs(this.simulator), ...inputs };
    const { simulator } = this;
    const needsProcess = processOptions.some((name) => options[name] !== undefined);
    const execute = needsProcess || this.#isBundle ? undefined : executeInProcess;
    const workspace = this.path();
    return this.#watch(() => runAction({ simulator, workspace, inputs: all, execute, ...options }));
  }

  on(event: WebhookEvent, inputs: Inputs = {}): Promise<StageRun> {
    return this.play(inputs, { event });
  }

  /** Re-runs a run like the "Re-run jobs" button, optionally with different inputs. */
  again(run: RunResult, inputs: Inputs = {}): Promise<StageRun> {
    return this.#watch(() => rerun(run, { inputs: { ...run.options.inputs, ...inputs } }));
  }

  /** Runs the post phase of a killed run. All other runs already include it. */
  post(run: RunResult): Promise<StageRun> {
    return this.#watch(() => runPost(run));
  }

  /** The action's comments in a thread, excluding deleted ones. */
  written(thread = THREAD): readonly Comment[] {
    return writtenIn(this, thread);
  }

  get status(): Comment {
    return this.statusIn(THREAD);
  }

  /** The action's comment in a thread, which must be its only one there. */
  statusIn(thread: number): Comment {
    const [comment, ...more] = this.written(thread);
    if (comment === undefined || more.length > 0)
      throw new Error(`There is not one comment of the action, but ${this.written(thread).length}`);
    return comment;
  }

  /** The action's newest comment in the thread. */
  get newest(): Comment {
    const comment = this.written().at(-1);
    if (comment === undefined) throw new Error('The action has written no comment.');
    return comment;
  }

  async #watch(run: () => Promise<RunResult>): Promise<StageRun> {
    const { requests, violations } = this.simulator;
    const before = requests.length;
    const result = withTrueResult(await run());
    this.#expectSound(result);
    if (result.signal === null && (result.state.run ?? '') !== '')
      this.#expectSound(await runPost(result));
    expect(violations).toEqual([]);
    const sent = requests.slice(before);
    const to = (api: RecordedRequest['to']) => sent.filter((request) => request.to === api);
    return { ...result, github: to('github'), service: to('service') };
  }

  #expectSound(run: RunResult): void {
    const {
      killedByBound,
      stdout,
      stderr,
      outputs,
      state,
      summary,
      annotations,
      log,
      masks,
      options,
    } = run;
    expect([killedByBound, stderr]).toEqual([false, '']);
    const { outcome, reason, result } = outputs;
    if (result !== undefined)
      expect(JSON.parse(result)).toMatchObject({ version: 1, outcome, reason });
    const key = options.inputs['api-key']?.trim() ?? '';
    const printed = `${stdout}\n${log}\n${JSON.stringify(annotations)}`;
    expect(leaks(this.simulator, { outputs, state, summary, printed }, key)).toEqual([]);
    // The action rejects comments without a command before it reads the key.
    if (key !== '' && stdout !== '' && reason !== 'no-command') expect(masks).toContain(key);
  }
}

/** What a run looks like that sent nothing to the service, and whose step succeeds. */
const turnedAway = (outcome: string, reason: string) => {
  return { exitCode: 0, outputs: { outcome, reason }, service: [] };
};
export const skipped = (reason: string) => turnedAway('skipped', reason);
export const denied = (reason = 'permission') => turnedAway('denied', reason);

/** The requests as `METHOD path`, in order. */
export function requestLines(requests: readonly RecordedRequest[]): string[] {
  return requests.map(({ method, path }) => `${method} ${path}`);
}

/** The last annotation of a run. */
export function lastAnnotation({ annotations }: RunResult) {
  return annotations.at(-1) ?? { level: undefined, title: undefined, message: '' };
}

export function warnings({ annotations }: RunResult): string[] {
  return annotations.filter(({ level }) => level === 'warning').map(({ message }) => message);
}

/** The first visible line of each version of a comment. */
export function headlines({ history }: Comment): string[] {
  return history.map((version) => textOf(version).split('\n')[0] ?? '');
}

export function reactions({ reactions }: Comment): string[] {
  return reactions.map(({ content }) => content);
}
