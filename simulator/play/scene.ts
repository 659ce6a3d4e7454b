import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { SimulatedGitHub } from '../github/github.ts';
import type { WebhookEvent } from '../github/types.ts';
import { type Simulator, startSimulator } from '../index.ts';
import { readAction } from '../runner/action.ts';
import type { RunOptions } from '../runner/run-options.ts';
import { type RunResult, runAction, runPost } from '../runner/runner.ts';
import { DEFAULT_PROJECT } from '../service/service.ts';
import { SHOWN_READERS } from '../service/visitors/readers.ts';
import { SHOWN_SITE } from '../service/visitors/site.ts';
import { openAgentsPullRequest } from './agents-pull-request.ts';
import type { PlayOptions, Scene } from './command-line.ts';
import { outProblem, writeSummary } from './out.ts';
import { fold, renderThread } from './render-thread.ts';

/** A Monday morning, when a weekly report is due. */
const PLAY_START_MS = Date.parse('2026-03-09T06:00:00Z');
const WEEK_MS = 7 * 86_400_000;
/** The number of reports before the one shown. Each reads its week and the week before, so there is data for eight weeks. */
const EARLIER_REPORTS = 6;
const THREAD = 12;
const SITES = ['Guides', 'API reference', 'SDKs', 'Handbook', 'Cookbook'];

const CHANGE_INPUTS: Readonly<Record<string, string>> = {
  prompt: 'Bring the documentation up to date with this change.',
  context: 'thread\nchanges',
  paths: 'src/**',
};

const SIMULATED: Readonly<Record<Scene['kind'], string>> = {
  prompt: 'a manual run',
  comments: 'comments on an issue',
  change: 'a merged pull request',
  visitors: 'a weekly report',
};

const TRIES = 'src/retry.ts';
const text = (tries: number) => `/** How many times a request is sent. */\nexport const tries = ${tries};\n`;

/** Thrown if a scene can't run. The message says why. */
export class PlayProblem extends Error {
  override readonly name = 'PlayProblem';
}

/** Runs a scene with the committed bundle. Returns the exit code of the last run that failed, or 0. */
export async function playScene(
  { scene, service, isVerbose }: PlayOptions,
  print: (text: string) => void,
): Promise<number> {
  const { main } = readAction();
  if (!existsSync(main)) throw new PlayProblem(`There is no bundle at ${main}. Run "npm run build" first.`);
  const problem = scene.kind === 'visitors' && scene.out !== undefined ? outProblem(scene.out) : undefined;
  if (problem !== undefined) throw new PlayProblem(problem);
  const start = scene.kind === 'visitors' ? PLAY_START_MS - EARLIER_REPORTS * WEEK_MS : PLAY_START_MS;
  const simulator = await startSimulator({ clock: service === undefined ? { start } : { mode: 'real' } });
  try {
    simulator.service.script({ activeMs: 150_000 });
    simulator.service.visitors.script(SHOWN_SITE);
    simulator.service.visitors.readers.give(SHOWN_READERS);
    const exitCode = await new Stage({ simulator, service, print, isVerbose }).play(scene);
    for (const violation of simulator.violations) print(`✗ The simulator refused: ${violation}\n`);
    return exitCode;
  } finally {
    await simulator.close();
  }
}

interface StageOptions extends Omit<PlayOptions, 'scene'> {
  readonly simulator: Simulator;
  readonly print: (text: string) => void;
}

/** Runs one scene. Prints what people would see, and then the details. */
class Stage {
  readonly #with: StageOptions;
  readonly #details: string[] = [];

  constructor(options: StageOptions) {
    this.#with = options;
  }

