import * as z from 'zod/mini';
import { type AgentReason, agentOutcomes } from '../core/reasons.ts';
import { type Job, jobSchema } from '../service/schemas.ts';
import { pullRequestOf } from './job.ts';

/*
 * The card is the request: who requested what, which process is watching it, and its state. The same JSON is the signed first
 * line of the status comment, the state saved for `post`, and the memory of a run without a thread. The comment's text is
 * generated only from the card.
 */

const shownPromptBytes = 4 * 1024;

const ends = [
  'pr',
  'none',
  /** We never saw the job pick up the follow-up, so its status may be older than the follow-up. */
  'unseen',
  'failed',
  'archived',
  /** The service no longer has the job. */
  'gone',
  /** We can't know whether the service accepted the request. */
  'unconfirmed',
  'answered',
  'denied',
] as const;

const stateSchema = z.discriminatedUnion('is', [
  /** Nothing was sent, so any run may send the request. */
  z.object({ is: z.literal('freed') }),
  /** A process is about to send the request. */
  z.object({ is: z.literal('claimed'), until: z.number() }),
  /** The request was sent, but there has been no response. */
  z.object({ is: z.literal('sent'), until: z.number() }),
  z.object({
    is: z.literal('working'),
    job: jobSchema,
    /** The job's state before a follow-up, kept until the agent has picked up the follow-up. */
    before: z.optional(z.object({ status: z.string(), prLink: z.nullable(z.string()) })),
    /** The time when the process stops watching the job; absent if no process is watching. */
    until: z.optional(z.number()),
  }),
  z.object({ is: z.literal('ended'), how: z.enum(ends), job: z.optional(jobSchema) }),
]);
export type CardState = z.infer<typeof stateSchema>;

/** The comment or review that contains the request. */
const sourceSchema = z.object({
  kind: z.enum(['comment', 'review-comment', 'review']),
  id: z.number(),
  url: z.optional(z.string()),
});

const pullSchema = z.object({
  url: z.string(),
  /** `unseen`: the token of a collect run can't see the pull request. Only an event about the pull request updates the card. */
  state: z.enum(['open', 'merged', 'closed', 'unseen']),
  shown: z.optional(
    z.object({
      title: z.string(),
      additions: z.number(),
      deletions: z.number(),
      changedFiles: z.number(),
    }),
  ),
  /** The pull request's head before a follow-up. If the head has changed by the end, the agent picked up the follow-up. */
  head: z.optional(z.string()),
  isUpdated: z.optional(z.boolean()),
  remindedAt: z.optional(z.number()),
});

const endingSchema = z.object({
  outcome: z.enum(agentOutcomes),
  reason: z.custom<AgentReason>((reason) => typeof reason === 'string'),
  /** Why a change was skipped, in words for users. */
  because: z.optional(z.string()),
  error: z.optional(z.object({ title: z.string(), text: z.string(), markdown: z.string() })),
});
export type Ending = z.infer<typeof endingSchema>;

/** All times are in milliseconds since the epoch. */
export const cardSchema = z.object({
  /** Identifies the request across runs, such as `comment:<id>`. */
  key: z.string(),
  /** A random ID for each process. A run ID isn't enough, because the steps and matrix legs of one run share it. */
  nonce: z.string(),
  run: z.string(),
  runUrl: z.string(),
  attempt: z.number(),
  /** One higher than the generation of the claim that this claim replaces; 0 before the first claim. */
  generation: z.number(),
  thread: z.optional(z.number()),
  comment: z.optional(z.object({ id: z.number(), url: z.string() })),
  /** The login that posts our status comments, set once the first one is posted. */
  login: z.optional(z.string()),
  source: z.optional(sourceSchema),
  /** Whether a command made the request. If so, the thread accepts more commands. */
  isCommand: z.boolean(),
  command: z.string(),
  asker: z.optional(z.string()),
  /** The part of the prompt that the comment shows. */
  prompt: z.optional(z.string()),
  removed: z.number(),
  /** Remarks for users, as Markdown. */
  notes: z.array(z.string()),
  ask: z.enum(['create', 'message', 'attach', 'reply']),
  /** The workflow, if the request uses `continue: repository`. Requests of the same workflow share a job. */
  series: z.optional(z.string()),
  /** The version of the context that was sent: a pull request's head, or a digest of an issue's text. */
  head: z.optional(z.string()),
  askedAt: z.optional(z.number()),
  /** When a process saw the job end or stopped watching it; absent if no process was watching. */
  endedAt: z.optional(z.number()),
  /** The last time that collect mode checked the job and found nothing new. */
  checkedAt: z.optional(z.number()),
  state: stateSchema,
  pull: z.optional(pullSchema),
  /** The person from whom a review must still be requested. */
  reviewer: z.optional(z.string()),
  /** How the last run ended, if that isn't how the request ended. */
  stop: z.optional(endingSchema),
  /** The reply to `help` or `status`, or to someone who was denied, as Markdown. */
  answer: z.optional(z.string()),
});
export type Card = z.infer<typeof cardSchema>;

/** Shortens a prompt to the part that people see. */
export function shownPrompt(prompt: string): string {
  const bytes = Buffer.from(prompt);
  if (bytes.length <= shownPromptBytes) return prompt;
  const shown = bytes.toString('utf8', 0, shownPromptBytes).replace(/\uFFFD+$/, '');
  const more = Array.from(prompt).length - Array.from(shown).length;
  return `${shown}… (${more.toLocaleString('en')} more characters)`;
}

/** The request's job, as last reported by the service. */
export function jobOf({ state }: Pick<Card, 'state'>): Job | undefined {
  return 'job' in state ? state.job : undefined;
}

/** Whether the prompt goes to an existing job. */
export function isFollowUp({ ask }: Pick<Card, 'ask'>): boolean {
  return ask === 'message';
}

/** How the request ended; `undefined` if it hasn't ended. */
export function howEnded({ state }: Pick<Card, 'state'>): (typeof ends)[number] | undefined {
  return state.is === 'ended' ? state.how : undefined;
}

const endings = {
  pr: { outcome: 'pr-created', reason: 'pull-request' },
  none: { outcome: 'no-changes', reason: 'no-pull-request' },
  archived: { outcome: 'archived', reason: 'job-archived' },
  failed: { outcome: 'failed', reason: 'job-failed' },
  gone: { outcome: 'failed', reason: 'not-found' },
  unconfirmed: { outcome: 'failed', reason: 'unconfirmed' },
  answered: { outcome: 'answered', reason: 'help' },
  denied: { outcome: 'denied', reason: 'permission' },
} as const satisfies Record<string, Ending>;

/**
 * How the run that wrote the card ended; `undefined` if it hasn't ended. A failed or archived job keeps that outcome even if it has
 * a pull request, because an earlier request created that one.
 */
export function endingOf({ stop, state }: Card): Ending | undefined {
  if (stop !== undefined || state.is !== 'ended') return stop;
  const { how, job } = state;
  const ending = endings[how === 'unseen' ? (job === undefined ? 'failed' : endOf(job)) : how];
  if (how === 'unseen' && ending.outcome !== 'failed') return { ...ending, reason: 'follow-up-unseen' };
  const isUnusable = ending.outcome === 'pr-created' && pullRequestOf(job) === undefined;
  return isUnusable ? { ...ending, reason: 'unusable-pr-link' } : ending;
}

export function endOf({ status, prLink }: Job): 'pr' | 'none' | 'archived' | 'failed' {
  if (status === 'completed') return prLink === null ? 'none' : 'pr';
  return status === 'archived' ? 'archived' : 'failed';
}
