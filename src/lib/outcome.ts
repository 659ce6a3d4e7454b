/** How a run ends, and what that means for the workflow. */
export const outcomes = {
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
  reported: 'The visitors report was written.',
  collected: 'The threads that nobody watched were looked through, and what has ended was told.',
} as const;

export type Outcome = keyof typeof outcomes;
export const outcomeNames = Object.keys(outcomes) as Outcome[];

/** Endings a user may list in `fail-on` to turn the step red. */
export const failOnValues = [
  'failed',
  'timed-out',
  'archived',
  'no-changes',
  'detached',
  'incomplete',
  'alert',
] as const;

/** What a mode hands back to `run`: everything that goes into outputs, log and summary. */
export interface ModeResult {
  readonly outcome: Outcome;
  /** A stable code that says why, for workflows to branch on. */
  readonly reason: string;
  /** Outputs besides `outcome`, `reason` and `result`; values of the `result` object by their own names. */
  readonly outputs: Readonly<Record<string, string>>;
  /** What `result` carries besides version, outcome and reason. */
  readonly result: Readonly<Record<string, unknown>>;
  /** Markdown for the job summary; none for a run that should stay silent. */
  readonly summary: string | undefined;
  /** The last line of the log. */
  readonly message: {
    readonly level: 'info' | 'notice' | 'warning' | 'error';
    readonly title?: string;
    readonly text: string;
  };
  /** Whether the step ends red. */
  readonly red: boolean;
}

/** A run that is not for us: green and silent. */
export function skipped({ reason, text }: { readonly reason: string; readonly text: string }): ModeResult {
  return {
    outcome: 'skipped',
    reason,
    outputs: {},
    result: {},
    summary: undefined,
    message: { level: 'info', text },
    red: false,
  };
}
