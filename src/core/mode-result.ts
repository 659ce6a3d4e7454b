import type { SkipReason } from './reasons.ts';
import type { AnyResult } from './result.ts';

/** What a mode hands back to `run`: everything that goes into outputs, log and summary. */
export interface ModeResult<R extends AnyResult = AnyResult> {
  /** The output `result`, and with it `outcome` and `reason`. */
  readonly result: R;
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

/** Why a run is not for us. */
export interface Skipped {
  readonly reason: SkipReason;
  /** For the log. */
  readonly text: string;
}

/** A run that is not for us: green and silent. */
export function skipped({ reason, text }: Skipped): ModeResult {
  return {
    result: { outcome: 'skipped', reason },
    outputs: {},
    summary: undefined,
    message: { level: 'info', text },
    red: false,
  };
}
