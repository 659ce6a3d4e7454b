import * as z from 'zod/mini';
import { agentOutcomeNames } from '../core/outcome.ts';
import type { AgentReason } from '../core/reasons.ts';
import { type Job, jobSchema } from '../service/schemas.ts';
import {
  isAsBefore,
  isTerminal,
  isTooEarly,
  type JobState,
  lacksLink,
  pullRequestOf,
  stateOf,
} from './job.ts';

/*
 * The card is the request: who asked for what, which process follows it, and its state. The same JSON is the signed first line
 * of the status comment, the state saved for `post`, and what a run without a thread keeps in memory. Everything the comment
 * says is made from it.
 */

/** How long a process may take from its claim to the service's answer, rate limits included. */
const askingMs = 600_000;
/** How much of a prompt is shown, in bytes of UTF-8. */
const shownPromptBytes = 4 * 1024;

const jobState = z.object({ status: z.string(), prLink: z.nullable(z.string()) });

const ends = [
  'pr',
  'none',
  /** The job was never seen to take up the message: what it shows may be from before. */
  'unseen',
  'failed',
  'archived',
  /** The service no longer knows the job. */
  'gone',
  /** Nobody can know whether the service took the request. */
  'unconfirmed',
  'answered',
  'denied',
] as const;

const stateSchema = z.discriminatedUnion('is', [
  /** Nothing is asked, and any run may ask. */
  z.object({ is: z.literal('freed') }),
  /** About to ask. */
  z.object({ is: z.literal('claimed'), until: z.number() }),
  /** A request is out, or got no answer. */
  z.object({ is: z.literal('sent'), until: z.number() }),
  z.object({
    is: z.literal('working'),
    job: jobSchema,
    /** The job before the message, while what it shows may still be from then. */
    before: z.optional(jobState),
    /** Until when a process follows it; absent if none does. */
    until: z.optional(z.number()),
  }),
  z.object({ is: z.literal('ended'), how: z.enum(ends), job: z.optional(jobSchema) }),
]);
export type CardState = z.infer<typeof stateSchema>;

const endingSchema = z.object({
  outcome: z.enum(agentOutcomeNames),
  reason: z.custom<AgentReason>((reason) => typeof reason === 'string'),
  /** Why a change was skipped, for people. */
  because: z.optional(z.string()),
  error: z.optional(z.object({ title: z.string(), text: z.string(), markdown: z.string() })),
});
/** How a run ends. */
export type Ending = z.infer<typeof endingSchema>;

/** Times are in milliseconds since the epoch. */
export const cardSchema = z.object({
  /** Names what was asked once, over all runs, such as `comment:<id>`. */
  key: z.string(),
  /** The process that wrote it: the steps and matrix legs of one run share its id and attempt. */
  nonce: z.string(),
  run: z.string(),
  runUrl: z.string(),
  attempt: z.number(),
  /** One above the claim it follows; 0 before the first claim. */
  generation: z.number(),
  thread: z.optional(z.number()),
  /** The status comment, once it is known. */
  comment: z.optional(z.object({ id: z.number(), url: z.string() })),
  /** Who writes our comments, once GitHub has taken one. */
  login: z.optional(z.string()),
  /** What asked, for reactions. */
  source: z.optional(z.object({ kind: z.literal('comment'), id: z.number() })),
  /** Whether a command asked: then the thread listens to others. */
  isCommand: z.boolean(),
  command: z.string(),
  asker: z.optional(z.string()),
  /** As far as it is shown. */
  prompt: z.optional(z.string()),
  /** How many invisible code points were removed from the prompt. */
  removed: z.number(),
  /** Remarks for readers, as Markdown. */
  notes: z.array(z.string()),
  ask: z.enum(['create', 'message', 'attach', 'reply']),
  /** The workflow whose requests share a job, if this is one of them. */
  series: z.optional(z.string()),
  /** The version of what was sent with the prompt: a pull request's head, or a digest of an issue's words. */
  head: z.optional(z.string()),
  askedAt: z.optional(z.number()),
  /** When a process saw it end, or stopped following it; absent if nobody watched. */
  endedAt: z.optional(z.number()),
  /** When collecting last looked at its job in vain. */
  checkedAt: z.optional(z.number()),
  state: stateSchema,
  /** How the last run ended, where that is not how the request ended. */
  stop: z.optional(endingSchema),
  /** The answer to `help` or `status`, or why somebody is denied, as Markdown. */
  answer: z.optional(z.string()),
});
export type Card = z.infer<typeof cardSchema>;

