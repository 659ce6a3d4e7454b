import type { AgentOutcome } from '../core/reasons.ts';
import { formatDuration } from '../text/duration.ts';
import { fenced, shortCode } from '../text/markdown.ts';
import { type Card, type Ending, endingOf, isFollowUp, jobOf } from './card.ts';
import { askAnew, goOn, isHeard, leftLink, link, startsAnew, whereItIs, whereToLook } from './next-steps.ts';

/*
 * What people read of a request: the same words in the status comment, in the job summary and in the log, made from the card
 * alone. Everything that comes from outside is shown as code.
 */

const minuteMs = 60_000;

/** The state of a request in a few words. */
export interface Words {
  /** Shows the state at a glance. */
  readonly sign: '⏳' | '✅' | '☑️' | '❌' | '⚠️' | '🚫';
  /** The most important words, as Markdown. */
  readonly headline: string;
  /** What follows on the same line, as Markdown; may be empty. */
  readonly more: string;
  /** What to do now, as Markdown lines; may be empty. */
  readonly next: readonly string[];
}

/** The status comment below its signed line: the state and what to do in the open, the rest folded. */
export function statusComment(card: Card): string {
  if (card.answer !== undefined) return card.answer;
  const { sign, headline, more, next } = wordsFor(card);
  return paragraphs([
    `${sign} **${headline}** ${more}`.trimEnd(),
    endingOf(card)?.error?.markdown ?? '',
    next.join('\n'),
    '<details><summary>Request</summary>',
    ...remarksOf(card),
    ...promptBlock(card),
    factsOf(card)
      .map(([name, value]) => `${name}: ${value}`)
      .join(' · '),
    '</details>',
  ]);
}

/** The line that says the state, without its sign. */
export function lineOf({ headline, more }: Pick<Words, 'headline' | 'more'>): string {
  return more === '' ? headline : `${headline} ${more}`;
}

/** The same behind its sign. */
export function lineWithSign(words: Words): string {
  return `${words.sign} ${lineOf(words)}`;
}

/** Parts of a Markdown text, with a blank line between them. */
export function paragraphs(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n\n');
}

/** What is known of the request, as pairs of a name and Markdown. */
export function factsOf(card: Card): [name: string, markdown: string][] {
  const job = jobOf(card);
  const source = [job?.source?.repository, job?.source?.ref]
    .filter((part) => part != null && part !== '')
    .join('@');
  const facts: [string, string | null | undefined][] = [
    ['Asked by', card.asker],
    ['Job', job?.id],
    ['Model', job?.model],
    ['Source', source === '' ? undefined : source],
  ];
  const rows = facts.flatMap(([name, value]): [string, string][] =>
    value == null ? [] : [[name, shortCode(value)]],
  );
  return card.run === '' ? rows : [...rows, ['Run', `[${card.run}](<${card.runUrl}>)`]];
}

/** Other remarks on the request, as Markdown. */
export function remarksOf({ removed, notes }: Card): string[] {
  if (removed === 0) return notes;
  const were = removed === 1 ? 'character was' : 'characters were';
  return [...notes, `${removed} invisible ${were} removed from the prompt.`];
}

/** The prompt as a block that can do nothing. */
export function promptBlock({ prompt }: Card): string[] {
  return prompt === undefined ? [] : [fenced(prompt)];
}

/** How long the job took, or was watched, in milliseconds; `undefined` if nobody watched. */
export function tookMs({ askedAt, endedAt }: Card): number | undefined {
  return askedAt === undefined || endedAt === undefined ? undefined : endedAt - askedAt;
}

/** What the state of a request is called, and what to do in it. */
export function wordsFor(card: Card): Words {
  const ending = endingOf(card);
  if (ending === undefined) return ongoingWords(card);
  if (isUnseen(card)) return unseenWords(ending.outcome, card);
  const duration = tookMs(card);
  const took = duration === undefined ? '' : `after ${formatDuration(duration)}`;
  switch (ending.outcome) {
    case 'pr-created':
      return readyWords(took, card);
    case 'no-changes':
      return words(
        '☑️',
        'The agent finished without a pull request:',
        'nothing had to change, or it is set to commit directly.',
        [`Ask for more with ${goOn(card)}.`],
      );
    case 'archived':
      return timedWords('⚠️', 'The job was archived', took, [startsAnew(card), ...leftLink(card)]);
    case 'timed-out':
      return timedOutWords(ending.reason, duration, card);
    case 'detached':
      if (ending.reason === 'not-waited') return leftRunningWords(card);
      return words('⏳', 'This run was stopped; the job goes on.', '', [whereToLook(card)]);
    case 'failed':
      return failedWords(ending, took, card);
    default:
      return words(ending.outcome === 'denied' ? '🚫' : '☑️', 'Nothing was asked of the agent.');
  }
}

/** Whether the job was never seen to take up the message it was sent. */
export function isUnseen({ state }: Card): boolean {
  return state.is === 'ended' && state.how === 'unseen';
}

function words(sign: Words['sign'], headline: string, more = '', next: readonly string[] = []): Words {
  return { sign, headline, more, next };
}

