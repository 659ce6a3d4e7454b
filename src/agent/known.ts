import * as z from 'zod/mini';
import { agentOutcomeNames } from '../core/outcome.ts';
import type { AgentReason } from '../core/reasons.ts';
import { jobStateSchema, type Marker } from '../requests/marker.ts';
import { type Job, jobSchema } from '../service/schemas.ts';
import { capped } from '../text/markdown.ts';
import type { Gathered } from './context/gather.ts';
import type { Pushed } from './context/push.ts';
import type { Remembered, Standing } from './thread/memory.ts';
import { statusCommentSchema } from './thread/status-comment.ts';

/** What is compared to learn whether a job has taken up a message. */
export type JobState = z.infer<typeof jobStateSchema>;

const waysToAsk = z.enum(['creating', 'messaging', 'attaching']);

/**
 * Was anything asked of the agent? `maybe`: a request was sent, and whether the service has taken it nobody knows.
 * It goes back to `no` only on a definite refusal, or where the job came to nothing and is asked for anew.
 */
const askedSchema = z.discriminatedUnion('is', [
  z.object({ is: z.literal('no') }),
  z.object({ is: z.literal('maybe'), by: waysToAsk }),
  z.object({
    is: z.literal('yes'),
    by: waysToAsk,
    jobId: z.string(),
    /** The job as the service last told it to this run. */
    job: z.optional(jobSchema),
    /** The service knows no such job. */
    isGone: z.optional(z.boolean()),
    /** How the job stood before the message, while what it shows may still be from then. */
    before: z.optional(jobStateSchema),
    /** How the job stood when it was told as not seen to take up the message. */
    unseen: z.optional(jobStateSchema),
    /** Whether the thread told of it: an earlier process has asked. */
    isRemembered: z.optional(z.boolean()),
  }),
]);
export type Asked = z.infer<typeof askedSchema>;
export type AskedJob = Extract<Asked, { is: 'yes' }>;

const endingSchema = z.object({
  outcome: z.enum(agentOutcomeNames),
  reason: z.custom<AgentReason>((reason) => typeof reason === 'string'),
  because: z.optional(z.string()),
  isUnseen: z.optional(z.boolean()),
  error: z.optional(z.object({ title: z.string(), text: z.string(), markdown: z.string() })),
});

/** What the `post` phase needs of a run that was killed: plain data, without a secret. */
const savedSchema = z.object({
  /** Names this process: steps and matrix legs of one run share its id and attempt. */
  nonce: z.string(),
  /** The trigger's key. */
  key: z.string(),
  threadNumber: z.optional(z.number()),
  /** The comment that asked, for reactions. */
  sourceCommentId: z.optional(z.number()),
  /** Whether it was a command: then others are listened to in the thread. */
  isCommand: z.boolean(),
  asker: z.optional(z.string()),
  command: z.string(),
  prompt: z.optional(z.string()),
  /** How many invisible code points were removed from the prompt. */
  removed: z.number(),
  asked: askedSchema,
  status: statusCommentSchema,
  /** Remarks for the people who read how it went, as Markdown. */
  notes: z.array(z.string()),
  /** How the run ends, from when that is known. */
  ending: z.optional(endingSchema),
  /** When that was; a later phase may have to tell it once more. */
  endedAtMs: z.optional(z.number()),
  /** What is told instead of how a job went, as Markdown: the answer to `help` or `status`, or why somebody is denied. */
  answer: z.optional(z.string()),
  /** The job that `status` was answered with. Nothing was asked of it. */
  answeredJob: z.optional(jobSchema),
  beganAtMs: z.number(),
  /** The state of what the agent was told of with the prompt. */
  head: z.optional(z.string()),
  /** The workflow whose requests all go to one job, where this is one of them. */
  series: z.optional(z.string()),
  /** When the agent was asked; absent where that tells nothing of the time taken. */
  askedAtMs: z.optional(z.number()),
  /** Until when the job is watched at the latest; absent while nobody watches. */
  untilMs: z.optional(z.number()),
  /** Whether whoever asked may ask. Before that nothing is told in the thread. */
  isLetIn: z.boolean(),
  /** The run has told its end to everybody; there is nothing left for `post`. */
  isOver: z.boolean(),
});
type Saved = z.infer<typeof savedSchema>;

/** All that a run knows of its one request. It only ever learns: `Session.learn` is the one place where this changes. */
export interface Known extends Saved {
  /** The verified markers of the thread; `undefined` before it was read. */
  readonly memory?: readonly Remembered[] | undefined;
  /** Whose the trigger is, by that memory. */
  readonly standing?: Standing | undefined;
  /** The job that a message is meant for; without `job` the service knows none by that id. */
  readonly target?: { readonly jobId: string; readonly job: Job | undefined } | undefined;
  /** What the push at hand brought. */
  readonly pushed?: Pushed;
  /** What the request is about; `null` where it could not be read. */
  readonly gathered?: Gathered | null;
  /** What the verified markers of all threads say, the newest first. */
  readonly repository?: readonly Marker[];
  /** Whether the repository's threads were looked through for a job to go on with: `target`, if there is one. */
  readonly isRepositorySearched?: boolean;
  /** Whether an earlier job of this trigger came to nothing, so that another is created. */
  readonly startsAnew?: boolean;
  /** How often an earlier command of the thread, which was about to get its job, was looked at. */
  readonly looksAtEarlier?: number;
  /** Whether the trigger was marked by a bot with a signature that does not verify: the API key may have changed. */
  readonly isKeyChanged?: boolean;
  /** Whether the thread was told of the job by this run. */
  readonly isAnnounced?: boolean;
}

/** What the words for a request are made of: of one, too, that only its status comment remembers. */
export type Tellable = Pick<
  Known,
  'command' | 'threadNumber' | 'isCommand' | 'asked' | 'answeredJob' | 'prompt'
>;

const shownPromptCharacters = 2_000;

/** What is saved for `post`: a long prompt only as far as a comment shows it. */
export function serialize(known: Known): string {
  const { prompt } = known;
  const shown = prompt === undefined ? known : { ...known, prompt: shownPrompt(prompt) };
  return JSON.stringify(savedSchema.parse(shown));
}

/** The same, read back. */
export function parseSaved(text: string): Known {
  return savedSchema.parse(JSON.parse(text));
}

/** A prompt as far as it is shown to people. */
export function shownPrompt(prompt: string): string {
  return capped(prompt, shownPromptCharacters);
}

/** The job to speak of, whether the service or only the thread has told of it. */
export function jobIdOf({ asked, answeredJob }: Pick<Known, 'asked' | 'answeredJob'>): string | undefined {
  return asked.is === 'yes' ? asked.jobId : answeredJob?.id;
}

/** The job to speak of, as the service last told it to this run. */
export function jobOf({ asked, answeredJob }: Pick<Known, 'asked' | 'answeredJob'>): Job | undefined {
  return asked.is === 'yes' ? asked.job : answeredJob;
}

/** Whether the prompt goes to a job there was before. */
export function isFollowUp({ asked }: Pick<Known, 'asked'>): boolean {
  return asked.is !== 'no' && asked.by === 'messaging';
}
