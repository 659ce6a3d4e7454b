import type { Job } from '../service/schemas.ts';
import { type Card, type CardState, type Ending, endOf, jobOf, shownPrompt } from './card.ts';
import { isAsBefore, isTerminal, isTooEarly, type JobState, lacksLink, stateOf } from './job.ts';

/* What changes a card: each gives the card as it is afterwards. */

/** How long a process may take from its claim to the service's answer, rate limits included. */
const askingMs = 600_000;

/** The card of a request that nobody has claimed. */
export function newCard(facts: Omit<Card, 'generation' | 'notes' | 'state'>): Card {
  const prompt = facts.prompt === undefined ? {} : { prompt: shownPrompt(facts.prompt) };
  return { ...facts, ...prompt, generation: 0, notes: [], state: { is: 'freed' } };
}

/** Adds a remark for readers. */
export function noted(card: Card, note: string | undefined): Card {
  return note === undefined ? card : { ...card, notes: [...card.notes, note] };
}

/** About to ask, in a generation above the claim it follows. */
export function claimed(card: Card, generation: number, nowMs: number): Card {
  const { comment: _, stop: __, ...kept } = card;
  return { ...kept, generation, state: { is: 'claimed', until: nowMs + askingMs } };
}

/** In its comment. */
export function placed(card: Card, comment: NonNullable<Card['comment']>, login: string): Card {
  return { ...card, comment, login };
}

/** A request is on its way; from here on nobody knows whether the service took it. */
export function sent(card: Card, ask: 'create' | 'message', nowMs: number): Card {
  return { ...card, ask, askedAt: nowMs, state: { is: 'sent', until: nowMs + askingMs } };
}

/** The service refused the request: nothing was asked after all. */
export function refused(card: Card, nowMs: number): Card {
  return { ...card, state: { is: 'claimed', until: nowMs + askingMs } };
}

/** The service has a job for the request. */
export function working(card: Card, job: Job, before: JobState | undefined): Card {
  const isFromBefore = before !== undefined && isAsBefore(before, job);
  return { ...card, state: { is: 'working', job, ...(isFromBefore ? { before } : {}) } };
}

/** Follows a job that the inputs name. */
export function attached(card: Card, job: Job): Card {
  return { ...card, ask: 'attach', state: { is: 'working', job } };
}

/** Followed by its process until that time. */
export function watched(card: Card, until: number): Card {
  return card.state.is === 'working' ? { ...card, state: { ...card.state, until } } : card;
}

/**
 * An earlier process has written it; this one takes it over. What that process only claimed it may have asked, which nobody can
 * know; to attach once more does no harm.
 */
export function takenOver(card: Card, by: Pick<Card, 'nonce' | 'run' | 'runUrl' | 'attempt'>): Card {
  const { stop: _, endedAt, ...kept } = card;
  const { nonce, run, runUrl, attempt } = by;
  const isUnknown = card.state.is === 'sent' || (card.state.is === 'claimed' && card.ask !== 'attach');
  const state: CardState = isUnknown ? { is: 'ended', how: 'unconfirmed' } : card.state;
  const ended = state.is === 'ended' && endedAt !== undefined ? { endedAt } : {};
  return { ...kept, nonce, run, runUrl, attempt, state, ...ended };
}

/** Lets go of a job that came to nothing, to ask once more. */
export function startedAnew(card: Card, note: string | undefined): Card {
  const { askedAt: _, endedAt: __, head: ___, ...kept } = card;
  return noted({ ...kept, notes: [], ask: 'create', state: { is: 'freed' } }, note);
}

/**
 * What a look at its job shows: the same card if that is nothing new. An end is believed unless it may be from before a message
 * that is less than two minutes old, or a link may still come.
 */
export function looked(
  card: Card,
  job: Job,
  { nowMs, isLinkFinal }: { readonly nowMs: number; readonly isLinkFinal: boolean },
): Card {
  // How and when an earlier run stopped following it is out of date once the job shows something new.
  const { stop: _, endedAt: __, ...kept } = card;
  const { state } = card;
  const before = beforeOf(state);
  const isFromBefore = before !== undefined && isAsBefore(before, job);
  const isTooSoon = isFromBefore && isTooEarly(card.askedAt, nowMs);
  const isOver = isTerminal(job.status) && !isTooSoon && (isLinkFinal || !lacksLink(job));
  const next: CardState = isOver
    ? { is: 'ended', how: isFromBefore ? 'unseen' : endOf(job), job }
    : {
        is: 'working',
        job,
        ...(isFromBefore ? { before } : {}),
        ...(state.is === 'working' && state.until !== undefined ? { until: state.until } : {}),
      };
  return isSame(state, next) ? card : { ...kept, state: next };
}

/** The service does not know its job. */
export function gone(card: Card): Card {
  const { stop: _, endedAt: __, ...kept } = card;
  const job = jobOf(card);
  return { ...kept, state: { is: 'ended', how: 'gone', ...(job === undefined ? {} : { job }) } };
}

/** The time at which its process saw it end. */
export function timed(card: Card, endedAt: number): Card {
  return card.endedAt === undefined ? { ...card, endedAt } : card;
}

/** Nobody can know whether the service took the request. */
export function unconfirmed(card: Card): Card {
  return { ...card, state: { is: 'ended', how: 'unconfirmed' } };
}

/** Its process ends without having seen the request's own end. */
export function stopped(card: Card, stop: Ending): Card {
  return { ...card, stop, state: leftBehind(card.state) };
}

/** A process that was stopped before it came to an end of its own: what it leaves behind. */
export function interrupted(card: Card, by: 'interrupted' | 'cancelled'): Card {
  const { state } = card;
  switch (state.is) {
    case 'freed':
    case 'claimed':
      return stopped(card, { outcome: 'failed', reason: by });
    case 'sent':
      return unconfirmed(card);
    case 'ended':
      return card;
    case 'working': {
      const { before, job } = state;
      const isOver = before === undefined && isTerminal(job.status) && !lacksLink(job);
      return isOver
        ? { ...card, state: { is: 'ended', how: endOf(job), job } }
        : stopped(card, { outcome: 'detached', reason: by });
    }
  }
}

/** Answered without asking the agent, or turned away. */
export function replied(
  card: Card,
  stop: Ending & { outcome: 'answered' | 'denied' },
  answer: string,
  job?: Job,
): Card {
  const state: CardState = { is: 'ended', how: stop.outcome, ...(job === undefined ? {} : { job }) };
  return { ...card, ask: 'reply', answer, stop, state };
}

/** What a process leaves behind that stops in this state. */
function leftBehind(state: CardState): CardState {
  switch (state.is) {
    case 'claimed':
      return { is: 'freed' };
    case 'sent':
      return { is: 'ended', how: 'unconfirmed' };
    case 'working': {
      const { until: _, ...kept } = state;
      return kept;
    }
    default:
      return state;
  }
}

/** The job before the message that may not be taken up yet. */
function beforeOf(state: CardState): JobState | undefined {
  if (state.is === 'working') return state.before;
  return state.is === 'ended' && state.how === 'unseen' && state.job !== undefined
    ? stateOf(state.job)
    : undefined;
}

function isSame(one: CardState, other: CardState): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
