import { shortCode } from '../../text/markdown.ts';
import { isFollowUp, jobIdOf, jobOf, type Tellable } from '../known.ts';
import { pullRequestOf } from './ending.ts';

/* What people can do next, as parts of sentences in Markdown. What comes from outside is shown as code, or is a link. */

/** Whether commands are listened to in the thread: only a run that one has started knows. */
export function isHeard({ isCommand, threadNumber }: Tellable): boolean {
  return isCommand && threadNumber !== undefined;
}

/** How a job is sent more. */
export function goOn(known: Tellable): string {
  return isHeard(known) ? `\`${known.command} …\`` : `a run with ${withJobId(known)} and a new \`prompt\``;
}

/** How to learn how a job stands that a run leaves. */
export function whereToLook(known: Tellable): string {
  if (isHeard(known))
    return `\`${known.command} status\` shows how it stands; re-running the workflow follows it to its end.`;
  return known.threadNumber === undefined
    ? `A run with ${withJobId(known)} follows it to its end.`
    : 'Re-running the workflow follows it to its end.';
}

function withJobId(known: Tellable): string {
  const jobId = jobIdOf(known);
  return jobId === undefined ? 'its `job-id`' : `the \`job-id\` ${shortCode(jobId)}`;
}

/** How a job that takes no more is followed by another. */
export function startsAnew(known: Tellable): string {
  return `${isHeard(known) ? `\`${known.command} --new …\`` : 'A run with a `prompt`, and without `job-id`,'} starts a new one.`;
}

/** How what may have been asked is asked once more on purpose: the status comment keeps every run from it. */
export function askAnew(known: Tellable): string {
  if (isHeard(known)) return `ask again with \`${known.command} ${isFollowUp(known) ? '' : '--new '}…\``;
  return known.threadNumber === undefined
    ? 'run it again'
    : 'delete this status comment and re-run the workflow';
}

/** The pull request that a job has left though it came to nothing. */
export function leftLink(known: Tellable): string[] {
  return pullRequestOf(jobOf(known)) === undefined ? [] : [`It has left a pull request: ${link(known)}.`];
}

/** Where a pull request is to be found whose link cannot be used. */
export function whereItIs(known: Tellable): string[] {
  return pullRequestOf(jobOf(known)) === undefined ? ['The service’s dashboard shows it.'] : [];
}

/** The pull request as a link; what is no usable address is only named. */
export function link(known: Tellable): string {
  const pullRequest = pullRequestOf(jobOf(known));
  if (pullRequest === undefined) return 'A pull request (the service gave no usable link to it)';
  const name = pullRequest.number === '' ? 'The pull request' : `Pull request #${pullRequest.number}`;
  // In a link's destination a backslash escapes and an ampersand may begin an entity (CommonMark §2.4, §2.5).
  const destination = pullRequest.url.replaceAll('\\', '%5C').replaceAll('&', '&amp;');
  return `[${name}](<${destination}>)`;
}
