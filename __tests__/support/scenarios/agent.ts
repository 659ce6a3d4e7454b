import type { SimulatorCore } from '../../../simulator/core.ts';
import type { WebhookEvent } from '../../../simulator/github/types.ts';
import { inputKey } from '../../../src/agent/request/trigger.ts';
import { createMarkers, type Marker, type Markers } from '../../../src/requests/marker.ts';
import { serviceInputs, THREAD } from '../usual.ts';

/** A job that the watch sees active twice before it ends. */
const ACTIVE_MS = 12_000;

/** A run that is about to be played, and what the world looked like before it. */
export interface Staged {
  readonly event: WebhookEvent;
  readonly inputs: Readonly<Record<string, string>>;
  readonly thread: number;
  readonly markers: Markers;
  /** The trigger's key, by the run's id where it has no comment. */
  key(runId: number): string;
  /** The comment that asks; `undefined` for a prompt of the workflow's own. */
  readonly sourceCommentId: number | undefined;
  /** Jobs and prompts there were before. */
  readonly before: { readonly jobs: number; readonly prompts: number };
}

/** One way to use the action, to be met by everything that can go wrong. */
export interface Scenario {
  readonly name: string;
  stage(core: SimulatorCore): Staged;
}

export const simpleCommand: Scenario = {
  name: 'command',
  stage: (core) => {
    openThread(core);
    return stageCommand(core, '/docs add a quickstart');
  },
};

export const followUp: Scenario = {
  name: 'follow-up',
  stage: (core) => {
    openThread(core);
    rememberJob(core);
    return stageCommand(core, '/docs now in Python as well');
  },
};

export const promptWithThread: Scenario = {
  name: 'prompt',
  stage: (core) => {
    openThread(core);
    const inputs = { prompt: 'Describe the change.' };
    return stageRun(core, core.github.pullRequestEvent(THREAD), inputs, undefined);
  },
};

/** The push of a merged pull request, whose job later changes go on with. */
export const mergedPush: Scenario = {
  name: 'merged push',
  stage: (core) => {
    const { git, pullRequests } = core.github;
    core.service.script({ activeMs: ACTIVE_MS });
    const before = git.commit({ files: { 'src/retry.ts': 'export const tries = 1;\n' } }).sha;
    git.branch('retries');
    git.commit({ branch: 'retries', files: { 'src/retry.ts': 'export const tries = 3;\n' } });
    pullRequests.open({ number: THREAD, head: 'retries', title: 'Retry' });
    const after = pullRequests.merge(THREAD, 'squash').sha;
    const event = core.github.pushEvent({ before, after });
    const inputs = {
      prompt: 'Bring the docs up to date.',
      context: 'thread\nchanges',
      continue: 'repository',
    };
    const staged = stageRun(core, event, inputs, undefined);
    const key = inputKey(`change:${after}`, { prompt: inputs.prompt, jobId: undefined });
    return { ...staged, key: () => key };
  },
};

/** The markers of a thread, as the product writes and reads them with this key. */
export function markersOf(
  { url, service, github }: SimulatorCore,
  { thread = THREAD, apiKey = service.apiKey, projectId = service.projectId } = {},
): Markers {
  const repositoryId = String(github.repository.id);
  return createMarkers({ service: { apiKey, baseUrl: url, projectId }, repositoryId, thread });
}

/** The key of the trigger that a prompt of the workflow's own is. */
export function keyOfPrompt(runId: number, prompt: string | undefined): string {
  return inputKey(`run:${runId}:docs.__octo-org_docs-agent`, { prompt, jobId: undefined });
}

/** How many jobs and messages there are, over what there was before. */
export function askedSince(
  { service }: SimulatorCore,
  { before }: Staged,
): { jobs: number; prompts: number } {
  return { jobs: service.jobs.length - before.jobs, prompts: promptsOf(service) - before.prompts };
}

function openThread({ github, service }: SimulatorCore): void {
  github.addThread({ number: THREAD, isPullRequest: true });
  service.script({ activeMs: ACTIVE_MS });
}

/** A command of an hour ago whose job ended with a pull request, as the action leaves it. */
function rememberJob(core: SimulatorCore): void {
  const { github, service, clock } = core;
  const asked = github.comment('maintainer', THREAD, '/docs add a quickstart');
  const job = service.createJob('add a quickstart');
  const status = github.comment('github-actions[bot]', THREAD, 'Asking the writing agent …');
  clock.advance(3_600_000);
  const marker: Marker = {
    key: `comment:${asked.id}`,
    phase: 'ended',
    run: '6900000001',
    attempt: 1,
    comment: status.id,
    job: job.id,
  };
  github.edit(
    status.id,
    `${markersOf(core).write(marker)}\n✅ **[Pull request #101](<${job.prLink}>) is ready** after 1 min 4 s.`,
  );
}

function stageCommand(core: SimulatorCore, body: string): Staged {
  const comment = core.github.comment('maintainer', THREAD, body);
  return stageRun(core, core.github.issueCommentEvent(comment), {}, comment.id);
}

function stageRun(
  core: SimulatorCore,
  event: WebhookEvent,
  inputs: Readonly<Record<string, string>>,
  sourceCommentId: number | undefined,
): Staged {
  return {
    event,
    inputs: { ...serviceInputs(core), ...inputs },
    thread: THREAD,
    markers: markersOf(core),
    key: (runId) =>
      sourceCommentId === undefined ? keyOfPrompt(runId, inputs.prompt) : `comment:${sourceCommentId}`,
    sourceCommentId,
    before: { jobs: core.service.jobs.length, prompts: promptsOf(core.service) },
  };
}

function promptsOf({ jobs }: SimulatorCore['service']): number {
  return jobs.reduce((sum, { prompts }) => sum + prompts.length, 0);
}
