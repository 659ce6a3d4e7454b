import type { AgentReason, JobReason } from '../../core/reasons.ts';
import type { Reaction } from '../../github/comments.ts';
import { formatDuration } from '../../text/duration.ts';
import { bold, linkTo, type Phrase, say, toMarkdown } from '../../text/phrase.ts';
import { type Card, causeOf, endingOf, hasCommands, howEnded, jobOf } from './card.ts';
import { dashboard, type Lines, nothing, Phrases, tookMs } from './phrases.ts';
import { checksOf, pullOf } from './pull.ts';
import { whyNot } from './remarks.ts';

/* Every card is in exactly one situation. One table has all that people see of it. */

interface Style {
  readonly sign: string;
  readonly reaction?: Reaction;
  readonly level: 'info' | 'notice' | 'warning';
}

/** An entry of the table. `reasons` lead to it unless the card's state says more. */
function entry<const Reasons extends readonly AgentReason[]>(
  style: Style,
  reasons: Reasons,
  words: (phrases: Phrases) => Lines,
) {
  return { ...style, reasons, words };
}

const running: Style = { sign: '⏳', level: 'notice' };
const unsure: Style = { ...running, level: 'warning' };
const done: Style = { sign: '✅', reaction: 'rocket', level: 'notice' };
const merged: Style = { ...done, sign: '🎉' };
const unchanged: Style = { sign: '☑️', reaction: '+1', level: 'notice' };
const doubtful: Style = { sign: '⚠️', reaction: 'confused', level: 'warning' };
const failed: Style = { ...doubtful, sign: '❌' };
/** A reply begins with its own sign. */
const reply: Style = { sign: '', level: 'notice' };

const elsewhere = say`Check the job in the service’s ${dashboard}.`;
const later = 'Later merges are added to it while it is open.';
const replied = ({ card }: Phrases): Lines => [
  card.answer === undefined ? bold`${nothing}` : [card.answer],
];

