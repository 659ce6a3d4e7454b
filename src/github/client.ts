import type { Scrub } from '../text/scrub.ts';
import { type ConnectionOptions, connect } from './connection.ts';
import { createRepository } from './repository.ts';
import { createThreads } from './threads.ts';

export interface GitHubOptions extends ConnectionOptions {
  /** What every comment passes last before it is sent. */
  readonly scrub: Scrub;
}

/** The part of GitHub that the modes use, for one repository. */
export type GitHub = ReturnType<typeof createGitHub>;

/** GitHub's REST API by octokit: cancellable, patient, and never a second comment. */
export function createGitHub({ scrub, ...options }: GitHubOptions) {
  const connection = connect(options);
  return { ...createThreads(connection, scrub), ...createRepository(connection) };
}
