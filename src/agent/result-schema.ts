import * as z from 'zod/mini';
import { about, agentReason, type Given, outcome, pullRequest, shape, whole } from '../core/result.ts';

const job = z.object({
  id: about('Its id.', z.string()),
  status: about(
    'The status the service last told: `active`, `completed`, `archived`, `failed`, or one of later days; null where it was not seen.',
    z.nullable(z.string()),
  ),
  model: about('The model that is at work; null where the service does not tell.', z.nullable(z.string())),
  source: about(
    'Where the documentation comes from; null, or without a field, where the service does not tell.',
    z.nullable(
      z.object({
        repository: about('The repository.', z.optional(z.nullable(z.string()))),
        ref: about('The branch or another reference.', z.optional(z.nullable(z.string()))),
      }),
    ),
  ),
});

/** The output `result`. */
export const agentResult = shape('agent', 'Agent mode.', {
  mode: z.literal('agent'),
  outcome,
  reason: agentReason,
  job: about('The job; null while there is none, or none is known.', z.nullable(job)),
  pullRequest,
  commentUrl: about('Address of the status comment; null without one.', z.nullable(z.string())),
  followUp: about('Whether the prompt went to a job there was before.', z.boolean()),
  durationMs: about('How long the run took, in milliseconds.', whole),
  dryRun: about('What the run would have done; with `dry-run: true` alone.', z.optional(z.string())),
  error: about('What the run fell over, for people; absent where it did not.', z.optional(z.string())),
});

export type AgentResult = Given<z.infer<typeof agentResult>>;
