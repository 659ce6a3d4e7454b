import { capped, fenced, shortCode } from '../text/markdown.ts';
import type { ErrorReason } from './reasons.ts';

export interface ActionErrorOptions {
  /** Someone else's words. Markdown shows them as code. */
  readonly said?: string | undefined;
  /** What the reader can do about it, as Markdown sentences. */
  readonly hint?: string | undefined;
  readonly cause?: unknown;
}

/** An error for users to read: what went wrong, a reason code, and what to do. */
export class ActionError extends Error {
  override readonly name: string = 'ActionError';
  readonly reason: ErrorReason;
  /** What went wrong, in our words, as a Markdown sentence without its period. */
  readonly what: string;
  /** The words of the service, GitHub, or the system. */
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
  /** The value, safe to show; `undefined` for a secret, or if it wouldn't help. */
  readonly got?: string | undefined;
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

/** One line of Markdown. */
function describeProblem({ input, got, takes }: InputProblem): string {
  return got === undefined ? `\`${input}\`: ${takes}` : `\`${input}\`: got ${shortCode(got)}; takes ${takes}`;
}

/** The message of anything thrown, without its stack. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

interface Explained {
  readonly reason: ErrorReason;
  /** A sentence without its period. */
  readonly title: string;
  /** What went wrong and what to do, for a log. */
  readonly text: string;
  /** The same as Markdown: our words as prose, which wraps, and all other words as code. */
  readonly markdown: string;
}

/** What people read about an error. */
export function explain(error: unknown): Explained {
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
      text: hint === '' ? message : `${ended(message)}\n${hint}`,
      markdown: [inOurWords(error), ...(said === undefined ? [] : [shownAsCode(said)])].join('\n\n'),
    };
  }
  const text = messageOf(error);
  return {
    reason: 'internal',
    title: 'A bug in this action; please report it',
    text,
    markdown: shownAsCode(text),
  };
}

/** What went wrong and what to do, as Markdown, without anyone else's words. */
export function inOurWords({ what, hint = '' }: Pick<ActionError, 'what' | 'hint'>): string {
  return `${what}. ${hint}`.trimEnd();
}

/** A sentence with its period; someone else's words may already have one. */
function ended(sentence: string): string {
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}

function shownAsCode(text: string): string {
  return fenced(capped(text, 1_000));
}
