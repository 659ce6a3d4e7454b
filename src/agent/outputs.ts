/** The outputs of agent mode, by name, with what they hold. */
export const agentOutputs = {
  'job-id': 'The job; set the moment it is known.',
  'job-status': 'The status the service last told: `active`, `completed`, `archived`, `failed`.',
  'pr-link': 'Address of the pull request; empty without one.',
  'pr-number': 'Its number, where the address has a known shape.',
  'comment-url': 'Address of the status comment; empty without one.',
} as const;
