/**
 * Why a run ended as it did, as a stable code for the `reason` output. Error codes are those an `ActionError` may carry;
 * the codes of outcomes that are no errors stand beside the outcomes.
 */
export type ErrorReason =
  | 'bad-input'
  | 'unauthorized'
  | 'forbidden'
  | 'not-found'
  | 'bad-request'
  | 'rate-limited'
  | 'service-error'
  | 'unreachable'
  | 'timeout'
  | 'redirected'
  | 'invalid-response'
  | 'unconfirmed'
  | 'budget-spent'
  | 'cancelled'
  | 'github-error'
  | 'file-error'
  | 'internal';

export interface ActionErrorOptions {
  /** What the reader can do about it, as one sentence. */
  readonly hint?: string;
  readonly cause?: unknown;
}

/** An error a user is meant to read: a message that says what is wrong, a reason code, and a hint what to do. */
export class ActionError extends Error {
  override readonly name: string = 'ActionError';
  readonly reason: ErrorReason;
  readonly hint: string | undefined;

  constructor(reason: ErrorReason, message: string, options: ActionErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.reason = reason;
    this.hint = options.hint;
  }
}

/** One bad input: its name, what it got (never a secret), and what it takes. */
export interface InputProblem {
  readonly input: string;
  /** The value as it may be shown, or `undefined` where it must not or cannot be. */
  readonly got: string | undefined;
  readonly takes: string;
}

/** All bad inputs of a run, reported together. */
export class InputError extends ActionError {
  override readonly name = 'InputError';
  readonly problems: readonly InputProblem[];

  constructor(problems: readonly InputProblem[]) {
    super('bad-input', problems.map(describeProblem).join('\n'));
    this.problems = problems;
  }
}

/** `timeout-minutes: got "x"; takes …` on one line. */
export function describeProblem({ input, got, takes }: InputProblem): string {
  return got === undefined ? `${input}: ${takes}` : `${input}: got ${JSON.stringify(got)}; takes ${takes}`;
}

/** The message of anything thrown, without its stack. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
