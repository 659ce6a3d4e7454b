import { formatDuration } from '../../text/duration.ts';
import { oneLine, shortCode } from '../../text/markdown.ts';
import { bold, linkTo, type Phrase, say, toMarkdown } from '../../text/phrase.ts';
import { type Card, hasCommands, jobOf } from './card.ts';
import { pullRequestOf } from './job.ts';
import { checksOf, pullOf } from './pull.ts';

/* Phrases about the job's pull request and its checks. All external text is shown as code or as a link. */

/** A link to the pull request, or only its name if the URL isn't usable. */
export function link(card: Card): Phrase {
  const { url, number } = pullRequestOf(jobOf(card)) ?? {};
  if (url === undefined) return say`A pull request (the service didn’t return a usable link to it)`;
  const { shown } = pullOf(card) ?? {};
  if (shown !== undefined) return [{ link: [`#${number} `, { title: shown.title }], url }];
  return linkTo(number === '' ? 'The pull request' : `Pull request #${number}`, url);
}

/** The size of the pull request and whether it builds, as the start of a line. */
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

/** A reminder that the pull request has been open for some time, as Markdown. */
export function reminderOf(card: Card, openMs: number): string {
  const open = bold`${link(card)} has been open for ${formatDuration(openMs)}.`;
  return `🔔 ${toMarkdown(open)} It’s waiting for a review; merge or close it when you’re done.`;
}

/** A link to the pull request of a job that failed or was archived. */
export function strayLink(card: Card): Phrase[] {
  if (pullRequestOf(jobOf(card)) === undefined) return [];
  const fates = { merged: ', which was merged', closed: ', which was closed without merging' };
  const fate = fates[pullOf(card)?.state as keyof typeof fates] ?? '';
  return [say`It did open a pull request: ${link(card)}${fate}.`];
}

/** Where to comment: nothing for the thread itself. With a card, also on its pull request. */
export function at(here: Phrase, card?: Card): Phrase {
  if (card !== undefined && isOtherThread(card)) return say` ${here} or on the pull request`;
  return here[0] === 'here' ? [] : say` ${here}`;
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
export function notBuilt(card: Card): Phrase[] {
  if (checksOf(card)?.is !== 'not-built') return [];
  const details = checkDetails(card).flatMap((link) => say` (${link})`);
  return [say`❌ ${checkName(card)} failed${details}.`];
}

/** What to say before a command, and the command, which asks the agent to fix a pull request that doesn't build. */
export function fixCommand(card: Card, here: Phrase): { lead: Phrase; command: string } | undefined {
  const { is, name = '' } = checksOf(card) ?? {};
  if (is !== 'not-built' || !hasCommands(card) || card.answer !== undefined) return undefined;
  const { url = '' } = pullRequestOf(jobOf(card)) ?? {};
  const isElsewhere = !url.startsWith(repositoryUrlOf(card));
  const where = isOtherThread(card) ? say`on the pull request` : here;
  const check = Array.from(oneLine(name)).slice(0, 100).join('').replaceAll('"', "'");
  const on = isElsewhere ? url : 'this pull request';
  const command = `${card.command} The check "${check}" failed on ${on}. Fix what it reports.`;
  return { lead: say`To have the agent fix it, comment ${where}:`, command };
}

/** The check that decided. */
export function checkName(card: Card): string {
  return shortCode(checksOf(card)?.name ?? '');
}

/** A link to the details of the check that decided, if it has one. */
export function checkDetails(card: Card): Phrase[] {
  const { url } = checksOf(card) ?? {};
  return url === undefined ? [] : [linkTo('details', url)];
}
