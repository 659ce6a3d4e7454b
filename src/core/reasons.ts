/* The values of the outputs `outcome` and `reason`. Workflows depend on them. result.schema.json describes each one. */

/** How a run in agent mode can end. */
export const agentOutcomes = [
  'pr-created',
  'no-changes',
  'archived',
  'failed',
  'timed-out',
  'detached',
  'answered',
  'skipped',
  'denied',
] as const;
export type AgentOutcome = (typeof agentOutcomes)[number];

/** How a run in any mode can end. */
export type Outcome = AgentOutcome | 'reported' | 'collected';

/** The reasons for errors. A run that ends with one of them has the outcome `failed`. */
export const errorReasons = [
  'bad-input',
  'unauthorized',
  'forbidden',
  'not-found',
  'rate-limited',
  'unconfirmed',
  'newer-version',
  'unreachable',
  'timeout',
  'service-error',
  'invalid-response',
  'redirected',
  'bad-request',
  'budget-spent',
  'github-error',
  'file-error',
  'cancelled',
  'internal',
] as const;
export type ErrorReason = (typeof errorReasons)[number];

/** More reasons in agent mode: how the job or the run ended, or which reply the command got. */
export const jobReasons = [
  'pull-request',
  'unusable-pr-link',
  'no-pull-request',
  'job-archived',
  'job-failed',
  'follow-up-unseen',
  'deadline',
  'never-seen',
  'given-up',
  'not-waited',
  'interrupted',
  'key-changed',
  'help',
  'status',
  'dry-run',
  'permission',
  'permission-unknown',
] as const;
export type JobReason = (typeof jobReasons)[number];

/** Why a run was skipped. */
export const skipReasons = [
  'no-secrets',
  'no-command',
  'not-created',
  'own-comment',
  'unlisted-bot',
  'wrong-event',
  'not-merged',
  'not-allowed',
  'part-of-review',
  'deleted',
  'another-run',
  'own-change',
  'bot-change',
  'skip-docs',
  'no-base',
  'no-relevant-changes',
] as const;
export type SkipReason = (typeof skipReasons)[number];

/** Every reason in agent mode. */
export type AgentReason = JobReason | SkipReason | ErrorReason;

/** The reasons for a report, for one project in a report, and (except `no-visits`) for a run in collect mode. */
export const reportReasons = ['complete', 'incomplete', 'no-visits'] as const;
export type ReportReason = (typeof reportReasons)[number];
