import * as z from 'zod/mini';
import { agentOutcomes, errorReasons, jobReasons, skipReasons } from './reasons.ts';

/*
 * The parts that the `result-schema.ts` of all modes share. `result.schema.json` is generated from them. The product imports
 * only their types, so none of this is in the bundle. A later release may add fields.
 */

/** A schema with its description. */
export function about<S extends z.ZodMiniType>(description: string, schema: S): S {
  return schema.check(z.describe(description));
}

/** A schema that is in the file once, under its name, and referenced elsewhere. */
export function named<S extends z.ZodMiniType>(id: string, description: string, schema: S): S {
  return schema.check(z.meta({ id, description }));
}

/** One thing that `result` can be. */
export function shape<S extends z.core.$ZodLooseShape>(id: string, description: string, fields: S) {
  return named(id, description, z.object({ version: z.literal(1), ...fields }));
}

/** One of these words, each with what it means. */
export function wordOf<W extends string>(words: Readonly<Record<W, string>>) {
  const names = Object.keys(words) as W[];
  return z.union(names.map((name) => about(words[name], z.literal(name))));
}

export const whole = z.int().check(z.gte(0));
export const day = z.string().check(z.regex(/^\d{4}-\d{2}-\d{2}$/));

export const errorReason = named('errorReason', 'Why the work could not be done.', wordOf(errorReasons));
export const skipReason = named('skipReason', 'Why there was nothing to do.', wordOf(skipReasons));
export const failure = {
  outcome: z.literal('failed'),
  reason: errorReason,
  error: about(
    'What is wrong and what to do, for people; absent where the run was cancelled.',
    z.optional(z.string()),
  ),
};
const noMode = z.optional(z.never());
export const skippedResult = shape(
  'skipped',
  'A run that was for nothing this action does, in whichever mode.',
  { mode: noMode, outcome: z.literal('skipped'), reason: skipReason },
);
export const failedResult = shape('failed', 'An error before the work of a mode began, such as bad inputs.', {
  mode: noMode,
  ...failure,
});

/** A result as modes give it: `run` adds the version. */
export type Given<R> = R extends unknown ? Omit<R, 'version'> : never;

/* What it says of a request, whichever mode reports it. */

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
