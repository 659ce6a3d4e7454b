/*
 * How and why a run ends: the outputs `outcome` and `reason`, stable words for workflows to branch on, each with what it means.
 * The README, action.yml and `result.schema.json` are written from them.
 */

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

/** What an `ActionError` may carry. Each of them ends a run as `failed`. */
export const errorReasons = {
  'bad-input': 'Inputs are wrong; nothing was sent.',
  unauthorized: 'The API key is wrong or has expired.',
  forbidden: 'The API key may not do this.',
  'not-found': 'There is no such project or job.',
  'rate-limited':
    'The hourly limit is reached (100 uses a project for jobs and messages); the message says when to come back.',
  unconfirmed:
    'It cannot be known whether the service took the request. Look into its dashboard before asking again.',
  unreachable: 'The service could not be reached.',
  timeout: 'The service did not answer in time.',
  'service-error': 'The service had a problem of its own.',
  'invalid-response': 'The service answered with something else than its interface has.',
  redirected: 'The service answered with a redirect, which was not followed.',
  'bad-request': 'The service did not accept the request.',
  'budget-spent': '`max-requests` was used up before there was anything to report.',
  'github-error':
    'GitHub could not be reached, or a permission is missing, before anything was asked of the agent.',
  'file-error': 'A file could not be written.',
  cancelled:
    'The run was cancelled before anything was asked of the agent, or before all was reported or collected; a job that was asked for goes on, as `detached`.',
  internal: 'There is a defect in this action.',
} as const;
export type ErrorReason = keyof typeof errorReasons;

/** Of agent mode besides: how a job ended, or the run that follows it, or what was asked instead of a job. */
export const jobReasons = {
  'pull-request': 'There is a pull request.',
  'unusable-pr-link': 'There is a pull request, but its address is no https link that can be handed on.',
  'no-pull-request': 'The job completed without a pull request.',
  'job-archived': 'The job was archived.',
  'job-failed': 'The agent hit an unrecoverable error. The service gives no details; its dashboard may.',
  'follow-up-unseen':
    'The job was not seen to take up the message: what it shows may be from before the message.',
  deadline: 'The job was still at work at the deadline.',
  'never-seen': 'No look at the job succeeded before the deadline.',
  'given-up': 'Collecting has looked for the job for as long as `collect-since` says; it was still at work.',
  'not-waited': 'The job was left to run: `wait: false`, or `--no-wait`.',
  interrupted: 'The run was killed: this stands in the output `reason` alone, and `result` is empty.',
  'key-changed':
    'The thread holds an answer to this request that was signed with another API key, so nothing was asked again.',
  help: 'Help was given.',
  status: 'The thread was told how its newest job stands.',
  'dry-run': 'It was told what would be asked, and nothing was.',
  permission: 'The commenter has less than the permission that `allow` asks for.',
  'permission-unknown': 'The permission of whoever asked could not be checked.',
} as const;

/** Why there was nothing to do. */
export const skipReasons = {
  'no-secrets': 'The run is of a fork or of Dependabot, which get no secrets from GitHub.',
  'no-command': 'The comment does not begin with the command.',
  'not-created': 'Something was edited or deleted, and not written anew.',
  'own-comment': 'The comment is one of this action’s own.',
  'unlisted-bot': 'Who wrote or acted is a bot that `allow-users` does not list.',
  'wrong-event': 'The event carries nothing that the agent could be asked about.',
  'not-merged': 'The pull request was closed without being merged.',
  'not-allowed': 'Who started the run has less than the permission that `allow` asks for.',
  'another-run': 'Another run is at work on this request.',
  'own-change': 'The change is a pull request of the agent’s own.',
  'bot-change': 'The change is by a bot that `allow-users` does not list.',
  'skip-docs': 'The change says to skip the docs.',
  'no-base': 'There is nothing to compare the change with.',
  'no-relevant-changes': 'The change has no file that `paths` chooses.',
  'nothing-left': 'There was nothing left to finish.',
} as const;
export type SkipReason = keyof typeof skipReasons;

/** Of a run in agent mode. */
export type AgentReason = keyof typeof jobReasons | SkipReason | ErrorReason;

/** Of a run that looked through threads. */
export const collectReasons = {
  complete: 'Everything was read that was asked for.',
  incomplete: 'Something was left out; the summary says what, and which input to raise.',
} as const;

/** Of a report, or of one project in it. */
export const reportReasons = {
  ...collectReasons,
  'no-visits': 'No visits were recorded in the window.',
} as const;

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
