import { readFileSync } from 'node:fs';
import { ActionError } from '../core/errors.ts';
import { shortCode } from '../text/markdown.ts';

/*
 * Every run reads this, and most of them never speak to GitHub: `context` of `@actions/github` comes only together with all of
 * octokit, and an event's payload that is no JSON makes importing it fail without naming the file.
 */

/** What the runner says of the run (GitHub's documentation, "Variables reference"). */
export interface RunContext {
  readonly eventName: string;
  /** The webhook payload, unparsed. */
  readonly payload: unknown;
  /** `owner/name`; `''` outside a repository. */
  readonly repository: string;
  readonly repositoryId: string;
  /** Its page. */
  readonly repositoryUrl: string;
  /** The commit that the run is for. */
  readonly sha: string;
  /** The workflow's file, without the version it was read at: `owner/name/.github/workflows/docs.yml`. */
  readonly workflow: string;
  readonly runId: string;
  readonly runAttempt: number;
  /** Names this step in the run: job and step id. */
  readonly stepId: string;
  readonly apiUrl: string;
  /** Page of the run. */
  readonly runUrl: string;
}

/** Reads the run's context. @throws ActionError when the event's payload cannot be read. */
export function readContext(env: NodeJS.ProcessEnv): RunContext {
  const value = (name: string) => env[name] ?? '';
  const serverUrl = value('GITHUB_SERVER_URL') || 'https://github.com';
  return {
    eventName: value('GITHUB_EVENT_NAME'),
    payload: readPayload(value('GITHUB_EVENT_PATH')),
    repository: value('GITHUB_REPOSITORY'),
    repositoryId: value('GITHUB_REPOSITORY_ID'),
    repositoryUrl: `${serverUrl}/${value('GITHUB_REPOSITORY')}`,
    sha: value('GITHUB_SHA'),
    workflow: value('GITHUB_WORKFLOW_REF').replace(/@.*$/, ''),
    runId: value('GITHUB_RUN_ID'),
    runAttempt: Number(value('GITHUB_RUN_ATTEMPT')) || 1,
    stepId: `${value('GITHUB_JOB')}.${value('GITHUB_ACTION')}`,
    apiUrl: value('GITHUB_API_URL') || 'https://api.github.com',
    runUrl: `${serverUrl}/${value('GITHUB_REPOSITORY')}/actions/runs/${value('GITHUB_RUN_ID')}`,
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
