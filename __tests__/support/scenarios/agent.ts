import type { SimulatorCore } from '../../../simulator/core.ts';
import type { WebhookEvent } from '../../../simulator/github/types.ts';
import { type MemoryRun, playMain } from '../in-process/play.ts';
import type { Run } from '../played.ts';
import { serviceInputs, THREAD } from '../usual.ts';

/** Long enough that the run sees the job active twice. */
const ACTIVE_MS = 12_000;

/** A run that is ready to start, and what existed before it. */
export interface Staged extends Pick<Run, 'event' | 'inputs' | 'attempt'> {
  readonly thread: number;
  /** The prompt, which is unique in the thread. */
  readonly prompt: string;
  /** The comment with the command; `undefined` for reviews and for the input `prompt`. */
  readonly sourceCommentId: number | undefined;
  readonly before: { readonly jobs: number; readonly prompts: number };
  /** Whether the request must go to an existing job. */
  readonly isForOldJob?: boolean;
}

/** The scenario's run, by default its first attempt. The inputs are added to the scenario's. */
export function runOf({ event, inputs, attempt }: Staged, run: Partial<MemoryRun> = {}): MemoryRun {
  return { event, runId: 1, attempt, ...run, inputs: { ...inputs, ...run.inputs } };
}

/** One way to use the action, set up in a simulator. */
export interface Scenario {
  readonly name: string;
  stage(core: SimulatorCore): Promise<Staged>;
}

export const simpleCommand: Scenario = {
  name: 'command',
  stage: async (core) => {
    openThread(core);
    return stageCommand(core, 'add a quickstart');
  },
};

export const followUp: Scenario = {
  name: 'follow-up',
  stage: async (core) => {
    openThread(core);
    await play(core, stageCommand(core, 'add a quickstart'));
    core.clock.advance(3_600_000);
    return stageCommand(core, 'now in Python as well');
  },
};

/** A re-run of a command that already has a job. */
export const runAgain: Scenario = {
  name: 're-run',
  stage: async (core) => {
    const staged = await simpleCommand.stage(core);
    await play(core, staged, 1);
    return { ...staged, attempt: 2 };
  },
};

export const promptWithThread: Scenario = {
  name: 'prompt',
  stage: async (core) => {
    openThread(core);
    const prompt = 'Describe the change.';
    return stageRun(core, core.github.pullRequestEvent(THREAD), prompt, { inputs: { prompt } });
  },
};

/** The push that merges a pull request. Later merges continue its job. */
export const mergedPush: Scenario = {
  name: 'merged push',
  stage: async (core) => {
    const { git, pullRequests } = core.github;
    core.service.script({ activeMs: ACTIVE_MS });
    const before = git.commit({ files: { 'src/retry.ts': 'export const tries = 1;\n' } }).sha;
    git.branch('retries');
    git.commit({ branch: 'retries', files: { 'src/retry.ts': 'export const tries = 3;\n' } });
    pullRequests.open({ number: THREAD, head: 'retries', title: 'Retry' });
    const after = pullRequests.merge(THREAD, 'squash').sha;
    const event = core.github.pushEvent({ before, after });
    const prompt = 'Bring the docs up to date.';
    const inputs = { prompt, context: 'thread\nchanges', continue: 'repository' };
    return stageRun(core, event, prompt, { inputs });
  },
};

/** Opens the agent's pull request for a job that was requested in another thread. */
export async function openAgentsPull(
  core: SimulatorCore,
  asked = THREAD + 1,
  author = 'docs-agent[bot]',
): Promise<void> {
  const { github, service, clock } = core;
  github.addThread({ number: asked });
  github.addUser('docs-agent[bot]', { type: 'Bot', permission: 'none' });
  service.script({
    activeMs: ACTIVE_MS,
    prLink: `https://github.com/octo-org/docs/pull/${THREAD}`,
  });
  await play(core, stageCommand(core, 'add a quickstart', asked));
  github.git.commit({ files: { 'README.md': '# Docs\n' } });
  github.git.branch('quickstart');
  github.git.commit({
    branch: 'quickstart',
    files: { 'docs/quickstart.md': '# Quickstart\nRun it.\n' },
  });
  github.pullRequests.open({ number: THREAD, head: 'quickstart', author });
  clock.advance(3_600_000);
}

/** The line that review comments are on. */
export const onLine = {
  path: 'docs/quickstart.md',
  hunk: '@@ -0,0 +1,2 @@\n+# Quickstart\n+Run it.',
  line: 2,
};

/** A reply to a review comment on the agent's pull request. */
export const reviewComment: Scenario = {
  name: 'review comment',
  stage: async (core) => {
    await openAgentsPull(core);
    const { reviews } = core.github;
    const { id: replyTo } = reviews.comment('octocat', THREAD, { ...onLine, body: 'How?' });
    const said = { ...onLine, replyTo, body: '/docs say how to run it' };
    const comment = reviews.comment('maintainer', THREAD, said);
    const event = core.github.reviewCommentEvent(comment);
    const more = { sourceCommentId: comment.id, isForOldJob: true };
    return stageRun(core, event, 'say how to run it', more);
  },
};

/** A review of the agent's pull request, with comments. */
export const review: Scenario = {
  name: 'review',
  stage: async (core) => {
    await openAgentsPull(core);
    const comments = [1, 2].map((line) => ({
      ...onLine,
      line,
      body: `/docs shorten line ${line}`,
    }));
    const given = core.github.reviews.submit(
      'maintainer',
      THREAD,
      '/docs as I say below',
      comments,
    );
    return stageRun(core, core.github.reviewEvent(given), 'as I say below', { isForOldJob: true });
  },
};

/** All scenarios that the crash and fault tests use. */
export const scenarios: readonly Scenario[] = [
  simpleCommand,
  followUp,
  reviewComment,
  review,
  promptWithThread,
  mergedPush,
];

/** The number of jobs and messages since the scenario was set up. */
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

/** Completes an earlier run to set up a scenario. */
async function play(core: SimulatorCore, staged: Staged, runId = 6_900_000_001): Promise<void> {
  const { outputs } = await playMain(core, runOf(staged, { runId }));
  if (outputs.outcome !== 'pr-created')
    throw new Error(`What came before ends as ${outputs.outcome}`);
}

function stageCommand(core: SimulatorCore, prompt: string, thread = THREAD): Staged {
  const comment = core.github.comment('maintainer', thread, `/docs ${prompt}`);
  const event = core.github.issueCommentEvent(comment);
  return stageRun(core, event, prompt, { sourceCommentId: comment.id });
}

/** A run that is set up now. The inputs are added to the required ones. */
function stageRun(
  core: SimulatorCore,
  event: WebhookEvent,
  prompt: string,
  { inputs, ...more }: Partial<Staged>,
): Staged {
  const { service } = core;
  return {
    event,
    inputs: { ...serviceInputs(core), ...inputs },
    thread: THREAD,
    prompt,
    sourceCommentId: undefined,
    before: { jobs: service.jobs.length, prompts: promptsOf(service) },
    ...more,
  };
}

function promptsOf({ jobs }: SimulatorCore['service']): number {
  return jobs.reduce((sum, { prompts }) => sum + prompts.length, 0);
}
