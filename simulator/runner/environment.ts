import type { RunnerFiles } from './files.ts';
import type { RunIdentity, RunOptions } from './run-options.ts';

const PRELOAD = new URL('../clock/preload.mjs', import.meta.url).href;

/** The environment of a step on a Linux runner. Only PATH and HOME come from this process. */
export function runnerEnvironment(
  options: Partial<RunOptions>,
  { runId, attempt }: RunIdentity,
  files: RunnerFiles,
): Record<string, string> {
  const { simulator, event } = options;
  const { fullName = 'octo-org/docs', repository } = simulator?.github ?? {};
  return {
    PATH: process.env.PATH ?? '',
    HOME: process.env.HOME ?? files.directory,
    GITHUB_REPOSITORY: fullName,
    GITHUB_REPOSITORY_ID: String(repository?.id ?? 790_000_001),
    GITHUB_RUN_ID: String(runId),
    GITHUB_RUN_ATTEMPT: String(attempt),
    GITHUB_ACTION: '__octo-org_docs-agent',
    GITHUB_JOB: 'docs',
    GITHUB_WORKFLOW_REF: `${fullName}/.github/workflows/docs.yml@refs/heads/main`,
    GITHUB_SHA: 'b'.repeat(40),
    GITHUB_ACTOR: event?.actor ?? 'maintainer',
    GITHUB_EVENT_NAME: event?.name ?? 'workflow_dispatch',
    GITHUB_EVENT_PATH: files.event,
    GITHUB_SERVER_URL: 'https://github.com',
    GITHUB_API_URL: simulator?.githubUrl ?? 'https://api.github.com',
    GITHUB_WORKSPACE: files.workspace,
    GITHUB_OUTPUT: files.output,
    GITHUB_STATE: files.state,
    GITHUB_STEP_SUMMARY: files.summary,
    RUNNER_TEMP: files.directory,
    ...clockVariables(simulator),
    ...options.env,
  };
}

function clockVariables(simulator: RunOptions['simulator'] | undefined): Record<string, string> {
  if (simulator === undefined || simulator.clock.mode === 'real') return {};
  return {
    NODE_OPTIONS: `--import=${PRELOAD}`,
    SIMULATOR_CLOCK: simulator.clockUrl,
    SIMULATOR_CLOCK_START: String(simulator.clock.now()),
    SIMULATOR_TIMEOUT_SPEED: '1',
  };
}
