/*
 * Addresses on GitHub. They are always parsed, never cut by a pattern: a repository or its owner
 * may be named `actions`, `pull`, or `7`, and one name may begin with another.
 */

/** A repository on a server. */
export interface RepositoryName {
  readonly owner: string;
  readonly repo: string;
}

/** A repository on any server. */
interface RepositoryAddress extends RepositoryName {
  /** Such as `https://github.com`. */
  readonly server: string;
}

/** A pull request in any repository on any server. */
export interface PullRequestAddress extends RepositoryAddress {
  readonly number: number;
}

/** The repository of a page, such as that of a run; `undefined` if the page is in none. */
export function parseRepository(url: string): RepositoryAddress | undefined {
  return parsePage(url)?.repository;
}

/** The pull request of a page, which may be one of its tabs; `undefined` if the page is of none. */
export function parsePullRequest(url: string | undefined): PullRequestAddress | undefined {
  const page = parsePage(url);
  if (page === undefined) return undefined;
  const [kind, number = ''] = page.path;
  if (kind !== 'pull' || !isPullRequestNumber(number)) return undefined;
  return { ...page.repository, number: Number(number) };
}

/** The ID of the workflow run of a page; `undefined` if the page is of none. */
export function parseRunId(url: string | null): string | undefined {
  const path = parsePage(url)?.path ?? [];
  return path[0] === 'actions' && path[1] === 'runs' ? path[2] : undefined;
}

/** The commit of a file's page; `undefined` if the page is of no file. */
export function parseFileCommit(url: string): string | undefined {
  const path = parsePage(url)?.path ?? [];
  return path[0] === 'blob' ? path[1] : undefined;
}

export function pullRequestUrl(pull: PullRequestAddress): string {
  return `${pull.server}/${pull.owner}/${pull.repo}/pull/${pull.number}`;
}

/** The name of the branch that a ref such as `refs/heads/main` names, or `main` itself. */
export function branchOf(ref: string): string {
  return ref.replace(/^refs\/heads\//, '');
}

/** Whether two addresses are of one repository. GitHub ignores upper and lower case in names. */
export function isSameRepository(one: RepositoryAddress, other: RepositoryAddress): boolean {
  return one.server === other.server && nameOfRepository(one) === nameOfRepository(other);
}

/** Names a repository of one server in the same way for each spelling. */
export function nameOfRepository({ owner, repo }: RepositoryName): string {
  return `${owner}/${repo}`.toLowerCase();
}

/** Whether two URLs lead to the same pull request. */
export function isSamePullRequest(url: string | undefined, otherUrl: string | undefined): boolean {
  const one = parsePullRequest(url);
  const other = parsePullRequest(otherUrl);
  if (one === undefined || other === undefined) return false;
  return one.number === other.number && isSameRepository(one, other);
}

/** Names a pull request in the same way for each spelling of its URL. Other URLs name themselves. */
export function nameOfPullRequest(url: string): string {
  const pull = parsePullRequest(url);
  return pull === undefined ? url : pullRequestUrl(pull).toLowerCase();
}

/** Whether part of a path is the number of a pull request. A longer number wouldn't be exact. */
export function isPullRequestNumber(text: string): boolean {
  return /^[1-9]\d{0,14}$/.test(text);
}

/** The repository of a page, and the rest of the page's path. */
function parsePage(url: string | null | undefined) {
  const page = URL.parse(url ?? '');
  if (page === null || page.username !== '' || page.password !== '') return undefined;
  const segments = page.pathname.split('/').slice(1);
  const [owner, repo] = segments;
  if (!owner || !repo) return undefined;
  return { repository: { server: page.origin, owner, repo }, path: segments.slice(2) };
}
