import type { AgentOutcome, AgentReason } from '../core/reasons.ts';
import { formatDuration } from '../text/duration.ts';
import { linkText, shortCode } from '../text/markdown.ts';
import { type Card, endingOf, howEnded, isFollowUp, jobOf } from './card.ts';
import { pullRequestOf } from './job.ts';
import { pullOf } from './pull.ts';

/*
 * What people read of a request's state, and what they can do next: the same words in the status comment, in the job summary and
 * in the log, made from the card alone. What comes from outside is shown as code, or is a link.
 */

const minuteMs = 60_000;

/** The state of a request: one line that begins with its sign, and what to do now, as lines of Markdown. */
export type Words = readonly [line: string, ...next: string[]];

/** What the state of a request is called, and what to do in it. */
export function wordsFor(card: Card): Words {
  const { state } = card;
  const ending = endingOf(card);
  if (ending === undefined)
    return state.is === 'working'
      ? ['⏳ **The writing agent is working on it.**', 'The pull request will be linked here.']
      : ['⏳ **Asking the writing agent …**'];
  const { outcome, reason } = ending;
  const fate = outcome === 'pr-created' ? fates[pullOf(card)?.state ?? 'open'] : undefined;
  if (fate !== undefined) return [`${fate.sign} **${link(card)} was ${fate.words}.**`];
  if (howEnded(card) === 'unseen') return unseen(card, outcome);
  if (outcome === 'detached' && reason !== 'not-waited')
    return ['⏳ **This run was stopped; the job keeps running.**', whereToLook(card)];
  const isUnknown = state.is === 'sent' || howEnded(card) === 'unconfirmed';
  if (isUnknown && reason !== 'key-changed') return unconfirmed(card);
  if (outcome === 'failed' && reason !== 'job-failed' && jobOf(card) !== undefined)
    return ['⚠️ **The job can no longer be followed.** How it ended is not known.', startAnew(card)];
  const words = byReason[reason]?.(card);
  if (words !== undefined) return words;
  if (outcome !== 'failed') return [`${outcome === 'denied' ? '🚫' : '☑️'} **${nothing}**`];
  return card.prompt === undefined
    ? [`❌ **The job could not be looked at.** ${nothing}`]
    : ['❌ **The agent could not be asked.** Nothing was created.'];
}

const nothing = 'Nothing was asked of the agent.';

/** What became of a pull request. */
const fates: Readonly<Record<string, { readonly sign: string; readonly words: string } | undefined>> = {
  merged: { sign: '🎉', words: 'merged' },
  closed: { sign: '☑️', words: 'closed without merging' },
};

/** The words for a request whose end has this reason. */
const byReason: Partial<Record<AgentReason, (card: Card) => Words>> = {
  'pull-request': ready,
  'unusable-pr-link': ready,
  'no-pull-request': (card) => [
    '☑️ **The agent finished without a pull request:** nothing had to change, or it commits directly.',
    `Ask for more with ${askMore(card)}.`,
  ],
  'job-archived': (card) => ['⚠️ **The job was archived.**', startAnew(card), ...leftLink(card)],
  'job-failed': (card) => [
    '❌ **The job failed.** The service gives no reason; its dashboard may.',
    card.ask === 'create' ? `[Re-run the workflow](<${card.runUrl}>) to try again.` : startAnew(card),
    ...leftLink(card),
  ],
  'not-waited': (card) => {
    const line = `⏳ **${started[card.ask]}; this run doesn’t wait.**`;
    return [card.thread === undefined ? `${line} Nothing will report its end.` : line, whereToLook(card)];
  },
  deadline: (card) => {
    // In whole minutes: the seconds of its last look mean nothing.
    const minutes = Math.floor((tookMs(card) ?? 0) / minuteMs);
    const after = minutes === 0 ? '' : ` after ${formatDuration(minutes * minuteMs)}`;
    return [`⏳ **Still running${after}; this run stopped waiting.**`, whereToLook(card)];
  },
  'never-seen': (card) => ['⚠️ **This run stopped waiting; it never got to see the job.**', whereToLook(card)],
  'given-up': () => [
    '⚠️ **The job was still running at our last look.** We no longer look for its end.',
    'The service’s dashboard shows how it ended.',
  ],
  'key-changed': (card) => [
    '⚠️ **We can’t tell whether this was asked before:** the thread was written with another API key.',
    remedy(card),
  ],
  cancelled: stoppedEarly,
  interrupted: stoppedEarly,
  'rate-limited': () => [`⚠️ **The service’s hourly limit is reached.** ${nothing}`],
  'bad-input': ({ stop }) => [`❌ **${stop?.error?.title ?? 'An input is wrong'}.** ${nothing}`],
};

const started = {
  create: 'Started',
  message: 'Sent to the agent',
  attach: 'The job keeps running',
  reply: 'Asked',
} as const;

function ready(card: Card): Words {
  const startOver = isHeard(card) ? `; start over with \`${card.command} --new …\`` : '';
  const where = pullRequestOf(jobOf(card)) === undefined ? ['The service’s dashboard shows it.'] : [];
  const onIt = isHeard(card) && isOtherThread(card) ? ' here or on the pull request' : '';
  const ask = `Ask for changes with ${askMore(card)}${onIt}${startOver}.`;
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
      'Review it there; later merges go into it while it is open.',
    ];
  return [`✅ **${link(card)}** is ready to review${took}.`, ...next];
}

