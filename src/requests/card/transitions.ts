import type { ThreadComment } from '../../github/changes.ts';
import type { Job } from '../../service/schemas.ts';
import { changeScrubbed, type Scrubbed } from '../../text/scrub.ts';
import {
  type Card,
  type EndedHow,
  type Ending,
  endOf,
  howEnded,
  isTerminal,
  isTooEarly,
  jobOf,
  lacksLink,
  type Remark,
} from './card.ts';

/* The functions that change a card's state. Each one returns a new card. */

const maxShownPromptBytes = 4 * 1024;

/** What a job looks like, as far as a follow-up changes it. */
type Look = Pick<Job, 'status' | 'prLink'>;

export function isUnsent({ state }: Card): boolean {
  return state.is === 'freed' || state.is === 'claimed';
}

/** Creates the card of a request that no run has claimed. */
export function newCard(facts: Omit<Card, 'generation' | 'remarks' | 'state'>): Card {
  const prompt = facts.prompt && shortenPrompt(facts.prompt);
  return { ...facts, prompt, generation: 0, remarks: [], state: { is: 'freed' } };
}

/** The part of a prompt that a comment shows. */
export function shortenPrompt(prompt: Scrubbed): Scrubbed {
  const bytes = Buffer.from(prompt);
  if (bytes.length <= maxShownPromptBytes) return prompt;
  // The cut may be in the middle of a character.
  const start = bytes.toString('utf8', 0, maxShownPromptBytes).replace(/\uFFFD+$/, '');
  return changeScrubbed(prompt, () => `${start}…`);
}

/** The first half of a prompt, for a card that is too long. */
export function halvePrompt(prompt: Scrubbed): Scrubbed {
  const characters = Array.from(prompt);
  const half = characters.slice(0, Math.floor(characters.length / 2));
  return changeScrubbed(prompt, () => half.join(''));
}

/** Adds a remark, if there is one. */
export function addRemark(card: Card, place: Remark['place'], text: string | undefined): Card {
  if (text === undefined) return card;
  return { ...card, remarks: [...card.remarks, { place, text }] };
}

/** Says in the comment why a new job gets the prompt, if there is a reason. The last one counts. */
export function explainNewJob(card: Card, why: string | undefined): Card {
  if (why === undefined) return card;
  const remarks = card.remarks.filter(({ place }) => place !== 'comment');
  return addRemark({ ...card, remarks }, 'comment', why);
}

/** Claims the request, for the first time or after the service rejected it. */
export function markClaimed(card: Card): Card {
  return { ...card, state: { is: 'claimed' } };
}

/** Names the comment that the card is in, and the login that posted it. */
export function placeInComment(
  card: Card,
  comment: Pick<ThreadComment, 'id' | 'url' | 'login'>,
): Card {
  const { id, url } = comment;
  return { ...card, comment: { id, url }, login: comment.login };
}

/** Marks the request as going out. From now on, we can't know whether the service accepted it. */
export function markSending(card: Card, ask: 'create' | 'message', nowMs: number): Card {
  return { ...card, ask, askedAt: nowMs, state: { is: 'sending' } };
}

/** Adds the job of the request. `before` is the job before the follow-up. */
export function markWorking(card: Card, job: Job, before?: Look): Card {
  const same = card.state.is === 'working' ? card.state : undefined;
  const state = { ...same, is: 'working', job, before: undefined } as const;
  if (before === undefined || !isAsBefore(before, job)) return { ...card, state };
  const { status, prLink } = before;
  return { ...card, state: { ...state, before: { status, prLink } } };
}

/** Whether an ended job looks as before a follow-up, so it may have ended before the follow-up. */
function isAsBefore(before: Look, now: Job): boolean {
  return isTerminal(now.status) && before.status === now.status && before.prLink === now.prLink;
}

/** Sets the time until which this process watches the job. */
export function watchUntil(card: Card, until: number): Card {
  if (card.state.is !== 'working') return card;
  return { ...card, state: { ...card.state, until } };
}

/** Continues the request of a process that has ended. */
export function takeOver(card: Card, by: Pick<Card, 'nonce' | 'run' | 'runUrl' | 'attempt'>): Card {
  const newProcess = { nonce: by.nonce, run: by.run, runUrl: by.runUrl, attempt: by.attempt };
  const endedAt = card.state.is === 'ended' ? card.endedAt : undefined;
  return { ...card, ...newProcess, stop: undefined, state: leaveState(card), endedAt };
}

