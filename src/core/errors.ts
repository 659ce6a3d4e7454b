import { capped, fenced, shortCode } from '../text/markdown.ts';
import type { ErrorReason } from './reasons.ts';

export interface ActionErrorOptions {
  /** The message from the service, GitHub, or the system. In Markdown, it is shown as code. */
  readonly said?: string | undefined;
  /** What the reader can do about the error, as Markdown sentences. */
  readonly hint?: string | undefined;
  readonly cause?: unknown;
}

/** An error that users read: what went wrong, a reason code, and what to do about it. */
export class ActionError extends Error {
  override readonly name: string = 'ActionError';
  readonly reason: ErrorReason;
  /** What went wrong, as a Markdown sentence without its period. */
  readonly what: string;
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

export interface InputProblem {
  readonly input: string;
  /** The bad value. It is left out if it is a secret or doesn't help the reader. */
  readonly got?: string | undefined;
  /** What the input accepts, as Markdown. */
  readonly takes: string;
}

/** All the bad inputs of a run, reported as one error. */
export class InputError extends ActionError {
  override readonly name = 'InputError';
  readonly problems: readonly InputProblem[];

  constructor(problems: readonly InputProblem[]) {
    super('bad-input', problems.map(describeProblem).join('\n'));
    this.problems = problems;
  }
}

function describeProblem({ input, got, takes }: InputProblem): string {
  return got === undefined ? `\`${input}\`: ${takes}` : `\`${input}\`: got ${shortCode(got)}; takes ${takes}`;
}

/** The message of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What people read about an error. In Markdown, messages from the service, GitHub, and the system are shown as code. */
export function explain(error: unknown) {
  if (error instanceof InputError) {
    const problems = error.problems.map(describeProblem);
    const isOne = problems.length === 1;
    return {
      reason: error.reason,
      title: isOne ? 'One input is wrong' : `${problems.length} inputs are wrong`,
      text: problems.join('\n'),
      markdown: problems.map((problem) => (isOne ? problem : `- ${problem}`)).join('\n'),
    };
  }
  if (error instanceof ActionError) {
    const { reason, message, said, hint = '' } = error;
    return {
      reason,
      title: 'The run failed',
      // The message may already end with a period.
      text: hint === '' ? message : `${message.replace(/(?<![.!?])$/, '.')}\n${hint}`,
      markdown: [inOurWords(error), ...(said === undefined ? [] : [shownAsCode(said)])].join('\n\n'),
    };
  }
  const [title, text] = ['A bug in this action; please report it', messageOf(error)];
  return { reason: 'internal' as const, title, text, markdown: shownAsCode(text) };
}

/** What went wrong and what to do, as Markdown, without the message from the service, GitHub, or the system. */
export function inOurWords({ what, hint = '' }: Pick<ActionError, 'what' | 'hint'>): string {
  return `${what}. ${hint}`.trimEnd();
}

function shownAsCode(text: string): string {
  return fenced(capped(text, 1_000));
}
