import type { AgentOutcome, AgentReason } from '../core/reasons.ts';
import { formatDuration } from '../text/duration.ts';
import { linkText, shortCode } from '../text/markdown.ts';
import { type Card, endingOf, howEnded, isFollowUp, jobOf } from './card.ts';
import { pullRequestOf } from './job.ts';
import { pullOf } from './pull.ts';

/*
 * The words for a request's state and for what users can do next. The status comment, the job summary, and the log all use
 * them. All external text is shown as code or as a link.
 */

const minuteMs = 60_000;

/** One line that starts with an icon and names the state, then lines that say what to do, all as Markdown. */
export type Words = readonly [line: string, ...next: string[]];

/** Describes the state of a request and what to do next. */
export function wordsFor(card: Card): Words {
  const { state } = card;
  const ending = endingOf(card);
  if (ending === undefined)
    return state.is === 'working'
      ? ['⏳ **The writing agent is working on it.**', 'The pull request will be linked here.']
      : ['⏳ **Asking the writing agent …**'];
  const { outcome, reason } = ending;
  const fate = outcome === 'pr-created' ? fateOf(card) : undefined;
  if (fate !== undefined) return [`${fate.sign} **${link(card)} was ${fate.words}.**`, ...ifNotInIt(card)];
  if (howEnded(card) === 'unseen') return unseen(card, outcome);
  if (outcome === 'detached' && reason !== 'not-waited')
    return ['⏳ **This run was stopped; the job keeps running.**', whereToLook(card)];
  const isUnknown = state.is === 'sent' || howEnded(card) === 'unconfirmed';
  if (isUnknown && reason !== 'key-changed') return unconfirmed(card);
  if (outcome === 'failed' && reason !== 'job-failed' && jobOf(card) !== undefined)
    return ['⚠️ **The job can no longer be followed.** We don’t know how it ended.', startOver(card)];
  const words = byReason[reason]?.(card);
  if (words !== undefined) return words;
  if (outcome !== 'failed') return [`☑️ **${nothing}**`];
  return card.prompt === undefined
    ? [`❌ **The job’s status couldn’t be read.** ${nothing}`]
    : ['❌ **The request couldn’t be sent to the agent.** Nothing was created.'];
}

const nothing = 'Nothing was sent to the agent.';

/** Whether the pull request was merged or closed; `undefined` if it is open or its state is unknown. */
function fateOf(card: Card) {
  const state = pullOf(card)?.state;
  if (state === 'merged') return { sign: '🎉', words: 'merged' };
  return state === 'closed' ? { sign: '☑️', words: 'closed without merging' } : undefined;
}

/** A note for a follow-up, because the pull request may have been merged or closed before the follow-up was sent. */
function ifNotInIt(card: Card): string[] {
  if (!isFollowUp(card) || !isHeard(card)) return [];
  return [`If the pull request doesn’t include your follow-up, start over with \`${card.command} --new …\`.`];
}