/** What remains of a state when its process ends. */
function leaveState({ state }: Card): Card['state'] {
  if (state.is === 'claimed') return { is: 'freed' };
  return state.is === 'sending' ? { is: 'ended', how: 'unconfirmed' } : state;
}

/** Drops a failed job so that the request can be sent again. */
export function startRequestOver(card: Card, why?: string): Card {
  const { sentBefore = [], askedAt = [] } = card;
  const freed: Card = {
    ...unended(card),
    sentBefore: sentBefore.concat(askedAt),
    askedAt: undefined,
    head: undefined,
    pull: undefined,
    remarks: [],
    ask: 'create',
    state: { is: 'freed' },
  };
  return explainNewJob(freed, why);
}

export function endRequest(card: Card, how: EndedHow, job = jobOf(card)): Card {
  return { ...unended(card), state: { is: 'ended', how, job } };
}

/** Clears how and when an earlier run stopped, because the job has made progress since then. */
function unended(card: Card): Card {
  return { ...card, stop: undefined, endedAt: undefined };
}

/** Stops the process before the request has ended. */
export function stopRun(card: Card, stop: Ending): Card {
  const state = leaveState(card);
  if (state.is !== 'working') return { ...card, stop, state };
  return { ...card, stop, state: { ...state, until: undefined } };
}

/** How a request ends that isn't sent: a command is denied, anything else is skipped. */
export function explainRefusal(
  { isCommand }: Card,
  reason: 'max-jobs' | 'unrecorded',
  why: Record<'what' | 'hint', string>,
): Ending {
  const { what, hint } = why;
  if (!isCommand) return { outcome: 'skipped', reason, because: `${what}. ${hint}` };
  return { outcome: 'denied', reason, error: { title: what, text: hint, markdown: hint } };
}

/** Stops the process because it was canceled or killed. `error` says so in words. */
export function interruptRun(
  card: Card,
  reason: 'interrupted' | 'cancelled',
  error?: Ending['error'],
): Card {
  const { state } = card;
  switch (state.is) {
    case 'ended':
      return card;
    case 'sending':
      return stopRun(card, { outcome: 'failed', reason: 'unconfirmed', error });
    case 'working': {
      const { before, job } = state;
      const isOver = before === undefined && isTerminal(job.status) && !lacksLink(job);
      if (isOver) return endRequest(card, endOf(job));
      return stopRun(card, { outcome: 'detached', reason });
    }
    default:
      return stopRun(card, { outcome: 'failed', reason });
  }
}

/** Ends a request that was answered without the agent, or denied. */
export function endWithReply(
  card: Card,
  stop: Ending & { outcome: 'answered' | 'denied' },
  answer: string,
  job?: Job,
): Card {
  return { ...card, ask: 'reply', answer, stop, state: { is: 'ended', how: stop.outcome, job } };
}

/** What the service says about a job. */
export type Sighting =
  /** `isLinkFinal`: the job gets no link later. */
  | { readonly job: Job; readonly isLinkFinal: boolean }
  /** Two 404s, at least 5 s apart. */
  | 'missing'
  /** Such as the first 404. */
  | 'unreadable';

/** Updates a card from what the service says about its job. Without news, returns the same card. */
export function observe(card: Card, sighting: Sighting, nowMs: number): Card {
  if (sighting === 'unreadable') return card;
  // The job may be too new to be found, or may not have picked up the follow-up yet.
  const isEarly = isTooEarly(card.askedAt, nowMs);
  if (sighting === 'missing') {
    if (isEarly || howEnded(card) === 'gone') return card;
    return endRequest(card, 'gone');
  }
  const after = observeJob(card, sighting, isEarly);
  if (JSON.stringify(card.state) === JSON.stringify(after.state)) return card;
  return after;
}

function observeJob(card: Card, sighting: Extract<Sighting, object>, isEarly: boolean): Card {
  const { isLinkFinal } = sighting;
  const job = { ...jobOf(card), ...sighting.job };
  const before = lookBefore(card);
  const isStale = before !== undefined && isAsBefore(before, job);
  const isAwaited = (isStale && isEarly) || (lacksLink(job) && !isLinkFinal);
  if (isTerminal(job.status) && !isAwaited)
    return endRequest(card, isStale ? 'unseen' : endOf(job), job);
  return markWorking(unended(card), job, before);
}

/** The job before the follow-up, if it may still look like that. */
function lookBefore(card: Card): Look | undefined {
  if (card.state.is === 'working') return card.state.before;
  return howEnded(card) === 'unseen' ? jobOf(card) : undefined;
}
