import { explain } from './errors.ts';
import type { AgentReason, Outcome, ReportReason, SkipReason } from './reasons.ts';

/** What a mode hands back to `run`: everything that goes into outputs, log and summary. */
export interface ModeResult {
  /** The output `result`, as result.schema.json has it, and with it `outcome` and `reason`. */
  readonly result: {
    readonly outcome: Outcome;
    readonly reason: AgentReason | ReportReason;
    /** The mode's own. */
    readonly [field: string]: unknown;
  };
  /** The other outputs; values of the `result` object by their own names. */
  readonly outputs: Readonly<Record<string, string>>;
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

/** A run that is not for us: green and silent. `text` is for the log. */
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

/** A run that an error ended. It fails the step unless it was cancelled: the runner marks a cancelled job itself. */
export function resultOfError(error: unknown): ModeResult {
  const { reason, title, text, markdown } = explain(error);
  const red = reason !== 'cancelled';
  return {
    result: { outcome: 'failed', reason, ...(red ? { error: text } : {}) },
    outputs: {},
    summary: red ? `### ❌ ${title}\n\n${markdown}\n` : undefined,
    message: red
      ? { level: 'error', title: `Docs Agent: ${title}`, text }
      : { level: 'warning', title: 'Cancelled', text },
    red,
  };
}
