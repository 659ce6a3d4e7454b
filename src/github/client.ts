import type { RepositoryName } from '../core/address.ts';
import { withTime } from '../core/clock.ts';
import { code } from '../text/markdown.ts';
import { toIssue } from './changes.ts';
import { createComments } from './comments.ts';
import { createCommits } from './commits.ts';
import {
  type Connection,
  type ConnectionOptions,
  connect,
  createLimits,
  type Limits,
  withText,
} from './connection.ts';
import type { GitHubError } from './errors.ts';
import { createPullRequests } from './pull-requests.ts';
import { required } from './response.ts';
import { createTime } from './time.ts';

/** The GitHub API that the modes use, for one repository. */
export interface GitHub extends ReturnType<typeof createClient> {
  /** GitHub's time, in milliseconds since the epoch. */
  now(): number;
  /** The same client, whose requests and waits end with another signal. */
  within(signal: AbortSignal): GitHub;
  /**
   * The client for a repository on the same server. For other repositories than the run's own, it
   * uses the input `docs-token`.
   */
  at(repository: RepositoryName): GitHub;
}

type Writer =
  | 'createComment'
  | 'updateComment'
  | 'deleteComment'
  | 'react'
  | 'unreact'
  | 'requestReview';

export interface GitHubReader extends Omit<GitHub, Writer | 'at' | 'within'> {
  at(repository: RepositoryName): GitHubReader;
}

/**
 * Clients for the run's own repository and, with `docsToken`, for others. Without one, they use the
 * same token.
 */
export function createGitHub(
  options: ConnectionOptions & { docsToken?: string | undefined },
): GitHub {
  const { docsToken, ...own } = options;
  // The ID is that of the run's own repository, and the event's thread is one of it.
  const elsewhere = { ...own, repositoryId: undefined, thread: undefined };
  const others =
    docsToken === undefined
      ? elsewhere
      : { ...elsewhere, token: docsToken, tokenName: 'docs-token' };
  const time = createTime(own.clock);
  const clock = withTime(own.clock, time.now);
  /** By the repository's name in lowercase. The clients for all signals share them. */
  const limitsByName = new Map<string, Limits>();

  function clientFor(repository: string, signal: AbortSignal): GitHub {
    const name = repository.toLowerCase();
    const limits = limitsByName.get(name) ?? createLimits();
    limitsByName.set(name, limits);
    const isOwn = name === own.repository.toLowerCase();
    const target = isOwn ? own : { ...others, repository };
    const options = { ...target, signal, clock: clock.within(signal) };
    return {
      ...createClient(connect(options, limits, time)),
      now: time.now,
      at: ({ owner, repo }) => clientFor(`${owner}/${repo}`, signal),
      within: (newSignal) => clientFor(repository, newSignal),
    };
  }

  return clientFor(own.repository, own.signal);
}

/**
 * GitHub's REST API. Calls are retried, but no comment is posted twice. Methods throw
 * `GitHubError`, or the signal's reason.
 */
function createClient(connection: Connection) {
  const { read, find } = connection;
  const { issues, repos } = connection.rest;
  return {
    ...createComments(connection),
    ...createPullRequests(connection),
    ...createCommits(connection),

    isNearlySpent: connection.limits.isNearlySpent,
    waitAtMost: connection.limits.waitAtMost,

    /**
     * A person's permission and role name; `undefined` if GitHub doesn't know the person.
     * Otherwise, a 404 is an error.
     */
    permissionOf: (username: string) =>
      find(
        `Looking up the permission of ${code(username)}`,
        repos.getCollaboratorPermissionLevel,
        { username },
        (data) => ({ permission: required(data).permission, roleName: data.role_name ?? '' }),
        isUnknownUser,
      ),

    /**
     * An issue, or the fields of a pull request that issues also have; `undefined` if there is
     * none.
     */
    readIssue: (issue_number: number) =>
      find(`Reading issue ${issue_number}`, issues.get, { ...withText, issue_number }, (data) => ({
        ...toIssue(data),
        isLocked: data.locked,
      })),

    /**
     * A repository, by default the client's. `current`: its name today. With an earlier one, GitHub
     * redirects each request.
     */
    readAbout: (repository: Partial<RepositoryName> = {}) =>
      read('Reading the repository', repos.get, repository, (data) => {
        const about = required(data);
        const [owner = '', repo = ''] = about.full_name.split('/');
        return {
          defaultBranch: about.default_branch,
          isPrivate: about.private,
          current: { owner, repo },
        };
      }),

    /** The creation time of a workflow run, in milliseconds since the epoch. */
    readRunCreatedAt: (runId: string) => {
      const { getWorkflowRun } = connection.rest.actions;
      return read('Reading the run', getWorkflowRun, { run_id: Number(runId) }, (data) =>
        Date.parse(required(data).created_at),
      );
    },
  };
}

/** For a repository that the token can't see, GitHub returns 404, too. */
function isUnknownUser({ status, said = '' }: GitHubError): boolean {
  return status === 404 && /\bnot a user\b/.test(said);
}
