import { ActionError, describeProblem, InputError, messageOf } from './errors.ts';
import { fenced } from './markdown.ts';
import type { ModeResult } from './outcome.ts';

/**
 * Errors are red, cancellation is not: the runner marks a cancelled job itself. Nothing goes on without this run; agent
 * mode, where a job may, says so in the end of its own.
 */
export function resultOfError(error: unknown): ModeResult {
  if (error instanceof ActionError && error.reason === 'cancelled') {
    return {
      outcome: 'failed',
      reason: 'cancelled',
      outputs: {},
      result: {},
      summary: undefined,
      message: { level: 'warning', title: 'Cancelled', text: error.message },
      red: false,
    };
  }
  const { reason, title, text } = explain(error);
  return {
    outcome: 'failed',
    reason,
    outputs: {},
    result: { error: text },
    summary: `### Docs Agent: ${title}\n\n${fenced(text)}\n`,
    message: { level: 'error', title: `Docs Agent: ${title}`, text },
    red: true,
  };
}

function explain(error: unknown): { reason: string; title: string; text: string } {
  if (error instanceof InputError) {
    const [count, text] = [error.problems.length, error.problems.map(describeProblem).join('\n')];
    return {
      reason: error.reason,
      title: count === 1 ? 'one input is wrong' : `${count} inputs are wrong`,
      text,
    };
  }
  if (error instanceof ActionError) {
    const text = error.hint === undefined ? error.message : `${error.message}.\n${error.hint}`;
    return { reason: error.reason, title: 'the run could not do its work', text };
  }
  return { reason: 'internal', title: 'a defect in this action', text: messageOf(error) };
}
