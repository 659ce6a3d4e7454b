import * as z from 'zod/mini';
import { agentOutcomes } from '../core/outcome.ts';
import { jobReasons } from '../core/reasons.ts';
import { about, errorReason, named, skipReason, wordOf } from '../core/result.ts';

/* What the output `result` says of a request, whichever mode reports it. */

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