export const situations = {
  asking: entry(unsure, [], ({ run }) => [bold`Asking the writing agent…`, run]),
  working: entry(unsure, [], ({ here, run }) => [
    bold`The writing agent is working on it.`,
    say`The pull request will be linked ${here}. ${run}`,
  ]),
  ready: entry(done, ['pull-request', 'unusable-pr-link'], ({ pull, nextSteps }) => [
    say`${bold`${pull}`} is ready to review.`,
    ...nextSteps,
  ]),
  draft: entry(done, [], ({ pull, nextSteps }) => [
    say`${bold`${pull}`} is a draft.`,
    ...nextSteps,
  ]),
  updated: entry(done, [], ({ pull, nextSteps }) => [
    say`${bold`${pull}`} was updated.`,
    ...nextSteps,
  ]),
  'follow-up done': entry(done, [], ({ pull, nextSteps }) => [
    say`${bold`The follow-up is done:`} ${pull}.`,
    ...nextSteps,
  ]),
  added: entry(done, [], ({ pull, facts }) => [
    bold`Added to ${pull}.`,
    ...facts,
    say`Review it there. ${later}`,
  ]),
  'nothing added': entry(unchanged, [], ({ pull }) => [
    bold`The agent left ${pull} unchanged.`,
    [later],
  ]),
  'not built': entry({ ...doubtful, reaction: 'rocket' }, [], ({ pull, check, facts }) => [
    say`${bold`${pull} doesn’t build yet:`} ${check} failed.`,
    ...facts,
  ]),
  merged: entry(merged, [], (phrases) => phrases.merged(bold`${phrases.pull} was merged.`)),
  published: entry(merged, [], (phrases) =>
    phrases.merged(bold`${phrases.pull} was merged and ${phrases.linked('published')}.`),
  ),
  'not published': entry({ ...doubtful, reaction: 'rocket' }, [], (phrases) =>
    phrases.merged(bold`${phrases.pull} was merged, but ${phrases.check} failed.`),
  ),
  closed: entry({ ...done, sign: '☑️' }, [], ({ closed }) => closed),
  'no pull request': entry(unchanged, ['no-pull-request'], (phrases) => [
    say`${bold`The agent finished without a pull request:`} nothing needed changing, or your project commits straight to a branch.`,
    say`${phrases.ask('For more')}.`,
  ]),
  'job failed': entry(failed, ['job-failed'], ({ strayPull, startOver }) => [
    say`${bold`The job failed.`} The service gives no reason; its ${dashboard} may.`,
    ...strayPull,
    startOver,
  ]),
  'job archived': entry(doubtful, ['job-archived'], ({ strayPull, startOver }) => [
    bold`The job was archived.`,
    ...strayPull,
    startOver,
  ]),
  'follow-up unseen': entry(doubtful, ['follow-up-unseen'], ({ unseen }) => unseen),
  gone: entry(doubtful, [], ({ startOver }) => [
    say`${bold`The service no longer has this job.`} We don’t know how it ended.`,
    startOver,
  ]),
  lost: entry(doubtful, [], ({ unchecked }) => [
    say`${unchecked} This run stopped watching the job. ${elsewhere}`,
  ]),
  canceled: entry(running, [], ({ whereToLook }) => [
    bold`This run was stopped; the job keeps running.`,
    whereToLook,
  ]),
  'not waited': entry(running, ['not-waited'], ({ notWaiting, whereToLook }) => [
    notWaiting,
    whereToLook,
  ]),
  // No later run will report the result.
  'not reported': entry(unsure, [], ({ notWaiting, whereToLook }) => [
    say`${notWaiting} The result won’t be posted.`,
    whereToLook,
  ]),
  'still running': entry({ ...doubtful, sign: '⏳' }, ['deadline'], (phrases) => {
    const { card, whereToLook } = phrases;
    if (causeOf(card) !== undefined)
      return [say`${phrases.unchecked} This run stopped waiting for the job.`, whereToLook];
    // Show whole minutes, because the exact second of the last check doesn't matter.
    const minutes = Math.floor((tookMs(card) ?? 0) / 60_000);
    const after = minutes === 0 ? '' : ` after ${formatDuration(minutes * 60_000)}`;
    return [bold`The job is still running${after}; this run stopped waiting.`, whereToLook];
  }),
  'given up': entry(doubtful, ['given-up'], () => [
    say`${bold`The job was still running when we last checked.`} We’re no longer checking it.`,
    elsewhere,
  ]),
  unconfirmed: entry(doubtful, [], ({ card, remedy }) => {
    const unsure = bold`We can’t tell whether the service accepted the request.`;
    const doubt = card.ask === 'message' ? 'The follow-up may have arrived.' : 'A job may exist.';
    return [say`${unsure} ${doubt}`, remedy];
  }),
  'key changed': entry(doubtful, ['key-changed'], ({ remedy }) => [
    say`${bold`We can’t tell whether this request was sent before:`} its status comment was signed with a different API key.`,
    remedy,
  ]),
  'newer version': entry(doubtful, ['newer-version'], ({ card }) => [
    say`${bold`${causeOf(card) ?? whyNot.newerVersion}.`} ${nothing}`,
    say`Use the newer version in every workflow of this repository, then ask again.`,
  ]),
  'lost unsent': entry(doubtful, ['interrupted'], ({ card }) => {
    const lost = bold`The run was lost before anything was sent.`;
    if (!card.isCommand) return [lost, say`${linkTo('Re-run the workflow', card.runUrl)}.`];
    return [lost, say`Comment again, or ${linkTo('re-run', card.runUrl)}.`];
  }),
  'stopped early': entry(doubtful, ['cancelled'], () => [
    say`${bold`Stopped before anything was sent.`} Re-running the workflow is safe.`,
  ]),
  'rate limited': entry(doubtful, ['rate-limited'], (phrases) =>
    phrases.notSent('The service’s hourly limit has been reached'),
  ),
  capped: entry(doubtful, ['max-jobs', 'unrecorded'], ({ card }) => [
    say`${bold`${causeOf(card) ?? ''}.`} ${nothing}`,
  ]),
  'bad input': entry(failed, ['bad-input'], (phrases) => phrases.notSent()),
  unread: entry(failed, [], ({ unchecked }) => [
    say`${unchecked} The job’s status couldn’t be read; nothing was changed.`,
  ]),
  'not sent': entry(failed, [], (phrases) => phrases.notSent()),
  skipped: entry({ sign: '☑️', level: 'info' }, [], () => [bold`${nothing}`]),
  answered: entry(
    { ...reply, reaction: '+1', level: 'info' },
    ['help', 'status', 'dry-run'],
    replied,
  ),
  denied: entry(reply, ['permission', 'permission-unknown'], replied),
};

