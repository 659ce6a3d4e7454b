import { outcomes } from './outcome.ts';

/** The outputs of every mode, by name, with what they hold. */
export const commonOutputs = {
  outcome: `How the run ended: ${Object.keys(outcomes)
    .map((name) => `\`${name}\``)
    .join(', ')}.`,
  reason:
    'A stable code that says why, such as `pull-request`, `job-failed`, `bad-input` or `rate-limited`; of a report `complete`, `incomplete` or `no-visits`; of collecting `complete` or `incomplete`.',
  result:
    'All of it as one JSON object with `"version": 1`; of a report of several projects, `projects` has what is each one’s.',
} as const;
