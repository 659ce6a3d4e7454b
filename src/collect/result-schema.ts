import * as z from 'zod/mini';
import { collectReasons, errorReasons } from '../core/reasons.ts';
import {
  about,
  agentReason,
  failure,
  type Given,
  outcome,
  pullRequest,
  shape,
  whole,
  wordOf,
} from '../core/result.ts';

/** What was done for one status comment. */
const collectedJob = z.object({
  project: about(
    'Whose job it is, by id; absent where the run is about one project.',
    z.optional(z.string()),
  ),
  thread: about('Number of the issue or pull request.', whole),
  commentUrl: about('Address of the status comment.', z.string()),
  jobId: about('The job; null where it is not known whether there is one.', z.nullable(z.string())),
  askedAt: about('When the agent was asked, as an ISO date.', z.iso.datetime()),
  outcome: about('How it ended; null while the job is at work.', z.nullable(outcome)),
  reason: about('Why it ended so; null while the job is at work.', z.nullable(agentReason)),
  pullRequest,
});

const collect = shape('collect', 'Collect mode, also where it was cancelled while it told what has ended.', {
  mode: z.literal('collect'),
  outcome: z.enum(['collected', 'failed']),
  reason: wordOf({ ...collectReasons, cancelled: errorReasons.cancelled }),
  finished: about('How many status comments were brought to their end.', whole),
  stillActive: about('How many wait for a job that is still at work.', whole),
  left: about('How many are left for the next run.', whole),
  jobs: about('Those that were brought to their end, and those still at work.', z.array(collectedJob)),
});

const failedCollect = shape('failedCollect', 'Collect mode that could not do its work.', {
  mode: z.literal('collect'),
  ...failure,
});

/** All that the output `result` can be. */
export const collectResults = [collect, failedCollect];

export type CollectResult = Given<z.infer<typeof collect>>;
export type CollectedJob = z.infer<typeof collectedJob>;
