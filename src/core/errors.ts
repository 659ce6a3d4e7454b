import { joinWithAnd } from '../text/counts.ts';
import { code, codeBlock, joinTexts } from '../text/markdown.ts';
import type { ErrorReason } from './reasons.ts';

export interface ActionErrorOptions {
  /**
   * What the run was doing and what happened, as the start of a Markdown sentence, such as
   * `Creating the job: …`.
   */
  readonly doing?: string | undefined;
  /** The message from the service, GitHub, or the system. In Markdown, it is shown as code. */
  readonly said?: string | undefined;
  /** What the reader can do about the error, as Markdown sentences. */
  readonly hint?: string | undefined;
  readonly cause?: unknown;
}

/** An error that users read. They read the cause first, then what to do, and then the details. */
export class ActionError extends Error implements ActionErrorOptions {
  override readonly name: string = 'ActionError';
  readonly reason: ErrorReason;
  /** The cause, as a Markdown sentence without its period. */
  readonly what: string;
  readonly doing: string | undefined;
  readonly said: string | undefined;
  readonly hint: string | undefined;

  constructor(reason: ErrorReason, what: string, options: ActionErrorOptions = {}) {
    const details = joinTexts([options.doing, options.said], ': ');
    super(details === '' ? what : `${what} (${details})`, options);
    this.reason = reason;
    this.what = what;
    this.doing = options.doing;
    this.said = options.said;
    this.hint = options.hint;
  }
}

type CauseAndHint = Pick<ActionError, 'what' | 'hint'>;

export interface InputProblem {
  /** Several inputs can have a problem together. */
  readonly inputs: readonly string[];
  /** The bad value. It is left out if it is a secret or doesn't help the reader. */
  readonly got?: string | undefined;
  /** What is wrong, as Markdown after the input's name: `must be true or false`. */
  readonly problem: string;
  /** What to do, as Markdown sentences. */
  readonly hint?: string | undefined;
}

/** All the bad inputs of a run, reported as one error. */
export class InputError extends ActionError {
  override readonly name = 'InputError';
  readonly problems: readonly InputProblem[];

  constructor(problems: readonly InputProblem[]) {
    const { what, hint } = combineProblems(problems);
    super('bad-input', what, { hint });
    this.problems = problems;
  }
}

function combineProblems(problems: readonly InputProblem[]): CauseAndHint {
  const all = problems.map(describeProblem);
  const [first] = all;
  if (first !== undefined && all.length === 1) return first;
  const list = all.map((problem) => `- ${describeBriefly(problem)}`);
  return { what: `${all.length} inputs are invalid`, hint: list.join('\n') };
}

function describeProblem(problem: InputProblem): CauseAndHint {
  const inputs = problem.inputs.map((name) => `\`${name}\``);
  const what = `${joinWithAnd(inputs)} ${problem.problem}`;
  const { got, hint } = problem;
  if (got === undefined || !problem.problem.startsWith('must')) return { what, hint };
  return { what: `${what}; it is ${code(got)}`, hint };
}

export function badInput(input: string, problem: string, hint?: string): InputError {
  return new InputError([{ inputs: [input], problem, hint }]);
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * An error's cause (`title`), the rest as plain `text`, and as Markdown, what to do and the
 * `details`.
 */
export function explain(error: unknown) {
  if (!(error instanceof ActionError)) {
    const title = 'A bug in this action; please report it';
    const text = messageOf(error);
    const details = codeBlock(text);
    return { reason: 'internal' as const, title, text, markdown: '', details };
  }
  const { doing, said } = error;
  const end = said === undefined ? '.' : ':';
  const details = [doing && `${doing}${end}`, said && codeBlock(said)];
  return {
    reason: error.reason,
    title: error.what,
    text: joinTexts([error.hint, joinTexts([doing, said], ': ')], '\n'),
    markdown: error.hint ?? '',
    details: joinTexts(details, '\n\n'),
  };
}

/** An error as plain text: its cause, what to do, and the details, each on its own line. */
export function describeError(error: unknown): string {
  return explainInLines(explain(error));
}

/** What `explain` returned, as plain text. */
export function explainInLines({ title, text }: Record<'title' | 'text', string>): string {
  return `${title}.\n${text}`.trimEnd();
}

/**
 * The cause of an error and what to do, as Markdown, without the details. A list begins on its own
 * line.
 */
export function describeBriefly({ what, hint = '' }: CauseAndHint): string {
  const separator = hint.startsWith('- ') ? '\n' : ' ';
  return `${what}.${separator}${hint}`.trimEnd();
}
