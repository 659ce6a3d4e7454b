import type { Scrub } from '../text/scrub.ts';
import { type ConnectionOptions, connect } from './connection.ts';
import { createRepository, type Repository } from './repository.ts';
import { createThreads, type Threads } from './threads.ts';

/** The part of GitHub that the modes use, for one repository. */
export interface GitHub extends Threads, Repository {}

export interface GitHubOptions extends ConnectionOptions {
  /** What every comment passes last before it is sent. */
  readonly scrub: Scrub;
}

/** GitHub's REST API by octokit: cancellable, patient, and never a second comment. */
export function createGitHub({ scrub, ...options }: GitHubOptions): GitHub {
  const connection = connect(options);
  return { ...createThreads(connection, scrub), ...createRepository(connection) };
}
