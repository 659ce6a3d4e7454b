import { existsSync } from 'node:fs';

import type { SimulatedGitHub } from '../github/github.ts';
import type { WebhookEvent } from '../github/types.ts';
import { type Simulator, startSimulator } from '../index.ts';
import { readAction } from '../runner/action.ts';
import type { RunOptions } from '../runner/run-options.ts';
import { runAction, runPost } from '../runner/runner.ts';
import { DEFAULT_PROJECT } from '../service/service.ts';
import { SHOWN_READERS } from '../service/visitors/readers.ts';
import { SHOWN_SITE } from '../service/visitors/site.ts';
import { openAgentsPullRequest, pushToAgentsPullRequest } from './agents-pull-request.ts';
import type { PlayOptions, Scene } from './command-line.ts';
import { outProblem, writeSummary } from './out.ts';
import { asPlainText } from './plain-text.ts';
import { renderThread } from './render-thread.ts';
import { wrap } from './wrap.ts';

/** A Monday morning, when a weekly report is due. */
const PLAY_START_MS = Date.parse('2026-03-09T06:00:00Z');
const THREAD = 12;
const SITES = ['Guides', 'API reference', 'SDKs', 'Handbook', 'Cookbook'];

const CHANGE_INPUTS: Inputs = {
  prompt: 'Bring the documentation up to date with this change.',
  context: 'thread\nchanges',
  paths: 'src/**',
};

const SIMULATED: Readonly<Record<Scene['kind'], string>> = {
  prompt: 'a manual run',
  comments: 'comments on an issue',
  stranger: 'a comment by a stranger',
  failed: 'a job that fails',
  change: 'a merged pull request',
  visitors: 'a weekly report',
};

const TRIES = 'src/retry.ts';
const text = (tries: number) =>
  `/** How many times a request is sent. */\nexport const tries = ${tries};\n`;

/** Thrown if a scene can't run. The message says why. */
export class PlayProblem extends Error {
  override readonly name = 'PlayProblem';
}

/** Runs a scene with the committed bundle. Returns the exit code of the last run that failed, or 0. */
export async function playScene(
  { scene, service, isVerbose }: PlayOptions,
  print: (text: string) => void,
  maxWidth = process.stdout.columns ?? 80,
): Promise<number> {
  const { main } = readAction();
  if (!existsSync(main))
    throw new PlayProblem(`There is no bundle at ${main}. Run "npm run build" first.`);
  const problem =
    scene.kind === 'visitors' && scene.out !== undefined ? outProblem(scene.out) : undefined;
  if (problem !== undefined) throw new PlayProblem(problem);
  const clock = service === undefined ? { start: PLAY_START_MS } : ({ mode: 'real' } as const);
  const simulator = await startSimulator({ clock });
  try {
    simulator.service.script({ activeMs: 150_000 });
    simulator.service.visitors.script(SHOWN_SITE);
    simulator.service.visitors.readers.give(SHOWN_READERS);
    const what = SIMULATED[scene.kind];
    if (service === undefined)
      print(`Simulating ${what}; nothing is sent, waiting is skipped.\n\n`);
    else {
      print(`Running ${what} against ${service.baseUrl}, in real time; GitHub is simulated.\n\n`);
      if (scene.kind !== 'visitors') await warnOfCost(print);
    }
    const details: string[] = [];
    const exitCode = await play(scene, { simulator, service, print, isVerbose, maxWidth, details });
    if (isVerbose || exitCode !== 0) print(details.join(''));
    else print('See the log, the outputs, and what is collapsed: npm start -- --verbose\n');
    for (const violation of simulator.violations) print(`✗ The simulator refused: ${violation}\n`);
    return exitCode;
  } finally {
    await simulator.close();
  }
}

const pauseMs = 5_000;

/** A real job can't be stopped once it has started. */
async function warnOfCost(print: (text: string) => void): Promise<void> {
  print(
    'This starts a real job, which uses credits. To stop, press Ctrl-C twice within 5 seconds.\n\n',
  );
  await new Promise((resolve) => setTimeout(resolve, pauseMs));
}

interface Stage extends Omit<PlayOptions, 'scene'> {
  readonly simulator: Simulator;
  readonly print: (text: string) => void;
  /** The columns of the terminal. */
  readonly maxWidth: number;
  /** What `--verbose` adds. */
  readonly details: string[];
}

type Inputs = Readonly<Record<string, string>>;

/** Runs one scene, and prints what people would see. Returns the exit code. */
async function play(scene: Scene, stage: Stage): Promise<number> {
  switch (scene.kind) {
    case 'prompt': {
      const event = stage.simulator.github.workflowDispatchEvent();
      const { exitCode, summary } = await run(stage, { prompt: scene.prompt }, event);
      show(stage, 'The job summary', summary);
      return exitCode;
    }
    case 'visitors':
      return playReport(stage, scene);
    case 'comments':
      return playThread(stage, 'maintainer', scene.comments);
    case 'stranger':
      return playThread(stage, 'stranger', [scene.comment]);
    case 'failed':
      return playFailure(stage, scene.comment);
    case 'change':
      return playMerge(stage);
  }
}

async function playThread(
  stage: Stage,
  author: string,
  comments: readonly string[],
): Promise<number> {
  const { github } = stage.simulator;
  openIssue(github);
  const ignored: string[] = [];
  let exitCode = 0;
  for (const body of comments) {
    const comment = github.comment(author, THREAD, body);
    const stop = stage.service === undefined ? actAsAgent(stage.simulator) : undefined;
    const result = await run(stage, {}, github.issueCommentEvent(comment));
    exitCode = result.exitCode || exitCode;
    stop?.();
    if (result.outcome === 'skipped') ignored.push(body);
  }
  show(stage, 'The issue', renderThread(github, THREAD));
  for (const body of ignored)
    stage.print(`Ignored, because it doesn’t begin with /docs: ${body.split('\n')[0]}\n\n`);
  return exitCode;
}

