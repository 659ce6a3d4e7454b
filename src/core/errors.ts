import { shortCode } from '../text/markdown.ts';
import type { ErrorReason } from './reasons.ts';

export interface ActionErrorOptions {
  /** Words that are not ours. Markdown shows them as code. */
  readonly said?: string | undefined;
  /** What the reader can do about it, as sentences of Markdown. */
  readonly hint?: string | undefined;
  readonly cause?: unknown;
}

/** An error a user is meant to read: what is wrong, a reason code, and a hint what to do. */
export class ActionError extends Error {
  override readonly name: string = 'ActionError';
  readonly reason: ErrorReason;
  /** What is wrong, in our words, as a sentence of Markdown without its full stop. */
  readonly what: string;
  /** What the service, GitHub or the system said. */
  readonly said: string | undefined;
  readonly hint: string | undefined;

  constructor(reason: ErrorReason, what: string, { said, hint, cause }: ActionErrorOptions = {}) {
    super(said === undefined ? what : `${what}: ${said}`, cause === undefined ? undefined : { cause });
    this.reason = reason;
    this.what = what;
    this.said = said;
    this.hint = hint;
  }
}

/** One bad input: its name, what it got (never a secret), and what it takes. */
export interface InputProblem {
  readonly input: string;
  /** The value as it may be shown, or `undefined` where it must not or cannot be. */
  readonly got: string | undefined;
  /** As Markdown. */
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

/** What is wrong with an input, as one line of Markdown. */
export function describeProblem({ input, got, takes }: InputProblem): string {
  return got === undefined ? `\`${input}\`: ${takes}` : `\`${input}\`: got ${shortCode(got)}; takes ${takes}`;
}

/** The message of anything thrown, without its stack. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
