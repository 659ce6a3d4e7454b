import { formatDuration } from '../../text/duration.ts';
import { shortCode } from '../../text/markdown.ts';
import { type Card, hasCommands, isFollowUp, jobOf } from './card.ts';
import { pullRequestOf } from './job.ts';
import { at, checkDetails, checkName, link, notBuilt, sizeOf, strayLink } from './pull-request-words.ts';
import { endingOf, marksOf, type Situation, situationOf } from './situation.ts';

/*
 * The words for a request's situation and for what users can do next. The status comment, the job summary, and the log all use
 * them. All external text is shown as code or as a link.
 */

/** One line that names the situation, then lines that say what to do, all as Markdown. */
export type Words = readonly [line: string, ...next: string[]];

/**
 * Describes the situation of a request and what to do next. The first line starts with a sign, unless it is an answer.
 *
 * @param here how to name the thread. In the thread itself, that is `here`.
 */
export function wordsFor(card: Card, here = 'here'): Words {
  const [line, ...next] = words[situationOf(card)](factsFor(card, here));
  return [`${marksOf(card).sign} ${line}`.trimStart(), ...next];
}

/** What the words are made of. */
function factsFor(card: Card, here: string) {
  return {
    card,
    pull: link(card),
    took: tookOf(card),
    run: `[Follow the run](<${card.runUrl}>).`,
    orInstead: startOver(card, here),
    nextSteps: nextSteps(card, here),
    whereToLook: whereToLook(card, here),
    unchecked: `**${causeOf(card) ?? 'The job couldn’t be checked'}.**`,
    here,
  };
}

const elsewhere = 'Check the job in the service’s dashboard.';
const nothing = 'Nothing was sent to the agent.';
const laterMerges = 'While that pull request is open, later merges are added to it.';

