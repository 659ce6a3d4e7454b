import { formatDuration } from '../../text/duration.ts';
import { fenced, linkText, oneLine, shortCode } from '../../text/markdown.ts';
import { type Card, hasCommands, jobOf } from './card.ts';
import { checksOf, pullOf, pullRequestOf } from './job.ts';

/* The words for the job's pull request and its checks. All external text is shown as code or as a link. */

/** The size of the pull request, as the start of a line. */
export function sizeOf(card: Card): string {
  const { shown } = pullOf(card) ?? {};
  if (shown === undefined) return '';
  const [added, removed, files] = [shown.additions, shown.deletions, shown.changedFiles].map((count) =>
    count.toLocaleString('en'),
  );
  const build = { building: ' · still building', built: ' · built' } as const;
  const is = checksOf(card)?.is;
  const state = is === 'building' || is === 'built' ? build[is] : '';
  return `\`+${added} −${removed}\` in ${files} ${shown.changedFiles === 1 ? 'file' : 'files'}${state}. `;
}

/** A link to the pull request, or only its name if the URL isn't usable. */
export function link(card: Card): string {
  const pullRequest = pullRequestOf(jobOf(card));
  if (pullRequest === undefined) return 'A pull request (the service didn’t return a usable link to it)';
  const { shown } = pullOf(card) ?? {};
  const title = shown && `#${pullRequest.number} ${linkText(shown.title)}`;
  const name = pullRequest.number === '' ? 'The pull request' : `Pull request #${pullRequest.number}`;
  return `[${title ?? name}](<${destination(pullRequest.url)}>)`;
}

/** A reminder that the pull request has been open for some time. */
export function reminderOf(card: Card, openMs: number): string {
  return `🔔 **${link(card)} has been open for ${formatDuration(openMs)}.** It’s waiting for a review; merge or close it when you’re done.`;
}

/** A link to the pull request of a job that failed or was archived. */
export function strayLink(card: Card): string[] {
  if (pullRequestOf(jobOf(card)) === undefined) return [];
  const fates = { merged: ', which was merged', closed: ', which was closed without merging' };
  const fate = fates[pullOf(card)?.state as keyof typeof fates] ?? '';
  return [`It did open a pull request: ${link(card)}${fate}.`];
}

/** Where to comment: nothing for the thread itself. With a card, also on its pull request. */
export function at(here: string, card?: Card): string {
  if (card !== undefined && isOtherThread(card)) return ` ${here} or on the pull request`;
  return here === 'here' ? '' : ` ${here}`;
}

/** Whether the pull request is in this repository, but isn't the current thread. */
function isOtherThread(card: Card): boolean {
  const { url, number } = pullRequestOf(jobOf(card)) ?? {};
  return url === `${repositoryUrlOf(card)}/pull/${number}` && number !== String(card.thread);
}

function repositoryUrlOf({ runUrl }: Card): string {
  return runUrl.replace(/\/actions\/.*/, '');
}

/** The line that says that the pull request doesn't build, if so. */
export function notBuilt(card: Card): string[] {
  if (checksOf(card)?.is !== 'not-built') return [];
  const details = checkDetails(card).map((link) => ` (${link})`);
  return [`❌ ${checkName(card)} failed${details.join('')}.`];
}

/** A command, ready to be copied, that asks the agent to fix a pull request that doesn't build. Empty if it builds. */
export function fixCommand(card: Card, here = 'here'): string {
  const { is, name = '' } = checksOf(card) ?? {};
  if (is !== 'not-built' || !hasCommands(card) || card.answer !== undefined) return '';
  const { url = '' } = pullRequestOf(jobOf(card)) ?? {};
  const isElsewhere = !url.startsWith(repositoryUrlOf(card));
  const where = isOtherThread(card) ? 'on the pull request' : here;
  const check = Array.from(oneLine(name)).slice(0, 100).join('').replaceAll('"', "'");
  const on = isElsewhere ? url : 'this pull request';
  const command = `${card.command} The check "${check}" failed on ${on}. Fix what it reports.`;
  return `To have the agent fix it, comment ${where}:\n\n${fenced(command)}`;
}

/** The check that decided. */
export function checkName(card: Card): string {
  return shortCode(checksOf(card)?.name ?? '');
}

/** A link to the details of the check that decided, if it has one. */
export function checkDetails(card: Card): string[] {
  const { url } = checksOf(card) ?? {};
  return url === undefined ? [] : [`[details](<${destination(url)}>)`];
}

/** In a link destination, a backslash is an escape character, and an ampersand may start an entity (CommonMark §2.4, §2.5). */
function destination(url: string): string {
  return url.replaceAll('\\', '%5C').replaceAll('&', '&amp;');
}
