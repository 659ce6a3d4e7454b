import * as z from 'zod/mini';
import { agentOutcomes } from '../core/outcome.ts';
import { jobReasons } from '../core/reasons.ts';
import { about, errorReason, type Given, named, shape, skipReason, whole, wordOf } from '../core/result.ts';

export const outcome = named('outcome', 'How the job, or the run, ended.', wordOf(agentOutcomes));
const jobReason = named(
  'jobReason',
  'Why the job, or the run that follows it, ended so.',
  wordOf(jobReasons),
);
export const agentReason = named(
  'agentReason',
  'Why the run, or the job, ended so.',
  z.union([jobReason, skipReason, errorReason]),
);

export const pullRequest = named(
  'pullRequest',
  'The pull request of a job; null without one.',
  z.nullable(
    z.object({
      url: about('Its address, https.', z.string()),
      number: about('Its number; empty where the address has no known shape.', z.string()),
    }),
  ),
);

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
