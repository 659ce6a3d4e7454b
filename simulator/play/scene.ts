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
import { SHOWN_SITE } from '../service/visitors/site.ts';
import type { PlayOptions, RealService, Scene } from './command-line.ts';
import { outProblem, writeSummary } from './out.ts';
import { renderThread } from './render-thread.ts';

/** A Monday morning on which a weekly report is due. */
const PLAY_START_MS = Date.parse('2026-03-09T06:00:00Z');
const WEEK_MS = 7 * 86_400_000;
/** Reports before the one that is shown: each covers its week and the one before, so that eight weeks are known. */
const EARLIER_REPORTS = 6;
const THREAD = 12;
/** What the sites of a report of several are called. */
const SITES = ['Guides', 'API reference', 'SDKs', 'Handbook', 'Cookbook'];

/** What a workflow asks of every change. */
const CHANGE_INPUTS: Readonly<Record<string, string>> = {
  prompt: 'Bring the documentation up to date with this change.',
  context: 'thread\nchanges',
  paths: 'src/**',
};

const TRIES = 'src/retry.ts';
const text = (tries: number) => `/** How often a request is sent. */\nexport const tries = ${tries};\n`;

/** Why a scene cannot be played at all. */
export class PlayProblem extends Error {
  override readonly name = 'PlayProblem';
}

/** Plays a scene with the committed bundle; returns the exit code of the last run that failed, or 0. */
export async function playScene(
  { scene, service }: PlayOptions,
  print: (text: string) => void,
): Promise<number> {
  const { main } = readAction();
  if (!existsSync(main)) throw new PlayProblem(`There is no bundle at ${main}: run "npm run build" first.`);
  const problem = scene.kind === 'visitors' && scene.out !== undefined ? outProblem(scene.out) : undefined;
  if (problem !== undefined) throw new PlayProblem(problem);
  const start = scene.kind === 'visitors' ? PLAY_START_MS - EARLIER_REPORTS * WEEK_MS : PLAY_START_MS;
  const simulator = await startSimulator({ clock: service === undefined ? { start } : { mode: 'real' } });
  try {
    simulator.service.script({ activeMs: 150_000 });
    simulator.service.visitors.script(SHOWN_SITE);
    const exitCode = await new Stage(simulator, service, print).play(scene);
    for (const violation of simulator.violations) print(`✗ refused: ${violation}\n`);
    return exitCode;
  } finally {
    await simulator.close();
  }
}

/** Plays the runs of one scene and prints what they show. */
class Stage {
  readonly #simulator: Simulator;
  readonly #service: RealService | undefined;
  readonly #print: (text: string) => void;

  constructor(simulator: Simulator, service: RealService | undefined, print: (text: string) => void) {
    this.#simulator = simulator;
    this.#service = service;
    this.#print = print;
  }

  play(scene: Scene): Promise<number> {
    const { github } = this.#simulator;
    switch (scene.kind) {
      case 'prompt':
        return this.#run({ prompt: scene.prompt }, github.workflowDispatchEvent());
      case 'visitors':
        return this.#playReport(scene.out, this.#addProjects(scene.projects));
      case 'comments':
        return this.#playThread(scene.comments);
      case 'change':
        return this.#playMerge();
    }
  }

  async #playThread(comments: readonly string[]): Promise<number> {
    const { github } = this.#simulator;
    github.addThread({ number: THREAD, title: 'The quickstart is out of date' });
    let exitCode = 0;
    for (const body of comments) {
      const comment = github.comment('maintainer', THREAD, body);
      this.#print(`✎ ${comment.login} comments on #${THREAD}: ${body}\n`);
      exitCode = (await this.#run({}, github.issueCommentEvent(comment))) || exitCode;
    }
    this.#section('The thread, as a reader sees it', renderThread(github, THREAD));
    return exitCode;
  }