type Situation = keyof typeof situations;

/** The reasons that need a situation and have none. Other errors mean that nothing was sent. */
type Missing = Exclude<
  JobReason | 'newer-version' | 'rate-limited' | 'bad-input',
  (typeof situations)[Situation]['reasons'][number]
>;

/** The compiler names each missing reason. */
const situationsByReason: [Missing] extends [never]
  ? ReadonlyMap<AgentReason, Situation>
  : { readonly addThisReasonToASituation: Missing } = new Map(
  Object.entries(situations).flatMap(([name, { reasons }]) =>
    reasons.map((reason) => [reason, name as Situation] as const),
  ),
);

export function situationOf(card: Card): Situation {
  const ending = endingOf(card);
  if (ending === undefined) return card.state.is === 'working' ? 'working' : 'asking';
  const { outcome, reason } = ending;
  if (card.answer !== undefined) return outcome === 'denied' ? 'denied' : 'answered';
  if (outcome === 'pr-created') return situationOfPull(card);

  const how = howEnded(card);
  if (how === 'unseen') return 'follow-up unseen';
  if (outcome === 'detached' && reason !== 'not-waited') return 'canceled';
  const isUnknown = card.state.is === 'sending' || how === 'unconfirmed';
  if (isUnknown && reason !== 'key-changed') return 'unconfirmed';
  const isError = outcome === 'failed' && reason !== 'job-failed';
  if (isError && jobOf(card) !== undefined) return how === 'gone' ? 'gone' : 'lost';

  const situation = situationsByReason.get(reason);
  if (situation === 'not waited' && card.thread === undefined) return 'not reported';
  if (situation === undefined && outcome !== 'failed') return 'skipped';
  const isUnsent = situation === undefined || situation === 'rate limited';
  if (isUnsent && card.prompt === undefined) return 'unread';
  return situation ?? 'not sent';
}

/** The situation of a request that led to a pull request. */
function situationOfPull(card: Card): Situation {
  const state = pullOf(card)?.state;
  const checks = checksOf(card)?.is;
  if (checks === 'published') return 'published';
  if (checks === 'not-published') return 'not published';
  if (state === 'merged' || state === 'closed') return state;
  if (howEnded(card) === 'unseen') return 'follow-up unseen';
  if (checks === 'not-built') return 'not built';
  const ready = pullOf(card)?.isDraft === true ? 'draft' : 'ready';
  if (card.ask !== 'message') return ready;

  const isUpdated = pullOf(card)?.isUpdated;
  if (hasCommands(card)) return isUpdated ? 'updated' : 'follow-up done';
  if (card.series === undefined) return ready;
  if (isUpdated === undefined) return 'follow-up done';
  return isUpdated ? 'added' : 'nothing added';
}

export function styleOf(card: Card): Style {
  return situations[situationOf(card)];
}

export type Words = ReturnType<typeof wordsFor>;

/** @param here how to name the thread. In the thread itself, that is `here`. */
export function wordsFor(card: Card, here?: Phrase) {
  const { sign, words } = situations[situationOf(card)];
  const phrases = new Phrases(card, here);
  const [line, ...next] = words(phrases);
  const cause = causeOf(card);
  const isNamed = cause === undefined || toMarkdown(line).includes(cause);
  return {
    /** Names the situation. */
    line,
    /** The line with its sign in front. An answer has its own. */
    signed: sign === '' ? line : say`${sign} ${line}`,
    /** The cause of an error, as a sentence; empty without one, or if the line already names it. */
    cause: isNamed ? '' : `${cause}.`,
    /** What to do next, each on its own line. */
    next,
    /** A command to copy, and what to say before it. */
    fix: phrases.fix,
  };
}
