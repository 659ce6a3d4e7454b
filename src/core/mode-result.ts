import { explain } from './errors.ts';
import type { AgentReason, Outcome, ReportReason, SkipReason } from './reasons.ts';

/** What a mode returns: its outputs, the last log line, and the job summary. */
export interface ModeResult {
  /** The output `result`, as described in result.schema.json. */
  readonly result: {
    readonly outcome: Outcome;
    readonly reason: AgentReason | ReportReason;
    /** The mode's own fields. */
    readonly [field: string]: unknown;
  };
  /** The mode's other outputs, by name. */
  readonly outputs: Readonly<Record<string, string>>;
  /** The job summary, as Markdown; `undefined` for none. */
  readonly summary: string | undefined;
  /** The last line of the log. */
  readonly message: {
    readonly level: 'info' | 'notice' | 'warning' | 'error';
    readonly title?: string;
    readonly text: string;
  };
  readonly red: boolean;
}

/** The result of a run that has nothing to do. The step passes, and only the log says why. */
export function skipped({ reason, text }: { reason: SkipReason; text: string }): ModeResult {
  return {
    result: { outcome: 'skipped', reason },
    outputs: {},
    summary: undefined,
    message: { level: 'info', text },
    red: false,
  };
}

/**
 * The result of a run that ended with an error. The step fails, except after a cancellation, which the runner reports.
 *
 * @param fields the mode's own fields of the result.
 */
export function resultOfError(error: unknown, fields: Readonly<Record<string, unknown>> = {}): ModeResult {
  const { reason, title, text, markdown } = explain(error);
  const red = reason !== 'cancelled';
  return {
    result: { outcome: 'failed', reason, ...(red ? { error: text } : {}), ...fields },
    outputs: {},
    summary: red ? `### ❌ ${title}\n\n${markdown}\n` : undefined,
    message: red
      ? { level: 'error', title: `Docs Agent: ${title}`, text }
      : { level: 'warning', title: 'Canceled', text },
    red,
  };
}
