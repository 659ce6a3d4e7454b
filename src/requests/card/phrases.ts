import { formatDuration } from '../../text/duration.ts';
import { shortCode } from '../../text/markdown.ts';
import { bold, linkTo, type Phrase, say } from '../../text/phrase.ts';
import { type Card, hasCommands, isFollowUp, jobOf } from './card.ts';
import { endingOf, pullRequestOf } from './job.ts';
import { at, checkDetails, link, notBuilt, sizeOf } from './pull-phrases.ts';

/* What the words of several situations have in common. All external text is shown as code or as a link. */

/** One line that names the situation, then lines that say what to do. */
export type Lines = readonly [line: Phrase, ...next: Phrase[]];

export const nothing = 'Nothing was sent to the agent.';
export const newerVersion = 'A newer version of this action wrote a comment that this version can’t read';
export const elsewhere = 'Check the job in the service’s dashboard.';

/** What the words are made of. `here` names the thread; in the thread itself, it is `here`. */
export function factsFor(card: Card, here: Phrase) {
  const ms = tookMs(card);
  return {
    card,
    here,
    pull: link(card),
    took: ms === undefined ? '' : ` (${formatDuration(ms)})`,
    run: linkTo('Follow the run', card.runUrl),
    startOver: startOver(card, here),
    nextSteps: nextSteps(card, here),
    whereToLook: whereToLook(card, here),
    unchecked: bold`${causeOf(card) ?? 'The job couldn’t be checked'}.`,
  };
}

export type Facts = ReturnType<typeof factsFor>;

/** The cause of the error that ended the run, without a period. Earlier versions stored `The run failed` instead. */
export function causeOf(card: Card): string | undefined {
  const title = endingOf(card)?.error?.title;
  return title === 'The run failed' ? undefined : title;
}

/** Names the cause. An earlier attempt may have sent the request without recording it. */
export function notSent(card: Card, usual = 'The request failed; the run’s log says why'): Lines {
  const cause = bold`${causeOf(card) ?? usual}.`;
  if (card.attempt === 1) return [say`${cause} ${nothing}`];
  return [
    say`${cause} This attempt sent nothing to the agent, but an earlier one may have sent the request. Ask again only if the service’s dashboard doesn’t show the request.`,
  ];
}

/** How a pull request ended. That may have been before the follow-up was sent. */
export function pullEnded({ card, pull }: Facts, how: string): Lines {
  const details = checkDetails(card).map((link) => say`See the ${link}.`);
  const afresh = say`If the pull request doesn’t include your follow-up, start over with \`${card.command} --new …\`.`;
  return [bold`${pull} ${how}.`, ...details, ...(isFollowUp(card) && hasCommands(card) ? [afresh] : [])];
}

/** The line of a run that doesn't wait for its job. */
export function notWaiting({ ask }: Card): Phrase {
  const started = {
    create: 'Started',
    message: 'Sent to the agent',
    attach: 'The job keeps running',
    reply: 'Sent',
  } as const;
  return bold`${started[ask]}; this run isn’t waiting for the result.`;
}

function nextSteps(card: Card, here: Phrase): Phrase[] {
  const where = pullRequestOf(jobOf(card)) === undefined ? [say`The service’s dashboard shows it.`] : [];
  // On its own line, the flag isn't broken on a phone.
  const afresh = hasCommands(card) ? [say`Start over with \`${card.command} --new …\`.`] : [];
  return [...notBuilt(card), ...where, say`${sizeOf(card)}${ask('for changes', card, here)}.`, ...afresh];
}

/** How a follow-up that the agent may not have picked up may have ended. */
export function unseen({ card, here, pull }: Facts): Lines {
  const { outcome } = endingOf(card) ?? {};
  const isOver = outcome === 'archived' || outcome === 'failed';
  const end = outcome === 'archived' ? 'was archived' : isOver ? 'failed' : 'finished without a pull request';
  const doubt =
    outcome === 'pr-created'
      ? say`It may be missing from ${pull}.`
      : say`The job ${end}, possibly before the follow-up arrived.`;
  return [
    say`${bold`We couldn’t confirm that the agent picked up the follow-up.`} ${doubt}`,
    isOver ? startOver(card, here) : say`If so, ${ask('again', card, here, 'If so, ')}.`,
  ];
}

/** How to repeat a request that may have been sent. The status comment keeps re-runs from repeating it automatically. */
export function remedy({ card, here }: Facts): Phrase {
  const { command, thread } = card;
  const rerun =
    thread === undefined ? 'run the workflow again' : 'delete the status comment and re-run the workflow';
  const where = thread === undefined ? [] : at(here);
  const again = say`ask again with \`${command} ${isFollowUp(card) ? '' : '--new '}…\`${where}`;
  const what = card.isCommand ? again : [rerun];
  return say`The request won’t be sent again automatically. Look for it in the service’s dashboard. If it isn’t there, ${what}.`;
}

/** How long the job took or was watched, in milliseconds; `undefined` if no process was watching. */
export function tookMs({ askedAt, endedAt }: Card): number | undefined {
  return askedAt === undefined || endedAt === undefined ? undefined : endedAt - askedAt;
}

/** How to ask `for more`, `for changes`, or `again`: the start of a sentence, or what follows `before`. */
export function ask(what: string, card: Card, here: Phrase, before = ''): Phrase {
  const [askThem, a] = before === '' ? ['Ask', 'A'] : ['ask', 'a'];
  if (card.thread === undefined && card.isCommand)
    return say`${a} new \`${card.command} …\` starts a new job`;
  if (card.thread === undefined)
    return say`${askThem} ${what} by running the workflow with ${withJobId(card)} and a \`prompt\``;
  // Another workflow may read commands in this thread.
  const condition = card.isCommand ? '' : `, if this repository has a \`${card.command}\` workflow`;
  return say`${askThem} ${what} with \`${card.command} …\`${at(here, card)}${condition}`;
}

/** How to check on a job that is still running after this run. */
function whereToLook(card: Card, here: Phrase): Phrase {
  if (hasCommands(card)) return say`\`${card.command} status\`${at(here)} shows its progress.`;
  if (card.thread === undefined) return say`To follow the job, run the workflow with ${withJobId(card)}.`;
  return say`When the job has finished, re-run the workflow or run it with \`mode: collect\` to post the result ${here}.`;
}

function withJobId(card: Card): string {
  const job = jobOf(card);
  return job === undefined ? 'its `job-id`' : shortCode(`job-id: ${job.id}`);
}

/** How to start a new job if this one accepts no more follow-ups. */
function startOver(card: Card, here: Phrase): Phrase {
  if (card.ask === 'create') return say`${linkTo('Re-run the workflow', card.runUrl)} to start a new job.`;
  if (hasCommands(card)) return say`\`${card.command} --new …\`${at(here)} starts a new job.`;
  return say`Run the workflow without \`job-id\` to start a new job.`;
}