/** A message was sent to a job whose end may be from before it. */
function unseen(card: Card, outcome: AgentOutcome): Words {
  const isOver = outcome === 'archived' || outcome === 'failed';
  const end = outcome === 'archived' ? 'that it was archived' : 'that it failed';
  const shown = isOver ? end : outcome === 'pr-created' ? link(card) : 'no pull request';
  return [
    `⚠️ **We couldn’t confirm that the agent picked up the follow-up.** The job shows ${shown}, which may be from before.`,
    isOver ? startAnew(card) : `If it is, ask again with ${askMore(card)}.`,
  ];
}

function unconfirmed(card: Card): Words {
  const what = isFollowUp(card) ? 'The message may have arrived.' : 'A job may exist.';
  return [`⚠️ **We can’t tell whether the service accepted the request.** ${what}`, remedy(card)];
}

function remedy(card: Card): string {
  return `It won’t be sent again automatically: check the service’s dashboard, then ${askAnew(card)}.`;
}

function stoppedEarly(): Words {
  return ['⚠️ **Stopped before the agent was asked.** Re-running the workflow is safe.'];
}

/** A reminder of the pull request, which has been open that long. */
export function reminderOf(card: Card, openMs: number): string {
  return `🔔 **${link(card)} has been open for ${formatDuration(openMs)}.** It waits for a review; merge or close it when you are done.`;
}

/** A line where bold means nothing; an address may have asterisks of its own. */
export function inRoman(line: string): string {
  return line.replace(/\*\*(?![^<]*>)/g, '');
}

/** How long the job took, or was watched, in milliseconds; `undefined` if no one watched. */
export function tookMs({ askedAt, endedAt }: Card): number | undefined {
  return askedAt === undefined || endedAt === undefined ? undefined : endedAt - askedAt;
}

/** Whether the thread listens to commands: only a run that a command started knows. */
function isHeard({ isCommand, thread }: Card): boolean {
  return isCommand && thread !== undefined;
}

/** How to send a job more. */
function askMore(card: Card): string {
  return isHeard(card) ? `\`${card.command} …\`` : `a run with ${withJobId(card)} and a new \`prompt\``;
}

/** How to follow a job that this run leaves. */
function whereToLook(card: Card): string {
  if (isHeard(card)) return `\`${card.command} status\` shows its progress.`;
  if (card.thread === undefined) return `A run with ${withJobId(card)} follows it to its end.`;
  return 'Once it has ended, re-running the workflow or a run with `mode: collect` posts its end here.';
}

function withJobId(card: Card): string {
  const job = jobOf(card);
  return job === undefined ? 'its `job-id`' : `the \`job-id\` ${shortCode(job.id)}`;
}

/** How to replace a job that takes no more. */
function startAnew(card: Card): string {
  return `${isHeard(card) ? `\`${card.command} --new …\`` : 'A run with a `prompt`, and without `job-id`,'} starts a new one.`;
}

/** How to repeat on purpose what may have been asked: the status comment keeps every run from it. */
function askAnew(card: Card): string {
  if (isHeard(card)) return `ask again with \`${card.command} ${isFollowUp(card) ? '' : '--new '}…\``;
  return card.thread === undefined ? 'run it again' : 'delete this status comment and re-run the workflow';
}

/** The pull request that a job left though it came to nothing. */
function leftLink(card: Card): string[] {
  if (pullRequestOf(jobOf(card)) === undefined) return [];
  const fate = fates[pullOf(card)?.state ?? 'open'];
  return [
    `It has left a pull request: ${link(card)}${fate === undefined ? '' : `, which was ${fate.words}`}.`,
  ];
}

/** Whether its pull request is another thread of this repository. */
function isOtherThread(card: Card): boolean {
  const [repositoryUrl] = card.runUrl.split('/actions/');
  const { url, number } = pullRequestOf(jobOf(card)) ?? {};
  return url === `${repositoryUrl}/pull/${number}` && number !== String(card.thread);
}

/** How much the pull request changes, as the beginning of a line. */
function sizeOf(card: Card): string {
  const { shown } = pullOf(card) ?? {};
  if (shown === undefined) return '';
  const [added, removed, files] = [shown.additions, shown.deletions, shown.changedFiles].map((count) =>
    count.toLocaleString('en'),
  );
  return `\`+${added} −${removed}\` in ${files} ${shown.changedFiles === 1 ? 'file' : 'files'}. `;
}

/** The pull request as a link; what is no usable address is only named. */
function link(card: Card): string {
  const pullRequest = pullRequestOf(jobOf(card));
  if (pullRequest === undefined) return 'A pull request (the service gave no usable link to it)';
  const { shown } = pullOf(card) ?? {};
  const title = shown && `#${pullRequest.number} ${linkText(shown.title)}`;
  const name = pullRequest.number === '' ? 'The pull request' : `Pull request #${pullRequest.number}`;
  // In a link's destination a backslash escapes and an ampersand may begin an entity (CommonMark §2.4, §2.5).
  const destination = pullRequest.url.replaceAll('\\', '%5C').replaceAll('&', '&amp;');
  return `[${title ?? name}](<${destination}>)`;
}
