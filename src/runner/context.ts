import { readFileSync } from 'node:fs';

/*
 * We don't use `context` from `@actions/github`, because it loads all of octokit, which most runs
 * don't need.
 */

/** The runner's variables for this run (GitHub's documentation, "Variables reference"). */
export type RunContext = Readonly<ReturnType<typeof readContext>>;

export function readContext(env: NodeJS.ProcessEnv) {
  const value = (name: string) => env[`GITHUB_${name}`] ?? '';
  const path = value('EVENT_PATH');
  const payload = path === '' ? {} : JSON.parse(readFileSync(path, 'utf8'));
  const repositoryUrl = `${value('SERVER_URL') || 'https://github.com'}/${value('REPOSITORY')}`;
  return {
    eventName: value('EVENT_NAME'),
    payload: payload as unknown,
    /** Whether the repository is known to be private. Not every event says so. */
    isPrivate: payload?.repository?.private === true,
    /** The repository as `owner/name`; `''` outside a repository. */
    repository: value('REPOSITORY'),
    repositoryId: value('REPOSITORY_ID'),
    repositoryUrl,
    sha: value('SHA'),
    /** The workflow's file without its ref, such as `owner/name/.github/workflows/docs.yml`. */
    workflow: value('WORKFLOW_REF').replace(/@.*$/, ''),
    runId: value('RUN_ID'),
    runAttempt: Number(value('RUN_ATTEMPT')) || 1,
    stepId: `${value('JOB')}.${value('ACTION')}`,
    apiUrl: value('API_URL') || 'https://api.github.com',
    runUrl: `${repositoryUrl}/actions/runs/${value('RUN_ID')}`,
  };
}
