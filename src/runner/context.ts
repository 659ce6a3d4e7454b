import { readFileSync } from 'node:fs';
import { ActionError } from '../core/errors.ts';
import { shortCode } from '../text/markdown.ts';

/*
 * Every run reads this, and most of them never speak to GitHub: `context` of `@actions/github` comes only together with all of
 * octokit, and an event's payload that is no JSON makes importing it fail without naming the file.
 */

/** What the runner says of the run (GitHub's documentation, "Variables reference"). */
export type RunContext = Readonly<ReturnType<typeof readContext>>;

/** @throws ActionError when the event's payload cannot be read. */
export function readContext(env: NodeJS.ProcessEnv) {
  const value = (name: string) => env[`GITHUB_${name}`] ?? '';
  const repositoryUrl = `${value('SERVER_URL') || 'https://github.com'}/${value('REPOSITORY')}`;
  return {
    eventName: value('EVENT_NAME'),
    payload: readPayload(value('EVENT_PATH')),
    /** `owner/name`; `''` outside a repository. */
    repository: value('REPOSITORY'),
    repositoryId: value('REPOSITORY_ID'),
    repositoryUrl,
    /** The commit that the run is for. */
    sha: value('SHA'),
    /** The workflow's file, without the version it was read at: `owner/name/.github/workflows/docs.yml`. */
    workflow: value('WORKFLOW_REF').replace(/@.*$/, ''),
    runId: value('RUN_ID'),
    runAttempt: Number(value('RUN_ATTEMPT')) || 1,
    /** Names this step in the run: job and step id. */
    stepId: `${value('JOB')}.${value('ACTION')}`,
    apiUrl: value('API_URL') || 'https://api.github.com',
    runUrl: `${repositoryUrl}/actions/runs/${value('RUN_ID')}`,
  };
}

/** The event's payload as JSON; an empty object without one. */
function readPayload(path: string): unknown {
  if (path === '') return {};
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw new ActionError('internal', `The event’s payload (${shortCode(path)}) cannot be read`, { cause });
  }
}
