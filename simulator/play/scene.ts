import { existsSync } from 'node:fs';
import { join } from 'node:path';

import type { WebhookEvent } from '../github/types.ts';
import { type Simulator, startSimulator } from '../index.ts';
import { ACTION_DIR, readAction } from '../runner/action.ts';
import { type RunResult, runAction, runPost } from '../runner/runner.ts';
import { CHANGE_INPUTS, openChange } from './change.ts';
import type { PlayOptions, RealService, Scene } from './command-line.ts';
import { renderThread } from './render-thread.ts';

/** A Monday morning on which a weekly report is due. */
const PLAY_START = '2026-03-09T06:00:00Z';
const THREAD = 12;

/** Why a scene cannot be played at all. */
export class PlayProblem extends Error {
  override readonly name = 'PlayProblem';
}

/** Plays a scene with the action in `actionDir`; returns the exit code of the last run that failed, or 0. */
export async function playScene(
  { scene, service }: PlayOptions,
  print: (text: string) => void,
  actionDir: string = ACTION_DIR,
): Promise<number> {
  if (!existsSync(join(actionDir, 'action.yml')))
    throw new PlayProblem(`There is no action.yml in ${actionDir}.`);
  const { main } = readAction(actionDir, undefined);
  if (!existsSync(main)) throw new PlayProblem(`There is no bundle at ${main}: run "npm run build" first.`);
  const simulator = await startSimulator({
    clock: service === undefined ? { start: PLAY_START } : { mode: 'real' },
  });
  try {
    simulator.service.script({ activeMs: 150_000 });
    simulator.service.visitors.script({ rows: 1_200 });
    const exitCode = await new Stage(simulator, service, print, actionDir).play(scene);
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
  readonly #actionDir: string;

  constructor(
    simulator: Simulator,
    service: RealService | undefined,
    print: (text: string) => void,
    actionDir: string,
  ) {
    this.#simulator = simulator;
    this.#service = service;
    this.#print = print;
    this.#actionDir = actionDir;
  }

  play(scene: Scene): Promise<number> {
    const { github } = this.#simulator;
    switch (scene.kind) {
      case 'prompt':
        return this.#run({ prompt: scene.prompt }, github.workflowDispatchEvent());
      case 'visitors':
        return this.#run({ mode: 'visitors' }, github.scheduleEvent());
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
    // What the real service is sent, nobody sees here.
    for (const { prompts } of service.jobs) this.#section('What the agent was told', prompts.join('\n'));
    this.#section('The pull request, as a reader sees it', renderThread(github, THREAD));
    return exitCode;
  }

  /** Runs main and post, and prints their log, outputs and summary. */
  async #run(inputs: Readonly<Record<string, string>>, event: WebhookEvent): Promise<number> {
    const where = this.#service?.baseUrl ?? 'the simulated service; time jumps';
    this.#print(`▶ ${event.name} against ${where}\n`);
    const result = await runAction({
      simulator: this.#simulator,
      inputs: { ...this.#serviceInputs(), ...inputs },
      event,
      actionDir: this.#actionDir,
      onLogLine: (line) => this.#print(`${line}\n`),
      // The real service takes real time: only the action's own timeout is to end the run.
      ...(this.#service === undefined ? {} : { killAfterMs: 24 * 3_600_000 }),
    });
    const post = await runPost(result);
    this.#section('Outputs', outputsOf(result));
    this.#section('Summary', result.summary.trim() || '(empty)');
    return exitCodeOf(result) || (post === undefined ? 0 : exitCodeOf(post));
  }

  #serviceInputs(): Record<string, string> {
    const { baseUrl, projectId, apiKey } = this.#service ?? {
      baseUrl: this.#simulator.url,
      projectId: this.#simulator.service.projectId,
      apiKey: this.#simulator.service.apiKey,
    };
    return { 'base-url': baseUrl, 'project-id': projectId, 'api-key': apiKey };
  }

  #section(title: string, text: string): void {
    this.#print(`\n── ${title} ──\n${text}\n\n`);
  }
}

function outputsOf({ outputs }: RunResult): string {
  const lines = Object.entries(outputs).map(([name, value]) => `${name} = ${value}`);
  return lines.length === 0 ? '(none)' : lines.join('\n');
}

/** A process that was ended by a signal has no exit code. */
function exitCodeOf({ exitCode }: RunResult): number {
  return exitCode ?? 1;
}
