import * as z from 'zod/mini';
import { jobSchema } from '../service/schemas.ts';

/**
 * How far a run has come with its one request. `sending` is the only stage in which nobody can know whether the service
 * has a job.
 */
const stages = ['starting', 'claimed', 'sending', 'following', 'ended'] as const;

const shownPromptCharacters = 2_000;

/** What `post` needs to finish the thread of a run that was killed: plain data, without a secret. */
export const progressSchema = z.object({
  stage: z.enum(stages),
  key: z.string(),
  thread: z.optional(z.number()),
  /** The status comment. */
  comment: z.optional(z.object({ id: z.number(), url: z.string(), body: z.string() })),
  /** The comment that asked, for reactions. */
  sourceCommentId: z.optional(z.number()),
  asker: z.optional(z.string()),
  command: z.string(),
  prompt: z.optional(z.string()),
  removed: z.number(),
  /** Whether the prompt goes to a job there was before. */
  followUp: z.boolean(),
  notes: z.array(z.string()),
  job: z.optional(jobSchema),
  /** What `help` or `status` was answered, as Markdown. */
  answer: z.optional(z.string()),
  beganAtMs: z.number(),
  /** When the agent was asked, by this run or the one it goes on from; absent where that tells nothing of the time taken. */
  askedAtMs: z.optional(z.number()),
  watchedUntilMs: z.optional(z.number()),
});

/** What a run has done so far; changed in place, since an error or a cancellation must find it as it is. */
export type Progress = z.infer<typeof progressSchema>;
export type Stage = Progress['stage'];

/** The progress as it goes into the runner's state: a long prompt only as far as a comment shows it. */
export function serialize(progress: Progress): string {
  const { prompt, ...rest } = progress;
  return JSON.stringify({ ...rest, ...(prompt === undefined ? {} : { prompt: shownPrompt(prompt) }) });
}

export function shownPrompt(prompt: string): string {
  const characters = Array.from(prompt);
  if (characters.length <= shownPromptCharacters) return prompt;
  const hidden = characters.length - shownPromptCharacters;
  return `${characters.slice(0, shownPromptCharacters).join('')}…\n(${hidden.toLocaleString('en')} more characters)`;
}
