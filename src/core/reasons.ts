/*
 * How and why a run ends: the outputs `outcome` and `reason`, stable codes for workflows to branch on. result.schema.json says
 * what each one means.
 */

/** How an agent mode run ends. */
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

/** How a run in any mode ends. */
export type Outcome = AgentOutcome | 'reported' | 'collected';

/** The reasons an `ActionError` can have. Each ends a run as `failed`. */
export const errorReasons = [
  'bad-input',
  'unauthorized',
  'forbidden',
  'not-found',
  'rate-limited',
  'unconfirmed',
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

/** More reasons of agent mode: how a job or its run ended, or what was asked instead of a job. */
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

/** Why there was nothing to do. */
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
  'nothing-left',
] as const;
export type SkipReason = (typeof skipReasons)[number];

/** Every reason of agent mode. */
export type AgentReason = (typeof jobReasons)[number] | SkipReason | ErrorReason;

/** The reasons of a report, a project in it, or a collect run (except `no-visits`). */
export const reportReasons = ['complete', 'incomplete', 'no-visits'] as const;
export type ReportReason = (typeof reportReasons)[number];
