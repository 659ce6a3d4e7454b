import { capped, fenced, shortCode } from '../text/markdown.ts';
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

export interface InputProblem {
  readonly input: string;
  /** The value as it may be shown; `undefined` for a secret, or where it says nothing. */
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
  /** A sentence without its full stop. */
  readonly title: string;
  /** What is wrong and what to do, for a log. */
  readonly text: string;
  /** The same as Markdown: our words as prose, which wraps, and all others as code. */
  readonly markdown: string;
}

/** What to tell people about an error. */
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
      title: 'The run could not do its work',
      text: hint === '' ? message : `${ended(message)}\n${hint}`,
      markdown: [inOurWords(error), ...(said === undefined ? [] : [shownAsCode(said)])].join('\n\n'),
    };
  }
  const text = messageOf(error);
  return { reason: 'internal', title: 'There is a defect in this action', text, markdown: shownAsCode(text) };
}

/** What is wrong and what to do about it, as Markdown, without what others said of it. */
export function inOurWords({ what, hint = '' }: Pick<ActionError, 'what' | 'hint'>): string {
  return `${what}. ${hint}`.trimEnd();
}

/** A sentence with its full stop; words that are not ours may have one. */
function ended(sentence: string): string {
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}

function shownAsCode(text: string): string {
  return fenced(capped(text, 1_000));
}
