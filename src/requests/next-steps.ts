import { shortCode } from '../text/markdown.ts';
import { type Card, isFollowUp, jobOf } from './card.ts';
import { pullRequestOf } from './job.ts';

/* What people can do next, as parts of sentences in Markdown. What comes from outside is shown as code, or is a link. */

/** Whether the thread listens to commands: only a run that a command started knows. */
export function isHeard({ isCommand, thread }: Card): boolean {
  return isCommand && thread !== undefined;
}

/** How to send a job more. */
export function askMore(card: Card): string {
  return isHeard(card) ? `\`${card.command} …\`` : `a run with ${withJobId(card)} and a new \`prompt\``;
}

/** How to follow a job that this run leaves. */
export function whereToLook(card: Card): string {
  if (isHeard(card)) return `\`${card.command} status\` shows its progress.`;
  if (card.thread === undefined) return `A run with ${withJobId(card)} follows it to its end.`;
  return 'Once it has ended, re-running the workflow or a run with `mode: collect` posts its end here.';
}

function withJobId(card: Card): string {
  const job = jobOf(card);
  return job === undefined ? 'its `job-id`' : `the \`job-id\` ${shortCode(job.id)}`;
}

/** How to replace a job that takes no more. */
export function startAnew(card: Card): string {
  return `${isHeard(card) ? `\`${card.command} --new …\`` : 'A run with a `prompt`, and without `job-id`,'} starts a new one.`;
}

/** How to repeat on purpose what may have been asked: the status comment keeps every run from it. */
export function askAnew(card: Card): string {
  if (isHeard(card)) return `ask again with \`${card.command} ${isFollowUp(card) ? '' : '--new '}…\``;
  return card.thread === undefined ? 'run it again' : 'delete this status comment and re-run the workflow';
}

/** The pull request that a job left though it came to nothing. */
export function leftLink(card: Card): string[] {
  return pullRequestOf(jobOf(card)) === undefined ? [] : [`It has left a pull request: ${link(card)}.`];
}

/** Where to find a pull request whose link cannot be used. */
export function whereItIs(card: Card): string[] {
  return pullRequestOf(jobOf(card)) === undefined ? ['The service’s dashboard shows it.'] : [];
}

/** The pull request as a link; what is no usable address is only named. */
export function link(card: Card): string {
  const pullRequest = pullRequestOf(jobOf(card));
  if (pullRequest === undefined) return 'A pull request (the service gave no usable link to it)';
  const name = pullRequest.number === '' ? 'The pull request' : `Pull request #${pullRequest.number}`;
  // In a link's destination a backslash escapes and an ampersand may begin an entity (CommonMark §2.4, §2.5).
  const destination = pullRequest.url.replaceAll('\\', '%5C').replaceAll('&', '&amp;');
  return `[${name}](<${destination}>)`;
}
