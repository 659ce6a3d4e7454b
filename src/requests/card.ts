import * as z from 'zod/mini';
import { type AgentReason, agentOutcomes } from '../core/reasons.ts';
import { type Job, jobSchema } from '../service/schemas.ts';
import { pullRequestOf } from './job.ts';

/*
 * The card is the request: who requested what, which process follows it, and its state. The same JSON is the signed first line of
 * the status comment, the state saved for `post`, and what a run without a thread keeps in memory. The text of the comment is
 * made from it alone.
 */

/** How much of a prompt is shown, in bytes of UTF-8. */
const shownPromptBytes = 4 * 1024;

const jobState = z.object({ status: z.string(), prLink: z.nullable(z.string()) });

const ends = [
  'pr',
  'none',
  /** We never saw the job pick up the message: its status may predate it. */
  'unseen',
  'failed',
  'archived',
  /** The service no longer knows the job. */
  'gone',
  /** We can't know whether the service accepted the request. */
  'unconfirmed',
  'answered',
  'denied',
] as const;

const stateSchema = z.discriminatedUnion('is', [
  /** Nothing was sent, and any run may send the request. */
  z.object({ is: z.literal('freed') }),
  /** A process is about to send the request. */
  z.object({ is: z.literal('claimed'), until: z.number() }),
  /** The request was sent; there is no response yet, or there never was. */
  z.object({ is: z.literal('sent'), until: z.number() }),
  z.object({
    is: z.literal('working'),
    job: jobSchema,
    /** The job as it was before the message, kept while its status may still date from then. */
    before: z.optional(jobState),
    /** Until when a process follows the job; absent if none does. */
    until: z.optional(z.number()),
  }),
  z.object({ is: z.literal('ended'), how: z.enum(ends), job: z.optional(jobSchema) }),
]);
export type CardState = z.infer<typeof stateSchema>;

/** Where the request came from. GitHub has no reactions to a review. */
const sourceSchema = z.object({
  kind: z.enum(['comment', 'review-comment', 'review']),
  id: z.number(),
  url: z.optional(z.string()),
});
export type CardSource = z.infer<typeof sourceSchema>;

const pullSchema = z.object({
  url: z.string(),
  /** `unseen`: the token of a run in collect mode can’t see it, so only an event about it is followed. */
  state: z.enum(['open', 'merged', 'closed', 'unseen']),
  shown: z.optional(
    z.object({
      title: z.string(),
      additions: z.number(),
      deletions: z.number(),
      changedFiles: z.number(),
    }),
  ),
  /** Its head before a message, kept until the job's end shows whether the message moved it. */
  head: z.optional(z.string()),
  isUpdated: z.optional(z.boolean()),
  reviewAskedOf: z.optional(z.string()),
  remindedAt: z.optional(z.number()),
});

const endingSchema = z.object({
  outcome: z.enum(agentOutcomes),
  reason: z.custom<AgentReason>((reason) => typeof reason === 'string'),
  /** Why a change was skipped, for people. */
  because: z.optional(z.string()),
  error: z.optional(z.object({ title: z.string(), text: z.string(), markdown: z.string() })),
});
/** How a run ends. */
export type Ending = z.infer<typeof endingSchema>;

/** Times are in milliseconds since the epoch. */
export const cardSchema = z.object({
  /** Identifies the request across runs, such as `comment:<id>`. */
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
  /** The login that writes our comments, known after the first one. */
  login: z.optional(z.string()),
  source: z.optional(sourceSchema),
  /** Whether a command made the request, so that the thread accepts more commands. */
  isCommand: z.boolean(),
  command: z.string(),
  asker: z.optional(z.string()),
  /** The part of it that is shown. */
  prompt: z.optional(z.string()),
  /** How many invisible code points were removed from the prompt. */
  removed: z.number(),
  /** Remarks for readers, as Markdown. */
  notes: z.array(z.string()),
  ask: z.enum(['create', 'message', 'attach', 'reply']),
  /** The workflow whose requests share a job, if this is one of them. */
  series: z.optional(z.string()),
  /** The version of the context that was sent: a pull request's head, or a digest of an issue's text. */
  head: z.optional(z.string()),
  askedAt: z.optional(z.number()),
  /** When a process saw the job end or stopped following it; absent if none watched. */
  endedAt: z.optional(z.number()),
  /** When collect mode last checked its job without finding news. */
  checkedAt: z.optional(z.number()),
  state: stateSchema,
  /** The job’s pull request, as it was last seen. */
  pull: z.optional(pullSchema),
  /** Who still needs to be asked for a review. */
  reviewer: z.optional(z.string()),
  /** How the last run ended, if the request itself didn't end that way. */
  stop: z.optional(endingSchema),
  /** The answer to `help` or `status`, or why someone was denied, as Markdown. */
  answer: z.optional(z.string()),
});
export type Card = z.infer<typeof cardSchema>;

/** The part of a prompt that people are shown. */
export function shownPrompt(prompt: string): string {
  const bytes = Buffer.from(prompt);
  if (bytes.length <= shownPromptBytes) return prompt;
  const shown = bytes.toString('utf8', 0, shownPromptBytes).replace(/\uFFFD+$/, '');
  const more = Array.from(prompt).length - Array.from(shown).length;
  return `${shown}… (${more.toLocaleString('en')} more characters)`;
}

/** How the run that wrote the card ended; `undefined` while it has not. */
export function endingOf(card: Card): Ending | undefined {
  if (card.stop !== undefined) return card.stop;
  return card.state.is === 'ended' ? endingOfEnd(card.state) : undefined;
}

/** The request's job, as the service last described it. */
export function jobOf({ state }: Pick<Card, 'state'>): Job | undefined {
  return 'job' in state ? state.job : undefined;
}

/** Whether the prompt goes to a job that existed before. */
export function isFollowUp({ ask }: Pick<Card, 'ask'>): boolean {
  return ask === 'message';
}

/** How the request ended; `undefined` while it has not. */
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
 * A failed or archived job keeps that outcome even if it has a pull request from an earlier message: the link is still reported,
 * but this request didn't produce it.
 */
function endingOfEnd({ how, job }: Extract<CardState, { is: 'ended' }>): Ending {
  const ending = endings[how === 'unseen' ? (job === undefined ? 'failed' : endOf(job)) : how];
  if (how === 'unseen' && ending.outcome !== 'failed') return { ...ending, reason: 'follow-up-unseen' };
  const isUnusable = ending.outcome === 'pr-created' && pullRequestOf(job) === undefined;
  return isUnusable ? { ...ending, reason: 'unusable-pr-link' } : ending;
}

export function endOf({ status, prLink }: Job): 'pr' | 'none' | 'archived' | 'failed' {
  if (status === 'completed') return prLink === null ? 'none' : 'pr';
  return status === 'archived' ? 'archived' : 'failed';
}
