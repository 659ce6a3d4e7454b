import { explain, explainInLines } from './errors.ts';
import type { ErrorReason, endings, SkipReason } from './reasons.ts';

type ModeName = keyof typeof endings;

/** The values of the outputs that only one mode has. Their names are in `endings`. */
export type OutputsOf<Name extends ModeName> = Record<
  (typeof endings)[Name]['outputs'][number],
  string
>;

/** What a mode returns. `message` is the last line of the log. */
export interface ModeResult<Name extends ModeName = ModeName> {
  /** The output `result`, as described in result.schema.json. */
  readonly result: {
    readonly outcome: (typeof endings)[Name]['outcomes'][number] | 'failed' | 'skipped';
    readonly reason: (typeof endings)[Name]['reasons'][number] | ErrorReason | SkipReason;
    readonly [field: string]: unknown;
  };
  /** A run that failed may have only `requests-used`, or none. */
  readonly outputs: OutputsOf<Name> | { readonly 'requests-used'?: string };
  /** The job summary, as Markdown. */
  readonly summary: string | undefined;
  readonly message: {
    readonly level: 'info' | 'notice' | 'warning' | 'error';
    readonly title?: string;
    readonly text: string;
  };
  readonly red: boolean;
}

/** The result of a run that has nothing to do. The step passes, and only the log says why. */
export function skipResult({ reason, text }: { reason: SkipReason; text: string }) {
  const result = { outcome: 'skipped', reason } as const;
  const message = { level: 'info', text } as const;
  return { result, outputs: {}, summary: undefined, message, red: false };
}

/**
 * The result of a run that ended with an error. The step fails, except after a cancellation, which
 * the runner reports.
 */
export function resultOfError(error: unknown, fields: Readonly<Record<string, unknown>> = {}) {
  const explanation = explain(error);
  const { reason } = explanation;
  const text = explainInLines(explanation);
  if (reason === 'cancelled') {
    const result = { outcome: 'failed', reason, ...fields } as const;
    const message = { level: 'warning', title: 'Canceled', text } as const;
    return { result, outputs: {}, summary: undefined, message, red: false };
  }
  const result = { outcome: 'failed', reason, error: text, ...fields } as const;
  const summary = `### ❌ ${explanation.title}\n\n${explanation.markdown}`.trimEnd();
  const message = { level: 'error', title: 'Docs Agent', text } as const;
  return { result, outputs: {}, summary: `${summary}\n`, message, red: true };
}
