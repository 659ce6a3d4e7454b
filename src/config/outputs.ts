import { outcomes } from '../lib/outcome.ts';

/** The outputs of agent mode and of every mode, by name, with what they hold. */
export const commonOutputs = {
  outcome: `How the run ended: ${Object.keys(outcomes)
    .map((name) => `\`${name}\``)
    .join(', ')}.`,
  reason: 'A stable code that says why, such as `pull-request`, `job-failed`, `bad-input` or `rate-limited`.',
  result: 'All of it as one JSON object with `"version": 1`.',
} as const;

export const agentOutputs = {
  'job-id': 'The job; set the moment it is known.',
  'job-status': 'The status the service last told: `active`, `completed`, `archived`, `failed`.',
  'pr-link': 'Address of the pull request; empty without one.',
  'pr-number': 'Its number, where the address has a known shape.',
  'comment-url': 'Address of the status comment; empty without one.',
} as const;
