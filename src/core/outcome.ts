/** How a run of agent mode ends, and what that means for the workflow. */
export const agentOutcomes = {
  'pr-created': 'The job completed and there is a pull request.',
  'no-changes':
    'The job completed without a pull request: nothing had to change, or the project commits directly.',
  archived: 'The job was archived.',
  failed: 'The job failed, or the run could not do its work; `reason` says which.',
  'timed-out':
    'The deadline passed before the job was seen to end: `deadline`, or `never-seen` where no look at it succeeded.',
  detached: 'The job goes on without this run: `wait: false`, or the run was cancelled.',
  answered: 'A `help` or `status` command, or a dry run, was answered.',
  skipped: 'The event was not for this action, or the docs need not follow the change.',
  denied: 'The commenter may not command the agent.',
} as const;
export type AgentOutcome = keyof typeof agentOutcomes;
export const agentOutcomeNames = Object.keys(agentOutcomes) as AgentOutcome[];

/** How a run of any mode ends. */
export const outcomes = {
  ...agentOutcomes,
  reported: 'The visitors report was written.',
  collected: 'The threads that nobody watched were looked through, and what has ended was told.',
} as const;

export type Outcome = keyof typeof outcomes;