const byReason: Partial<Record<AgentReason, (card: Card) => Words>> = {
  'pull-request': ready,
  'unusable-pr-link': ready,
  'no-pull-request': (card) => [
    '☑️ **The agent finished without a pull request:** no changes were needed, or your project commits directly.',
    `Ask for more with ${askMore(card)}.`,
  ],
  'job-archived': (card) => ['⚠️ **The job was archived.**', startOver(card), ...leftLink(card)],
  'job-failed': (card) => [
    '❌ **The job failed.** The service didn’t give a reason; its dashboard might.',
    card.ask === 'create' ? `[Re-run the workflow](<${card.runUrl}>) to try again.` : startOver(card),
    ...leftLink(card),
  ],
  'not-waited': (card) => {
    const line = `⏳ **${started[card.ask]}; this run isn’t waiting for the result.**`;
    return [card.thread === undefined ? `${line} Its result won’t be posted.` : line, whereToLook(card)];
  },
  deadline: (card) => {
    // Show whole minutes, because the exact second of the last check doesn't matter.
    const minutes = Math.floor((tookMs(card) ?? 0) / minuteMs);
    const after = minutes === 0 ? '' : ` after ${formatDuration(minutes * minuteMs)}`;
    return [`⏳ **Still running${after}; this run stopped waiting.**`, whereToLook(card)];
  },
  'never-seen': (card) => [
    '⚠️ **This run stopped waiting; it was never able to check the job.**',
    whereToLook(card),
  ],
  'given-up': () => [
    '⚠️ **The job was still running when we last checked.** We’re no longer checking it.',
    'The service’s dashboard shows how it ended.',
  ],
  'key-changed': (card) => [
    '⚠️ **We can’t tell whether this request was sent before:** its status comment was signed with a different API key.',
    remedy(card),
  ],
  cancelled: stoppedEarly,
  interrupted: stoppedEarly,
  'rate-limited': () => [`⚠️ **The service’s hourly limit has been reached.** ${nothing}`],
  'bad-input': ({ stop }) => [`❌ **${stop?.error?.title ?? 'An input is wrong'}.** ${nothing}`],
};

const started = {
  create: 'Started',
  message: 'Sent to the agent',
  attach: 'The job keeps running',
  reply: 'Sent',
} as const;

function ready(card: Card): Words {
  const orStartOver = isHeard(card) ? `; start over with \`${card.command} --new …\`` : '';
  const where = pullRequestOf(jobOf(card)) === undefined ? ['The service’s dashboard shows it.'] : [];
  const onIt = isHeard(card) && isOtherThread(card) ? ' here or on the pull request' : '';
  const ask = `Ask for changes with ${askMore(card)}${onIt}${orStartOver}.`;
  const next = [...where, `${sizeOf(card)}${ask}`];
  const ms = tookMs(card);
  const took = ms === undefined ? '' : ` (${formatDuration(ms)})`;
  if (isFollowUp(card) && isHeard(card)) {
    const isUpdated = pullOf(card)?.isUpdated === true;
    const line = isUpdated ? `**${link(card)}** was updated` : `**The follow-up is done:** ${link(card)}`;
    return [`✅ ${line}${took}.`, ...next];
  }
  if (isFollowUp(card) && card.series !== undefined)
    return [
      `✅ **Added to ${link(card)}**${took}.`,
      'Review it there. While it’s open, later merges are added to it.',
    ];
  return [`✅ **${link(card)}** is ready to review${took}.`, ...next];
}

/** The words for a follow-up that the job may not have picked up. */
function unseen(card: Card, outcome: AgentOutcome): Words {
  const isOver = outcome === 'archived' || outcome === 'failed';
  const end = outcome === 'archived' ? 'that it was archived' : 'that it failed';
  const shown = isOver ? end : outcome === 'pr-created' ? link(card) : 'no pull request';
  return [
    `⚠️ **We couldn’t confirm that the agent picked up the follow-up.** The job shows ${shown}, which may be from before the follow-up.`,
    isOver ? startOver(card) : `If so, ask again with ${askMore(card)}.`,
  ];
}

function unconfirmed(card: Card): Words {
  const what = isFollowUp(card) ? 'The message may have arrived.' : 'A job may exist.';
  return [`⚠️ **We can’t tell whether the service accepted the request.** ${what}`, remedy(card)];
}

function remedy(card: Card): string {
  return `It won’t be sent again automatically: check the service’s dashboard, then ${askAgain(card)}.`;
}

function stoppedEarly(): Words {
  return ['⚠️ **Stopped before anything was sent to the agent.** Re-running the workflow is safe.'];
}

/** A reminder that the pull request has been open for some time. */
export function reminderOf(card: Card, openMs: number): string {
  return `🔔 **${link(card)} has been open for ${formatDuration(openMs)}.** It’s waiting for a review; merge or close it when you’re done.`;
}

