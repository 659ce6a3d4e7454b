import { capped, fenced } from '../text/markdown.ts';
import { ActionError, describeProblem, InputError, messageOf } from './errors.ts';
import type { ModeResult } from './mode-result.ts';
import type { ErrorReason } from './reasons.ts';
import type { Failure } from './result.ts';

const shownCharacters = 1_000;

/** What an error is, for people. */
export interface Explained {
  readonly reason: ErrorReason;
  /** A sentence without its full stop. */
  readonly title: string;
  /** What is wrong and what to do, for a log. */
  readonly text: string;
  /** The same as Markdown: our words as prose, which wraps, and all others as code. */
  readonly markdown: string;
}

/** What an error is, for people: its reason code, what is wrong, and what to do. */
export function explain(error: unknown): Explained {
  if (error instanceof InputError) {
    const problems = error.problems.map(describeProblem);
    const count = problems.length;
    return {
      reason: error.reason,
      title: count === 1 ? 'One input is wrong' : `${count} inputs are wrong`,
      text: problems.join('\n'),
      markdown: count === 1 ? problems.join('') : problems.map((problem) => `- ${problem}`).join('\n'),
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
  return {
    reason: 'internal',
    title: 'There is a defect in this action',
    text,
    markdown: shownAsCode(text),
  };
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
  return fenced(capped(text, shownCharacters));
}

/**
 * The result of a run that an error ended. Errors fail the step, cancellation does not: the runner marks a cancelled job
 * itself.
 */
export function resultOfError(error: unknown): ModeResult<Failure> {
  const { reason, title, text, markdown } = explain(error);
  if (reason === 'cancelled') {
    return {
      result: { outcome: 'failed', reason },
      outputs: {},
      summary: undefined,
      message: { level: 'warning', title: 'Cancelled', text },
      red: false,
    };
  }
  return {
    result: { outcome: 'failed', reason, error: text },
    outputs: {},
    summary: `### ❌ ${title}\n\n${markdown}\n`,
    message: { level: 'error', title: `Docs Agent: ${title}`, text },
    red: true,
  };
}
