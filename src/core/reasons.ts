/*
 * How a run can end. Workflows depend on it. result.schema.json describes outcomes and reasons, and
 * action.yml outputs.
 */

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
const jobReasons = [
  'pull-request',
  'unusable-pr-link',
  'no-pull-request',
  'job-archived',
  'job-failed',
  'follow-up-unseen',
  'deadline',
  'given-up',
  'not-waited',
  'interrupted',
  'key-changed',
  'help',
  'status',
  'dry-run',
  'permission',
  'permission-unknown',
  'max-jobs',
  'unrecorded',
] as const;
export type JobReason = (typeof jobReasons)[number];

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
  'locked',
  'own-change',
  'bot-change',
  'skip-docs',
  'no-base',
  'no-relevant-changes',
  'max-open',
  'not-ours',
] as const;
export type SkipReason = (typeof skipReasons)[number];

const agentReasons = [...jobReasons, ...skipReasons, ...errorReasons] as const;
export type AgentReason = (typeof agentReasons)[number];

/**
 * The reasons for a report, for one project in a report, and (except `no-visits`) for a run in
 * collect mode.
 */
const reportReasons = ['complete', 'incomplete', 'no-visits'] as const;
export type ReportReason = (typeof reportReasons)[number];

const agentOutputs = [
  'job-id',
  'job-status',
  'pr-link',
  'pr-number',
  'comment-url',
  'checks',
] as const;
const figures = [
  'total',
  'human',
  'ai',
  'ai-share',
  'change-percent',
  'period-start',
  'period-end',
] as const;
const files = ['report-file', 'csv-file', 'json-file', 'gaps-file'] as const;
const reportOutputs = [
  ...figures,
  'complete',
  'requests-used',
  'alerts',
  ...files,
  'digest',
  'comment-url',
] as const;
const collectOutputs = ['finished', 'still-active'] as const;

/**
 * How a run in each mode can end, besides `failed` with the reason of an error, and the outputs
 * that only this mode has.
 */
export const endings = {
  agent: { outcomes: agentOutcomes, reasons: agentReasons, outputs: agentOutputs },
  visitors: { outcomes: ['reported'], reasons: reportReasons, outputs: reportOutputs },
  collect: {
    outcomes: ['collected'],
    reasons: ['complete', 'incomplete'],
    outputs: collectOutputs,
  },
} as const;
