import type { Issue, Person, PullRequest, Release } from '../../../github/changes.ts';
import type { Happening, Subject } from '../subject.ts';
import { type Clean, cut } from './clean.ts';

/** GitHub's own limit is 256 characters, of up to four bytes. */
const titleBytes = 800;
const nameBytes = 256;

/** Where it happened, and what. */
export function headLines({ repository, happened }: Subject, clean: Clean): string[] {
  return [
    `Repository: ${nameOf(repository.name, clean)}, ${nameOf(repository.url, clean)}`,
    `What happened: ${sentenceOf(happened, clean)}`,
  ];
}

/** The issue or pull request without the words of its description. */
export function threadLines(issue: Issue | PullRequest, clean: Clean): string[] {
  const kind = 'isMerged' in issue ? 'Pull request' : 'Issue';
  const place = issue.isFromOutside
    ? ', from outside: no owner, member or collaborator of the repository'
    : '';
  return [
    `${kind} #${issue.number}: ${titleOf(issue.title, clean)}`,
    `Address: ${nameOf(issue.url, clean)}`,
    `Author: ${personOf(issue.author, clean)}${place}`,
  ];
}

/** A pull request that a push or a range holds: `- #12 Title, by octocat`. */
export function mergedLine(pull: Subject['pullRequests'][number], clean: Clean): string {
  const place = pull.isFromOutside ? ', from outside' : '';
  return `- #${pull.number} ${titleOf(pull.title, clean)}, by ${personOf(pull.author, clean)}${place}`;
}

/** A release without its notes. */
export function releaseLines({ tag, name, url, author }: Release, clean: Clean): string[] {
  return [
    `Release ${nameOf(tag, clean)}: ${titleOf(name, clean)}`,
    `Address: ${nameOf(url, clean)}`,
    `Author: ${personOf(author, clean)}`,
  ];
}

/** A title or a commit's subject; one that is longer than GitHub lets people write them is cut, and shown to be. */
export function titleOf(text: string, clean: Clean): string {
  return shortened(clean.oneLine(text), titleBytes);
}

/** A login, a label, a branch, an address: likewise. */
export function nameOf(text: string, clean: Clean): string {
  return shortened(clean.oneLine(text), nameBytes);
}

function sentenceOf(happened: Happening, clean: Clean): string {
  const name = (text: string) => nameOf(text, clean);
  switch (happened.kind) {
    case 'issue':
      return `the request is about issue #${happened.number}.`;
    case 'pull-request': {
      const { number, isOpen, isMerged, baseRef, headSha } = happened.pullRequest;
      const state = isMerged ? 'was merged' : isOpen ? 'is open' : 'was closed without being merged';
      return `pull request #${number}, from commit ${name(headSha)} into ${name(baseRef)}, ${state}.`;
    }
    case 'push':
      return `commits ${name(happened.before)}...${name(happened.after)} were pushed to ${name(happened.branch)}.`;
    case 'release': {
      const since = happened.since === undefined ? '' : `; the release before it is ${name(happened.since)}`;
      return `release ${name(happened.tag)} was published${since}.`;
    }
    case 'since':
      return `the changes since ${name(happened.since)} are asked about, up to ${name(happened.head)}.`;
  }
}

function personOf({ login, isBot }: Person, clean: Clean): string {
  return `${nameOf(login, clean)}${isBot ? ' (a bot)' : ''}`;
}

function shortened(text: string, mostBytes: number): string {
  const beginning = cut(text, mostBytes);
  return beginning === text ? text : `${beginning}…`;
}