/** A command whose job fails. Then someone re-runs the workflow, as the status comment says. Returns the exit code of the re-run. */
async function playFailure(stage: Stage, body: string): Promise<number> {
  const { github, service } = stage.simulator;
  openIssue(github);
  const event = github.issueCommentEvent(github.comment('maintainer', THREAD, body));
  service.scriptNext({ end: 'failed' });
  await run(stage, {}, event, { runId: 1 });
  show(stage, 'The issue after the step failed', renderThread(github, THREAD));
  const stop = actAsAgent(stage.simulator);
  const { exitCode } = await run(stage, {}, event, { runId: 1, attempt: 2 });
  stop();
  show(
    stage,
    'The issue after you chose “Re-run failed jobs” on the run’s page',
    renderThread(github, THREAD),
  );
  return exitCode;
}

function openIssue(github: SimulatedGitHub): void {
  github.addThread({
    number: THREAD,
    title: 'Document the Python SDK',
    body: 'It was released last week, and the docs only show TypeScript.',
  });
}

/** Opens a pull request for a new job, named after its prompt, or updates that of the newest job. Returns a function that ends this. */
function actAsAgent({ github, service, once }: Simulator): () => void {
  const numberOf = () => 100 + service.jobs.length;
  const open = () => {
    const [line = ''] = (service.jobs.at(-1)?.prompts[0] ?? '').split('\n');
    const title = line.charAt(0).toUpperCase() + line.slice(1, 70).replace(/[.!?]$/, '');
    openAgentsPullRequest(github, numberOf(), title);
  };
  const ends = [
    once({ at: 'POST /v2/agent/{project}/job', phase: 'handled' }, open),
    once({ at: 'POST /v2/agent/{project}/job/{id}/message', phase: 'handled' }, () =>
      pushToAgentsPullRequest(github, numberOf()),
    ),
  ];
  return () => {
    for (const end of ends) end();
  };
}

async function playMerge(stage: Stage): Promise<number> {
  const { github, service } = stage.simulator;
  github.repository = { ...github.repository, name: 'app' };
  openChange(github, THREAD);
  github.pullRequests.merge(THREAD, 'squash');
  const { exitCode } = await run(stage, CHANGE_INPUTS, github.pushEvent());
  show(stage, 'The merged pull request', renderThread(github, THREAD));
  // With the real service, there are no simulated jobs to show.
  for (const { prompts } of service.jobs)
    stage.print(section('What the agent got', prompts.join('\n')));
  return exitCode;
}

/** Adds sites until there are that many. Returns the inputs for a report on all of them. */
function addProjects({ service }: Simulator, count: number): Inputs {
  if (count === 1) return {};
  const lines = [`${service.projectId} = ${SITES[0]}`];
  for (let number = 2; number <= count; number += 1) {
    const id = `prj_simulated_${number}`;
    service.addProject({ ...DEFAULT_PROJECT, id });
    service.visitors.script(
      { seed: number, rows: 240, topWeekly: 1_600 / number, growthPerWeek: 1, moves: [] },
      id,
    );
    lines.push(`${id} = ${SITES[number - 1] ?? `Site ${number}`}`);
  }
  return { 'project-id': lines.join('\n') };
}

async function playReport(
  stage: Stage,
  { out, projects, gaps }: Extract<Scene, { kind: 'visitors' }>,
): Promise<number> {
  const { simulator, service, print } = stage;
  const event = simulator.github.scheduleEvent();
  const inputs = {
    mode: 'visitors',
    // Enough to read every page of nine weeks.
    ...(service === undefined ? { 'max-requests': '100' } : {}),
    ...addProjects(simulator, projects),
    ...(gaps ? { gaps: 'words' } : {}),
  };
  const { exitCode, summary } = await run(stage, inputs, event);
  if (out === undefined) show(stage, 'The report, in the job summary', summary);
  else {
    writeSummary(out, summary);
    print(`The report is in ${out}.\n`);
  }
  return exitCode;
}

/** Runs main and post, and saves the log and outputs for `--verbose`. */
async function run(
  stage: Stage,
  inputs: Inputs,
  event: WebhookEvent,
  options: Partial<RunOptions> = {},
) {
  // A run in real time takes minutes, so print the log as it comes in, and don't kill the run early.
  const inRealTime = {
    onLogLine: (line: string) => stage.print(`${line}\n`),
    killAfterMs: 24 * 3_600_000,
  };
  const more = stage.service === undefined ? options : { ...options, ...inRealTime };
  const { simulator } = stage;
  const { projectId, apiKey } = simulator.service;
  const { baseUrl, ...used } = stage.service ?? { baseUrl: simulator.url, projectId, apiKey };
  const required = { 'base-url': baseUrl, 'project-id': used.projectId, 'api-key': used.apiKey };
  const result = await runAction({ simulator, inputs: { ...required, ...inputs }, event, ...more });
  const post = await runPost(result);
  const outputs = Object.entries(result.outputs).map(([name, value]) => `${name} = ${value}`);
  stage.details.push(section(`The log (${event.name})`, `${result.log}${post.log}`));
  stage.details.push(section('The outputs', outputs.join('\n')));
  // A process ended by a signal has no exit code.
  const exitCode = (result.exitCode ?? 1) || (post.exitCode ?? 1);
  return { exitCode, summary: result.summary, outcome: result.outputs.outcome };
}

function show({ isVerbose, maxWidth, print }: Stage, title: string, text: string): void {
  print(section(title, wrap(asPlainText(text, isVerbose), maxWidth)));
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
