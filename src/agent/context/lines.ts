import type { ChangedFile, Commit, Issue, Person, PullRequest, Release } from '../../github/changes.ts';
import type { Change } from './change.ts';
import type { Clean } from './clean.ts';

/** An issue or pull request, without its description. */
export function threadLines(issue: Issue | PullRequest, clean: Clean): string[] {
  const kind = 'isMerged' in issue ? 'Pull request' : 'Issue';
  const place = issue.isFromOutside
    ? ', from outside: no owner, member or collaborator of the repository'
    : '';
  return [
    `${kind} #${issue.number}: ${clean.title(issue.title)}`,
    `Address: ${clean.name(issue.url)}`,
    `Author: ${personOf(issue.author, clean)}${place}`,
  ];
}

/** A release, without its notes. */
export function releaseLines({ tag, name, url, author }: Release, clean: Clean): string[] {
  return [
    `Release ${clean.name(tag)}: ${clean.title(name)}`,
    `Address: ${clean.name(url)}`,
    `Author: ${personOf(author, clean)}`,
  ];
}

/** A pull request in a list: `- #12 Title, by octocat`. */
export function pullRequestLine(pull: Change['pullRequests'][number], clean: Clean): string {
  const place = pull.isFromOutside ? ', from outside' : '';
  return `- #${pull.number} ${clean.title(pull.title)}, by ${personOf(pull.author, clean)}${place}`;
}

/** A commit in a list: `- 1a2b3c4 Subject`. */
export function commitLine({ sha, message }: Commit, clean: Clean): string {
  const [subject = ''] = message.trimStart().split(/[\r\n]/, 1);
  return `- ${clean.name(sha.slice(0, 7))} ${clean.title(subject)}`;
}

/** A file in a list: `- src/a.ts (added) +10 -0`. */
export function fileLine(file: ChangedFile, clean: Clean): string {
  const status = file.status === 'modified' || file.status === 'changed' ? '' : ` (${file.status})`;
  const lines = file.lines === undefined ? '' : ` +${file.lines.added} -${file.lines.removed}`;
  return `- ${pathsOf(file, clean)}${status}${lines}`;
}

/** `old → new`, or the one path. */
export function pathsOf({ path, oldPath }: ChangedFile, clean: Clean): string {
  const paths = oldPath === undefined ? [path] : [oldPath, path];
  return paths.map(clean.oneLine).join(' → ');
}

function personOf({ login, isBot }: Person, clean: Clean): string {
  return `${clean.name(login)}${isBot ? ' (a bot)' : ''}`;
}
