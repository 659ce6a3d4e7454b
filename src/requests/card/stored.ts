import * as z from 'zod/mini';
import { scrubbedText } from '../../core/mapped.ts';
import { type AgentReason, agentOutcomes } from '../../core/reasons.ts';

/*
 * How a card is stored, in comments and for `post`. This is a contract with other versions: fields
 * are only added, each optional; no enum or union gets a new value, and no meaning changes
 * (CONTRIBUTING, "Cards outlive versions").
 */

const text = z.optional(z.string());
const number = z.optional(z.number());

const job = z.object({
  id: z.string(),
  status: z.string(),
  prLink: z.nullable(z.string()),
  source: z.nullish(z.object({ repository: z.nullish(z.string()), ref: z.nullish(z.string()) })),
  model: z.nullish(z.string()),
  createdAt: z.nullish(z.string()),
});

const state = z.discriminatedUnion('is', [
  /** Nothing was sent, so any run may send the request. */
  z.object({ is: z.literal('freed') }),
  /** A process wants to send the request. It has sent nothing, and names no comment in a thread. */
  z.object({ is: z.literal('claimed') }),
  /** A process may have sent the request. In a thread, the card names its comment. */
  z.object({ is: z.literal('sending') }),
  z.object({
    is: z.literal('working'),
    job,
    /** The job's state before a follow-up, kept until the agent has picked up the follow-up. */
    before: z.optional(z.object({ status: z.string(), prLink: z.nullable(z.string()) })),
    /** The time when the process stops watching the job; absent if no process is watching. */
    until: number,
  }),
  /**
   * `unseen`: we never saw the job pick up the follow-up, so its status may be older. `gone`: the
   * service no longer has the job. `unconfirmed`: we can't know whether it accepted the request.
   */
  z.object({
    is: z.literal('ended'),
    how: z.enum([
      'pr',
      'none',
      'unseen',
      'failed',
      'archived',
      'gone',
      'unconfirmed',
      'answered',
      'denied',
    ]),
    job: z.optional(job),
  }),
]);

/** The job's pull request, as last seen. */
const pull = z.object({
  url: z.string(),
  /** `unseen`: the token of a collect run can't see it. Only an event about it updates the card. */
  state: z.enum(['open', 'merged', 'closed', 'unseen']),
  shown: z.optional(
    z.object({
      title: scrubbedText,
      additions: z.number(),
      deletions: z.number(),
      changedFiles: z.number(),
    }),
  ),
  /** The head before a follow-up. If it changes by the end, the agent picked up the follow-up. */
  head: text,
  isUpdated: z.optional(z.boolean()),
  /** Absent if it isn't one. */
  isDraft: z.optional(z.boolean()),
  remindedAt: number,
  /** What the checks say: while it is open, those of its head; then, those of the merge commit. */
  checks: z.optional(
    z.object({
      is: z.enum(['building', 'built', 'not-built', 'published', 'not-published']),
      sha: z.string(),
      /** The check that decided, and where its details are. */
      name: z.string(),
      url: text,
    }),
  ),
  /** When it was opened and merged. */
  openedAt: number,
  mergedAt: number,
});

const ending = z.object({
  outcome: z.enum(agentOutcomes),
  // A newer version may have more reasons.
  reason: z.custom<AgentReason>((reason) => typeof reason === 'string'),
  /** Why a change was skipped, in words for users. */
  because: text,
  /** `markdown` says what to do. */
  error: z.optional(
    z.object({
      title: z.string(),
      text: z.string(),
      markdown: z.string(),
      details: z.optional(z.string()),
    }),
  ),
});

/** All times are in milliseconds since the epoch. */
export const storedCard = z.object({
  /** The version of the action that wrote the card. */
  version: text,
  /** A digest of the project that the card belongs to (`core/sign.ts`). */
  project: text,
  /** Identifies the request across runs, such as `comment:<id>`. */
  key: z.string(),
  /**
   * A digest of `context` and `paths`, for a prompt from the inputs. With another digest, the same
   * key is another request.
   */
  contextInputs: text,
  /** A random ID for each process. The steps and matrix legs of one run share the run's ID. */
  nonce: z.string(),
  run: z.string(),
  runUrl: z.string(),
  attempt: z.number(),
  /** One higher than that of the claim that this claim replaces; 0 before the first claim. */
  generation: z.number(),
  thread: number,
  comment: z.optional(z.object({ id: z.number(), url: z.string() })),
  /** The login that posts our status comments, set once the first one is posted. */
  login: text,
  /** What contains the request: a comment, a review, or an issue, whose `id` is its number. */
  source: z.optional(
    z.object({
      kind: z.enum(['comment', 'review-comment', 'review', 'issue']),
      id: z.number(),
      url: text,
    }),
  ),
  /** Whether a command made the request. If so, the thread accepts more commands. */
  isCommand: z.boolean(),
  command: z.string(),
  /** The login of the person who made the request. */
  requester: text,
  /** The part of the prompt that the comment shows. */
  prompt: z.optional(scrubbedText),
  /** How many invisible characters were removed from the prompt. */
  removed: z.number(),
  /** What users are told about the request, as Markdown. In the `fold`, it is collapsed. */
  remarks: z.array(z.object({ place: z.enum(['comment', 'fold']), text: z.string() })),
  ask: z.enum(['create', 'message', 'attach', 'reply']),
  /** The workflow, if the request uses `continue: repository`. Its requests share a job. */
  series: text,
  /** The version of the context that was sent: a head, or a digest of an issue's text. */
  head: text,
  askedAt: number,
  /** When the request was sent before, if a re-run sent it again because its job failed. */
  sentBefore: z.optional(z.array(z.number())),
  /** When a process saw the job end or stopped watching it; absent if no process was watching. */
  endedAt: number,
  state,
  pull: z.optional(pull),
  /** The person from whom a review must still be requested. */
  reviewer: text,
  /** How the last run ended, if that isn't how the request ended. */
  stop: z.optional(ending),
  /** The reply to `help` or `status`, or to someone who was denied, as Markdown. */
  answer: text,
});