const words: Readonly<Record<Situation, (facts: ReturnType<typeof factsFor>) => Words>> = {
  asking: ({ run }) => ['**Asking the writing agent…**', run],
  working: ({ here, run }) => [
    '**The writing agent is working on it.**',
    `The pull request will be linked ${here}. ${run}`,
  ],
  ready: ({ pull, took, nextSteps }) => [`**${pull}** is ready to review${took}.`, ...nextSteps],
  updated: ({ pull, took, nextSteps }) => [`**${pull}** was updated${took}.`, ...nextSteps],
  'follow-up done': ({ pull, took, nextSteps }) => [
    `**The follow-up is done:** ${pull}${took}.`,
    ...nextSteps,
  ],
  added: ({ card, pull, took }) => [
    `**Added to ${pull}**${took}.`,
    ...notBuilt(card),
    `Review it there. ${laterMerges}`,
  ],
  'nothing added': ({ pull, took }) => [`**The agent left ${pull} unchanged**${took}.`, laterMerges],
  merged: ({ card, pull }) => pullEnded(card, `${pull} was merged`),
  published: ({ card, pull }) => pullEnded(card, `${pull} was merged and published`),
  'not-published': ({ card, pull }) => pullEnded(card, `${pull} was merged, but ${checkName(card)} failed`),
  closed: ({ card, pull }) => pullEnded(card, `${pull} was closed without merging`),
  'no pull request': ({ card, here }) => [
    '**The agent finished without a pull request:** either nothing needed changing, or your project commits straight to its branch.',
    `${ask('for more', card, here)}.`,
  ],
  'job failed': ({ card, orInstead }) => [
    '**The job failed.** The service didn’t give a reason; its dashboard might.',
    ...strayLink(card),
    orInstead,
  ],
  'job archived': ({ card, orInstead }) => ['**The job was archived.**', ...strayLink(card), orInstead],
  'follow-up unseen': ({ card, here }) => unseen(card, here),
  gone: ({ orInstead }) => ['**The service no longer has this job.** We don’t know how it ended.', orInstead],
  lost: ({ unchecked }) => [`${unchecked} This run stopped watching the job. ${elsewhere}`],
  canceled: ({ whereToLook }) => ['**This run was stopped; the job keeps running.**', whereToLook],
  'not waited': ({ card, whereToLook }) => [notWaiting(card), whereToLook],
  'not reported': ({ card, whereToLook }) => [`${notWaiting(card)} The result won’t be posted.`, whereToLook],
  'still running': ({ card, whereToLook }) => {
    // Show whole minutes, because the exact second of the last check doesn't matter.
    const minutes = Math.floor((tookMs(card) ?? 0) / 60_000);
    const after = minutes === 0 ? '' : ` after ${formatDuration(minutes * 60_000)}`;
    return [`**Still running${after}; this run stopped waiting.**`, whereToLook];
  },
  'never seen': ({ unchecked, whereToLook }) => [
    `${unchecked} This run never saw the job’s status, and stopped waiting.`,
    whereToLook,
  ],
  'given up': () => [
    '**The job was still running when we last checked.** We’re no longer checking it.',
    elsewhere,
  ],
  unconfirmed: ({ card, here }) => [
    `**We can’t tell whether the service accepted the request.** ${isFollowUp(card) ? 'The follow-up may have arrived.' : 'A job may exist.'}`,
    remedy(card, here),
  ],
  'key changed': ({ card, here }) => [
    '**We can’t tell whether this request was sent before:** its status comment was signed with a different API key.',
    remedy(card, here),
  ],
  'newer version': ({ card }) => [
    `**${causeOf(card) ?? 'A newer version of this action wrote a comment that this version can’t read'}.** ${nothing}`,
    'Use the newer version in every workflow of this repository, then ask again.',
  ],
  'stopped early': () => [
    '**Stopped before anything was sent to the agent.** Re-running the workflow is safe.',
  ],
  'rate limited': ({ card }) => notSent(card, 'The service’s hourly limit is used up'),
  capped: ({ card }) => [`**${causeOf(card)}.** ${nothing}`],
  'bad input': ({ card }) => notSent(card),
  unread: ({ unchecked }) => [`${unchecked} The job’s status couldn’t be read; nothing was changed.`],
  'not sent': ({ card }) => notSent(card),
  skipped: () => [`**${nothing}**`],
  answered: ({ card }) => [card.answer ?? `**${nothing}**`],
  denied: ({ card }) => [card.answer ?? `**${nothing}**`],
};

/** Names the cause. An earlier attempt may have sent the request without recording it. */
function notSent(card: Card, usual = 'The request failed; the run’s log says why'): Words {
  const cause = `**${causeOf(card) ?? usual}.**`;
  if (card.attempt === 1) return [`${cause} ${nothing}`];
  return [
    `${cause} This attempt sent nothing to the agent, but an earlier one may have sent the request. Ask again only if the service’s dashboard doesn’t show the request.`,
  ];
}

/** The cause of the error that ended the run, without a period. Earlier versions stored `The run failed` instead. */
function causeOf(card: Card): string | undefined {
  const title = endingOf(card)?.error?.title;
  return title === 'The run failed' ? undefined : title;
}

/** The cause of an error, as a sentence; empty if there is none, or if the first line of the words already names it. */
export function unnamedCause(card: Card, line: string): string {
  const cause = causeOf(card);
  return cause === undefined || line.includes(cause) ? '' : `${cause}.`;
}

/** How a pull request ended. That may have been before the follow-up was sent. */
function pullEnded(card: Card, how: string): Words {
  const details = checkDetails(card).map((link) => `See the ${link}.`);
  const afresh = `If the pull request doesn’t include your follow-up, start over with \`${card.command} --new …\`.`;
  return [`**${how}.**`, ...details, ...(isFollowUp(card) && hasCommands(card) ? [afresh] : [])];
}

const started = {
  create: 'Started',
  message: 'Sent to the agent',
  attach: 'The job keeps running',
  reply: 'Sent',
} as const;

function notWaiting({ ask }: Card): string {
  return `**${started[ask]}; this run isn’t waiting for the result.**`;
}

