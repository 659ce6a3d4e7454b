import * as z from 'zod/mini';
import type { Phase } from '../../requests/marker.ts';

/** What the thread has been told. `unknown`: it was not looked at yet, or a new comment was sent and no answer came. */
const told = ['unknown', 'nothing', 'claimed', 'at work', 'the end'] as const;
export type Told = (typeof told)[number];

/** The status comment of a run, as far as the run knows it. Only its thread changes it. */
export const statusCommentSchema = z.object({
  told: z.enum(told),
  /** The outcome that stands there as the end. */
  outcome: z.optional(z.string()),
  comment: z.optional(z.object({ id: z.number(), url: z.string(), body: z.string() })),
  /** The claim's generation; 0 before there is one. */
  generation: z.number(),
  /** Who our comments are from, once GitHub has taken one. */
  login: z.optional(z.string()),
  /**
   * Since when a write is open, in milliseconds since the epoch: it was sent, and no answer tells whether GitHub has carried
   * it out. It may still land, beside or over what was written after it.
   */
  openSinceMs: z.optional(z.number()),
  /** Somebody deleted it: nothing more is written. */
  isDeleted: z.optional(z.boolean()),
});
export type StatusComment = z.infer<typeof statusCommentSchema>;

/** What a comment in this phase has told. */
export function toldBy(phase: Phase): Told {
  switch (phase) {
    case 'claimed':
      return 'claimed';
    case 'working':
      return 'at work';
    default:
      return 'the end';
  }
}
