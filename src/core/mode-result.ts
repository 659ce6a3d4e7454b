import { explain } from './errors.ts';
import type { AgentReason, Outcome, ReportReason, SkipReason } from './reasons.ts';

/** What a mode returns to `run`: everything for outputs, log, and summary. */
export interface ModeResult {
  /** The output `result`, as result.schema.json describes it, including `outcome` and `reason`. */
  readonly result: {
    readonly outcome: Outcome;
    readonly reason: AgentReason | ReportReason;
    /** The mode's own fields. */
    readonly [field: string]: unknown;
  };
  /** The other outputs: values of the `result` object under their own names. */
  readonly outputs: Readonly<Record<string, string>>;
  /** Markdown for the job summary; `undefined` for a run that should stay silent. */
  readonly summary: string | undefined;
  /** The last line of the log. */
  readonly message: {
    readonly level: 'info' | 'notice' | 'warning' | 'error';
    readonly title?: string;
    readonly text: string;
  };
  /** Whether the step fails. */
  readonly red: boolean;
}

/** A run with nothing to do: green and silent. `text` is for the log. */
export function skipped(why: { readonly reason: SkipReason; readonly text: string }): ModeResult {
  const { reason, text } = why;
  return {
    result: { outcome: 'skipped', reason },
    outputs: {},
    summary: undefined,
    message: { level: 'info', text },
    red: false,
  };
}

/**
 * The result of a run that ended in an error. It fails the step unless it was canceled: the runner marks a canceled job itself.
 */
export function resultOfError(error: unknown): ModeResult {
  const { reason, title, text, markdown } = explain(error);
  const red = reason !== 'cancelled';
  return {
    result: { outcome: 'failed', reason, ...(red ? { error: text } : {}) },
    outputs: {},
    summary: red ? `### ❌ ${title}\n\n${markdown}\n` : undefined,
    message: red
      ? { level: 'error', title: `Docs Agent: ${title}`, text }
      : { level: 'warning', title: 'Canceled', text },
    red,
  };
}