function nextSteps(card: Card, here: string): string[] {
  const where = pullRequestOf(jobOf(card)) === undefined ? ['The service’s dashboard shows it.'] : [];
  // On its own line, the flag isn't broken on a phone.
  const afresh = hasCommands(card) ? [`Start over with \`${card.command} --new …\`.`] : [];
  return [...notBuilt(card), ...where, `${sizeOf(card)}${ask('for changes', card, here)}.`, ...afresh];
}

/** How long the job took, for the end of a line. */
function tookOf(card: Card): string {
  const ms = tookMs(card);
  return ms === undefined ? '' : ` (${formatDuration(ms)})`;
}

function unseen(card: Card, here: string): Words {
  const { outcome } = endingOf(card) ?? {};
  const isOver = outcome === 'archived' || outcome === 'failed';
  const end = outcome === 'archived' ? 'was archived' : isOver ? 'failed' : 'finished without a pull request';
  const doubt =
    outcome === 'pr-created'
      ? `It may be missing from ${link(card)}.`
      : `The job ${end}, possibly before the follow-up arrived.`;
  return [
    `**We couldn’t confirm that the agent picked up the follow-up.** ${doubt}`,
    isOver ? startOver(card, here) : `If so, ${ask('again', card, here).replace('A', 'a')}.`,
  ];
}

/** How to repeat a request that may have been sent. The status comment keeps re-runs from repeating it automatically. */
function remedy(card: Card, here: string): string {
  const { command, thread } = card;
  const rerun =
    thread === undefined ? 'run the workflow again' : 'delete the status comment and re-run the workflow';
  const where = thread === undefined ? '' : at(here);
  const again = `ask again with \`${command} ${isFollowUp(card) ? '' : '--new '}…\`${where}`;
  const what = card.isCommand ? again : rerun;
  return `The request won’t be sent again automatically. Look for it in the service’s dashboard. If it isn’t there, ${what}.`;
}

/** Removes bold markers, but keeps the asterisks in URLs and code. */
export function withoutBold(line: string): string {
  return line.replace(/(`+).*?\1(?!`)|\*\*(?![^<>\s]*>)/g, (match) => (match === '**' ? '' : match));
}

/** How long the job took or was watched, in milliseconds; `undefined` if no process was watching. */
export function tookMs({ askedAt, endedAt }: Card): number | undefined {
  return askedAt === undefined || endedAt === undefined ? undefined : endedAt - askedAt;
}

/** How to ask `for more`, `for changes`, or `again`. */
function ask(what: string, card: Card, here: string): string {
  if (card.thread === undefined && card.isCommand) return `A new \`${card.command} …\` starts a new job`;
  if (card.thread === undefined)
    return `Ask ${what} by running the workflow with ${withJobId(card)} and a \`prompt\``;
  // Another workflow may read commands in this thread.
  const condition = card.isCommand ? '' : `, if this repository has a \`${card.command}\` workflow`;
  return `Ask ${what} with \`${card.command} …\`${at(here, card)}${condition}`;
}

/** How to check on a job that is still running after this run. */
function whereToLook(card: Card, here: string): string {
  if (hasCommands(card)) return `\`${card.command} status\`${at(here)} shows its progress.`;
  if (card.thread === undefined) return `To follow the job, run the workflow with ${withJobId(card)}.`;
  return `When the job has finished, re-run the workflow or run it with \`mode: collect\` to post the result ${here}.`;
}

function withJobId(card: Card): string {
  const job = jobOf(card);
  return job === undefined ? 'its `job-id`' : shortCode(`job-id: ${job.id}`);
}

/** How to start a new job if this one accepts no more follow-ups. */
function startOver(card: Card, here: string): string {
  if (card.ask === 'create') return `[Re-run the workflow](<${card.runUrl}>) to start a new job.`;
  if (hasCommands(card)) return `\`${card.command} --new …\`${at(here)} starts a new job.`;
  return 'Run the workflow without `job-id` to start a new job.';
}