  async #playMerge(): Promise<number> {
    const { github, service } = this.#simulator;
    openChange(github, THREAD);
    this.#section('The pull request, before', renderThread(github, THREAD));
    github.pullRequests.merge(THREAD, 'squash');
    this.#print(`✎ maintainer merges #${THREAD}\n`);
    const exitCode = await this.#run(CHANGE_INPUTS, github.pushEvent());
    // What the real service gets does not pass through here.
    for (const { prompts } of service.jobs) this.#section('What the agent was told', prompts.join('\n'));
    this.#section('The pull request, as a reader sees it', renderThread(github, THREAD));
    return exitCode;
  }

  /** Adds sites until there are so many; gives the inputs of a report of all. */
  #addProjects(count: number): Readonly<Record<string, string>> {
    if (count === 1) return {};
    const { service } = this.#simulator;
    const lines = [`${service.projectId} = ${SITES[0]}`];
    for (let number = 2; number <= count; number += 1) {
      const id = `prj_simulated_${number}`;
      service.addProject({ ...DEFAULT_PROJECT, id });
      service.visitors.script({ seed: number, rows: 240, topWeekly: 1_600 / number, growthPerWeek: 1 }, id);
      lines.push(`${id} = ${SITES[number - 1] ?? `Site ${number}`}`);
    }
    return { 'project-id': lines.join('\n'), 'max-requests': '100' };
  }

  /** The weekly report of sites that were reported before: the reports share a history. */
  async #playReport(out: string | undefined, projects: Readonly<Record<string, string>>): Promise<number> {
    const { github, clock } = this.#simulator;
    const workspace = mkdtempSync(join(tmpdir(), 'docs-agent-play-'));
    const inputs = { mode: 'visitors', 'history-file': 'history.jsonl', ...projects };
    try {
      if (this.#service === undefined) {
        this.#print('… the reports of the weeks before\n');
        for (let week = 0; week < EARLIER_REPORTS; week += 1) {
          await this.#act(inputs, github.scheduleEvent(), { workspace });
          clock.advance(WEEK_MS);
        }
      }
      const charts = out === undefined ? 'text' : 'mermaid';
      return await this.#run({ ...inputs, charts }, github.scheduleEvent(), { workspace, out });
    } finally {
      rmSync(workspace, { recursive: true, force: true });
    }
  }

  /** Runs main and post, and prints their log, outputs and summary; the summary goes into a file where one is given. */
  async #run(
    inputs: Readonly<Record<string, string>>,
    event: WebhookEvent,
    { out, ...options }: Partial<RunOptions> & { readonly out?: string | undefined } = {},
  ): Promise<number> {
    const where = this.#service?.baseUrl ?? 'the simulated service; time jumps';
    this.#print(`▶ ${event.name} against ${where}\n`);
    const onLogLine = (line: string) => this.#print(`${line}\n`);
    const result = await this.#act(inputs, event, { ...options, onLogLine });
    const post = await runPost(result);
    const outputs = Object.entries(result.outputs).map(([name, value]) => `${name} = ${value}`);
    this.#section('Outputs', outputs.join('\n') || '(none)');
    if (out === undefined) this.#section('Summary', result.summary.trim() || '(empty)');
    else {
      writeSummary(out, result.summary);
      this.#print(`Written: ${out}\n`);
    }
    // A process that was ended by a signal has no exit code.
    return (result.exitCode ?? 1) || (post.exitCode ?? 1);
  }

  #act(
    inputs: Readonly<Record<string, string>>,
    event: WebhookEvent,
    options: Partial<RunOptions>,
  ): Promise<RunResult> {
    const { url, service } = this.#simulator;
    const simulated = { baseUrl: url, projectId: service.projectId, apiKey: service.apiKey };
    const { baseUrl, projectId, apiKey } = this.#service ?? simulated;
    return runAction({
      simulator: this.#simulator,
      inputs: { 'base-url': baseUrl, 'project-id': projectId, 'api-key': apiKey, ...inputs },
      event,
      // The real service takes real time: only the action's own timeout is to end the run.
      ...(this.#service === undefined ? {} : { killAfterMs: 24 * 3_600_000 }),
      ...options,
    });
  }

  #section(title: string, text: string): void {
    this.#print(`\n── ${title} ──\n${text}\n\n`);
  }
}

/** Opens a pull request with a template's comment in its description, and with files that `paths` leaves out. */
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
    body: '<!-- Thanks for contributing! -->\nA request that fails is sent three times, half a second apart.',
    labels: ['feature'],
  });
}