/** The card of a request that nobody has claimed. */
export function newCard(facts: Omit<Card, 'generation' | 'notes' | 'state'>): Card {
  const prompt = facts.prompt === undefined ? {} : { prompt: shownPrompt(facts.prompt) };
  return { ...facts, ...prompt, generation: 0, notes: [], state: { is: 'freed' } };
}

/** A prompt as far as people are shown it. */
export function shownPrompt(prompt: string): string {
  const bytes = Buffer.from(prompt);
  if (bytes.length <= shownPromptBytes) return prompt;
  const shown = bytes.toString('utf8', 0, shownPromptBytes).replace(/\uFFFD+$/, '');
  const more = Array.from(prompt).length - Array.from(shown).length;
  return `${shown}… (${more.toLocaleString('en')} more characters)`;
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

/** Looked at in vain, and nothing else: readers see no difference. */
export function checked(card: Card, checkedAt: number): Card {
  return { ...card, checkedAt };
}

/** How the run that wrote the card ended; `undefined` while it has not. */
export function endingOf(card: Card): Ending | undefined {
  if (card.stop !== undefined) return card.stop;
  return card.state.is === 'ended' ? endingOfEnd(card.state) : undefined;
}

/** The job to speak of, as the service last described it. */
export function jobOf({ state }: Pick<Card, 'state'>): Job | undefined {
  return 'job' in state ? state.job : undefined;
}

/** Whether the prompt goes to a job that existed before. */
export function isFollowUp({ ask }: Pick<Card, 'ask'>): boolean {
  return ask === 'message';
}

/** Whether a request came to nothing, so that a later attempt asks anew. */
export function cameToNothing({ state }: Card): boolean {
  return state.is === 'ended' && (state.how === 'failed' || state.how === 'archived' || state.how === 'gone');
}

/** Whether a card is only an answer: no job of the thread. */
export function isReply({ state }: Card): boolean {
  return state.is === 'ended' && (state.how === 'answered' || state.how === 'denied');
}

function endingOfEnd({ how, job }: Extract<CardState, { is: 'ended' }>): Ending {
  switch (how) {
    case 'gone':
      return { outcome: 'failed', reason: 'not-found' };
    case 'unconfirmed':
      return { outcome: 'failed', reason: 'unconfirmed' };
    case 'answered':
      return { outcome: 'answered', reason: 'help' };
    case 'denied':
      return { outcome: 'denied', reason: 'permission' };
    case 'unseen': {
      const ending = endingOfJob(job);
      return ending.outcome === 'failed' ? ending : { ...ending, reason: 'follow-up-unseen' };
    }
    default:
      return endingOfJob(job);
  }
}

/**
 * How a job in a terminal status ends. A failed or archived one keeps its own outcome even if an earlier message left a pull
 * request: the link is passed on, but this request did not make it.
 */
function endingOfJob(job: Job | undefined): Ending {
  switch (job === undefined ? 'failed' : endOf(job)) {
    case 'pr':
      return {
        outcome: 'pr-created',
        reason: pullRequestOf(job) === undefined ? 'unusable-pr-link' : 'pull-request',
      };
    case 'none':
      return { outcome: 'no-changes', reason: 'no-pull-request' };
    case 'archived':
      return { outcome: 'archived', reason: 'job-archived' };
    case 'failed':
      return { outcome: 'failed', reason: 'job-failed' };
  }
}

function endOf({ status, prLink }: Job): 'pr' | 'none' | 'archived' | 'failed' {
  if (status === 'completed') return prLink === null ? 'none' : 'pr';
  return status === 'archived' ? 'archived' : 'failed';
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