/** A headline without its full stop, followed by the time it took if that is known. */
function timedWords(sign: Words['sign'], headline: string, took: string, next: readonly string[]): Words {
  return took === '' ? words(sign, `${headline}.`, '', next) : words(sign, headline, `${took}.`, next);
}

function ongoingWords(card: Card): Words {
  if (card.state.is !== 'working') return words('⏳', 'Asking the writing agent …');
  const it = isFollowUp(card) && isHeard(card) ? 'the follow-up' : 'it';
  const next = ['The pull request will be linked here.'];
  return words('⏳', `The writing agent is working on ${it}.`, '', next);
}

function readyWords(took: string, card: Card): Words {
  const startOver = isHeard(card) ? `; start over with \`${card.command} --new …\`` : '';
  // Somebody whose merge was added to a job's open pull request asked for no follow-up.
  const isAskedFor = isFollowUp(card) && isHeard(card);
  const headline = isAskedFor ? `The follow-up is done: ${link(card)}` : `${link(card)} is ready`;
  return timedWords('✅', headline, took, [
    ...whereItIs(card),
    `Ask for changes with ${goOn(card)}${startOver}.`,
  ]);
}

function timedOutWords(reason: string, duration: number | undefined, card: Card): Words {
  const next = [whereToLook(card)];
  if (reason === 'given-up')
    return words(
      '⚠️',
      'The job was still running when it was last looked at.',
      'Its end is no longer looked for.',
      ['The service’s dashboard tells how it ended.'],
    );
  if (reason === 'never-seen')
    return words('⚠️', 'This run stopped waiting; it could never see how the job stands.', '', next);
  // In whole minutes: the seconds of its last look mean nothing.
  const lasted =
    duration === undefined ? '' : ` after ${formatDuration(Math.floor(duration / minuteMs) * minuteMs)}`;
  return words('⏳', `Still running${lasted}; this run stopped waiting.`, '', next);
}

const whatWasDone = {
  create: 'Started',
  message: 'Sent to the agent',
  attach: 'The job goes on',
  reply: 'Asked',
} as const;

function leftRunningWords(card: Card): Words {
  const headline = `${whatWasDone[card.ask]}; this run does not wait.`;
  if (card.thread === undefined)
    return words('⏳', headline, 'Nothing will report its end.', [whereToLook(card)]);
  const collecting = 'a run with `mode: collect` brings its end into the thread';
  // Run again, it does not wait either.
  const next = isHeard(card)
    ? `\`${card.command} status\` shows how it stands. That, or ${collecting}.`
    : `Once it has ended, ${collecting}, and so does running this one again.`;
  return words('⏳', headline, '', [next]);
}

/** A message was sent to a job whose end may be from before it. */
function unseenWords(outcome: AgentOutcome, card: Card): Words {
  const isOver = outcome === 'archived' || outcome === 'failed';
  const end = outcome === 'archived' ? 'that it was archived' : 'that it failed';
  const shown = isOver ? end : outcome === 'pr-created' ? link(card) : 'no pull request';
  return words(
    '⚠️',
    'The job was not seen to take up the follow-up.',
    `It shows ${shown}; that may be from before.`,
    [isOver ? startsAnew(card) : `If it is, ask again with ${goOn(card)}.`],
  );
}

function failedWords({ reason, error }: Ending, took: string, card: Card): Words {
  const { state } = card;
  const remedy = `Nothing is sent again by itself. If the service’s dashboard does not show it, ${askAnew(card)}.`;
  if (reason === 'key-changed') {
    return words(
      '⚠️',
      'We can’t tell whether this was asked before:',
      'the thread was written with another API key.',
      [remedy],
    );
  }
  if (state.is === 'sent' || (state.is === 'ended' && state.how === 'unconfirmed')) {
    const what = isFollowUp(card) ? 'The message may have arrived.' : 'A job may exist.';
    return words('⚠️', 'We can’t tell whether the service accepted the request.', what, [remedy]);
  }
  if (reason === 'job-failed') {
    const failed = timedWords('❌', 'The job failed', took, [
      ...(isFollowUp(card) || card.prompt === undefined
        ? [startsAnew(card)]
        : ['Re-running starts a new job.']),
      ...leftLink(card),
    ]);
    const why = 'The service gives no reason; its dashboard may.';
    return { ...failed, more: `${failed.more} ${why}`.trimStart() };
  }
  if (jobOf(card) !== undefined)
    return words('⚠️', 'The job can no longer be followed.', 'How it ended is not known.', [startsAnew(card)]);
  // An error before anything was asked of the agent.
  const nothing = 'Nothing was asked of the agent.';
  if (reason === 'cancelled' || reason === 'interrupted')
    return words('⚠️', 'Stopped before the agent was asked.', 'Re-running the workflow is safe.');
  if (reason === 'rate-limited') return words('⚠️', 'The service’s hourly limit is reached.', nothing);
  if (reason === 'bad-input') return words('❌', `${error?.title ?? 'An input is wrong'}.`, nothing);
  return card.prompt === undefined
    ? words('❌', 'The job could not be looked at.', nothing)
    : words('❌', 'The agent could not be asked.', 'Nothing was created.');
}