  async play(scene: Scene): Promise<number> {
    const what = SIMULATED[scene.kind];
    if (this.#with.service === undefined)
      this.#with.print(`Simulating ${what}; nothing is sent, waiting is skipped.\n\n`);
    else
      this.#with.print(
        `Playing ${what} against ${this.#with.service.baseUrl}, in real time; GitHub is simulated.\n\n`,
      );
    const exitCode = await this.#play(scene);
    if (this.#with.isVerbose || exitCode !== 0) this.#with.print(this.#details.join(''));
    else this.#with.print('Add --verbose to see the log, the outputs, and everything that is collapsed.\n');
    return exitCode;
  }

  async #play(scene: Scene): Promise<number> {
    const { github } = this.#with.simulator;
    switch (scene.kind) {
      case 'prompt': {
        const result = await this.#run({ prompt: scene.prompt }, github.workflowDispatchEvent());
        this.#show('The job summary', result.summary);
        return result.exitCode;
      }
      case 'visitors':
        return this.#playReport(scene.out, {
          ...this.#addProjects(scene.projects),
          ...(scene.gaps ? { gaps: 'words' } : {}),
        });
      case 'comments':
        return this.#playThread(scene.comments);
      case 'change':
        return this.#playMerge();
    }
  }

  async #playThread(comments: readonly string[]): Promise<number> {
    const { github } = this.#with.simulator;
    github.addThread({
      number: THREAD,
      title: 'Document the Python SDK',
      body: 'It was released last week, and the docs only show TypeScript.',
    });
    if (this.#with.service === undefined) openAgentsPullRequest(github);
    let exitCode = 0;
    for (const body of comments) {
      const comment = github.comment('maintainer', THREAD, body);
      exitCode = (await this.#run({}, github.issueCommentEvent(comment))).exitCode || exitCode;
    }
    this.#show('The issue', renderThread(github, THREAD));
    return exitCode;
  }

  async #playMerge(): Promise<number> {
    const { github, service } = this.#with.simulator;
    github.repository = { ...github.repository, name: 'app' };
    openChange(github, THREAD);
    github.pullRequests.merge(THREAD, 'squash');
    const { exitCode } = await this.#run(CHANGE_INPUTS, github.pushEvent());
    this.#show('The merged pull request', renderThread(github, THREAD));
    // With the real service, there are no simulated jobs to show.
    for (const { prompts } of service.jobs) this.#show('What the agent got', prompts.join('\n'));
    return exitCode;
  }

  /** Adds sites until there are that many. Returns the inputs for a report on all of them. */
  #addProjects(count: number): Readonly<Record<string, string>> {
    if (count === 1) return {};
    const { service } = this.#with.simulator;
    const lines = [`${service.projectId} = ${SITES[0]}`];
    for (let number = 2; number <= count; number += 1) {
      const id = `prj_simulated_${number}`;
      service.addProject({ ...DEFAULT_PROJECT, id });
      service.visitors.script({ seed: number, rows: 240, topWeekly: 1_600 / number, growthPerWeek: 1 }, id);
      lines.push(`${id} = ${SITES[number - 1] ?? `Site ${number}`}`);
    }
    return { 'project-id': lines.join('\n'), 'max-requests': '100' };
  }

  async #playReport(out: string | undefined, projects: Readonly<Record<string, string>>): Promise<number> {
    const { github, clock } = this.#with.simulator;
    const workspace = mkdtempSync(join(tmpdir(), 'docs-agent-play-'));
    const inputs = { mode: 'visitors', 'history-file': 'history.jsonl', ...projects };
    try {
      if (this.#with.service === undefined) {
        for (let week = 0; week < EARLIER_REPORTS; week += 1) {
          await this.#act(inputs, github.scheduleEvent(), { workspace });
          clock.advance(WEEK_MS);
        }
      }
      const charts = out === undefined ? 'text' : 'mermaid';
      const result = await this.#run({ ...inputs, charts }, github.scheduleEvent(), { workspace });
      if (out === undefined) this.#show('The report, in the job summary', result.summary);
      else {
        writeSummary(out, result.summary);
        this.#with.print(`The report is in ${out}.\n`);
      }
      return result.exitCode;
    } finally {
      rmSync(workspace, { recursive: true, force: true });
    }
  }

  /** Runs main and post, and saves the log and outputs for `--verbose`. */
  async #run(
    inputs: Readonly<Record<string, string>>,
    event: WebhookEvent,
    options: Partial<RunOptions> = {},
  ): Promise<{ readonly exitCode: number; readonly summary: string }> {
    // A run in real time takes minutes, so print the log as it comes in.
    const onLogLine =
      this.#with.service === undefined ? {} : { onLogLine: (line: string) => this.#with.print(`${line}\n`) };
    const result = await this.#act(inputs, event, { ...options, ...onLogLine });
    const post = await runPost(result);
    const outputs = Object.entries(result.outputs).map(([name, value]) => `${name} = ${value}`);
    this.#details.push(section(`The log (${event.name})`, `${result.log}${post.log}`));
    this.#details.push(section('The outputs', outputs.join('\n')));
    // A process ended by a signal has no exit code.
    return { exitCode: (result.exitCode ?? 1) || (post.exitCode ?? 1), summary: result.summary };
  }

  #act(
    inputs: Readonly<Record<string, string>>,
    event: WebhookEvent,
    options: Partial<RunOptions>,
  ): Promise<RunResult> {
    const { url, service } = this.#with.simulator;
    const simulated = { baseUrl: url, projectId: service.projectId, apiKey: service.apiKey };
    const { baseUrl, projectId, apiKey } = this.#with.service ?? simulated;
    return runAction({
      simulator: this.#with.simulator,
      inputs: { 'base-url': baseUrl, 'project-id': projectId, 'api-key': apiKey, ...inputs },
      event,
      // The real service takes real time, so don't kill the run early.
      ...(this.#with.service === undefined ? {} : { killAfterMs: 24 * 3_600_000 }),
      ...options,
    });
  }

  #show(title: string, text: string): void {
    this.#with.print(section(title, this.#with.isVerbose ? text : fold(text)));
  }
}

function section(title: string, text: string): string {
  return `── ${title} ──\n${text.trim() || '(empty)'}\n\n`;
}

/** Opens a pull request with a template's comment in its description, and with files that `paths` excludes. */
function openChange({ git, pullRequests }: SimulatedGitHub, number: number): void {
  git.commit({
    message: 'Send a request',
    files: { [TRIES]: text(1), 'package-lock.json': '{ "lockfileVersion": 3 }\n' },
  });
  git.branch('retries');
  git.commit({
    branch: 'retries',
    message: 'Send a request three times',
    files: {
      [TRIES]: text(3),
      'src/wait.ts': 'export const waitMs = 500;\n',
      'package-lock.json': '{ "lockfileVersion": 3, "packages": {} }\n',
      'test/retry.test.ts': "test('three times', () => expect(tries).toBe(3));\n",
    },
  });
  pullRequests.open({
    number,
    head: 'retries',
    title: 'Retry three times',
    body: '<!-- Thanks for contributing! -->\nA request is now sent up to three times, half a second apart.',
    labels: ['feature'],
  });
}