/** Removes bold markers, but keeps the asterisks in URLs. */
export function withoutBold(line: string): string {
  return line.replace(/\*\*(?![^<>\s]*>)/g, '');
}

/** How long the job took or was watched, in milliseconds; `undefined` if no process was watching. */
export function tookMs({ askedAt, endedAt }: Card): number | undefined {
  return askedAt === undefined || endedAt === undefined ? undefined : endedAt - askedAt;
}

/** Whether the thread accepts commands. Only a run that was started by a command knows this. */
function isHeard({ isCommand, thread }: Card): boolean {
  return isCommand && thread !== undefined;
}

function askMore(card: Card): string {
  return isHeard(card) ? `\`${card.command} …\`` : `a run with ${withJobId(card)} and a new \`prompt\``;
}

/** How to check on a job that is still running after this run. */
function whereToLook(card: Card): string {
  if (isHeard(card)) return `\`${card.command} status\` shows its progress.`;
  if (card.thread === undefined) return `A run with ${withJobId(card)} follows it until it finishes.`;
  return 'When it has finished, re-run the workflow, or run it with `mode: collect`, to post the result here.';
}

function withJobId(card: Card): string {
  const job = jobOf(card);
  return job === undefined ? 'its `job-id`' : `the \`job-id\` ${shortCode(job.id)}`;
}

/** How to start a new job if this one accepts no more follow-ups. */
function startOver(card: Card): string {
  return `${isHeard(card) ? `\`${card.command} --new …\`` : 'A run with a `prompt` but no `job-id`'} starts a new one.`;
}

/** How to repeat a request that may have been sent. The status comment keeps re-runs from repeating it automatically. */
function askAgain(card: Card): string {
  if (isHeard(card)) return `ask again with \`${card.command} ${isFollowUp(card) ? '' : '--new '}…\``;
  return card.thread === undefined ? 'run it again' : 'delete this status comment and re-run the workflow';
}

/** A link to the pull request of a job that failed or was archived. */
function leftLink(card: Card): string[] {
  if (pullRequestOf(jobOf(card)) === undefined) return [];
  const fate = fateOf(card);
  return [
    `It did open a pull request: ${link(card)}${fate === undefined ? '' : `, which was ${fate.words}`}.`,
  ];
}

/** Whether the pull request is in this repository, but isn't the current thread. */
function isOtherThread(card: Card): boolean {
  const [repositoryUrl] = card.runUrl.split('/actions/');
  const { url, number } = pullRequestOf(jobOf(card)) ?? {};
  return url === `${repositoryUrl}/pull/${number}` && number !== String(card.thread);
}

/** The size of the pull request, as the start of a line. */
function sizeOf(card: Card): string {
  const { shown } = pullOf(card) ?? {};
  if (shown === undefined) return '';
  const [added, removed, files] = [shown.additions, shown.deletions, shown.changedFiles].map((count) =>
    count.toLocaleString('en'),
  );
  return `\`+${added} −${removed}\` in ${files} ${shown.changedFiles === 1 ? 'file' : 'files'}. `;
}

/** A link to the pull request, or only its name if the URL isn't usable. */
function link(card: Card): string {
  const pullRequest = pullRequestOf(jobOf(card));
  if (pullRequest === undefined) return 'A pull request (the service didn’t return a usable link to it)';
  const { shown } = pullOf(card) ?? {};
  const title = shown && `#${pullRequest.number} ${linkText(shown.title)}`;
  const name = pullRequest.number === '' ? 'The pull request' : `Pull request #${pullRequest.number}`;
  // In a link destination, a backslash is an escape character, and an ampersand may start an entity (CommonMark §2.4, §2.5).
  const destination = pullRequest.url.replaceAll('\\', '%5C').replaceAll('&', '&amp;');
  return `[${title ?? name}](<${destination}>)`;
}
