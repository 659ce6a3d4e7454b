import { capped, fenced, joined, shortCode } from '../text/markdown.ts';
import type { ErrorReason } from './reasons.ts';

export interface ActionErrorOptions {
  /** What the run was doing and what happened, as the start of a Markdown sentence, such as `Creating the job: …`. */
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

  constructor(
    reason: ErrorReason,
    what: string,
    { doing, said, hint, cause }: ActionErrorOptions = {},
  ) {
    const details = joined([doing, said], ': ');
    super(
      details === '' ? what : `${what} (${details})`,
      cause === undefined ? undefined : { cause },
    );
    this.reason = reason;
    this.what = what;
    this.doing = doing;
    this.said = said;
    this.hint = hint;
  }
}

export interface InputProblem {
  /** The input, or several inputs that have the problem together. */
  readonly input: string | readonly string[];
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
    const all = problems.map(({ input, got, problem, hint }) => {
      const names = new Intl.ListFormat('en').format([input].flat().map((name) => `\`${name}\``));
      const value =
        got !== undefined && problem.startsWith('must') ? `; it is ${shortCode(got)}` : '';
      return { what: `${names} ${problem}${value}`, hint };
    });
    const hint = all.map((problem) => `- ${inOurWords(problem)}`).join('\n');
    const [only = { what: '', hint: '' }, ...others] = all;
    const { what, ...more } =
      others.length === 0 ? only : { what: `${all.length} inputs are invalid`, hint };
    super('bad-input', what, more);
    this.problems = problems;
  }
}

export function badInput(input: string, problem: string, hint?: string): InputError {
  return new InputError([{ input, problem, hint }]);
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** An error's cause (`title`), the rest as plain `text`, and as Markdown, what to do and the `details`. */
export function explain(error: unknown) {
  const shownAsCode = (text: string) => fenced(capped(text, 1_000));
  if (!(error instanceof ActionError)) {
    const [title, text] = ['A bug in this action; please report it', messageOf(error)];
    return { reason: 'internal' as const, title, text, markdown: '', details: shownAsCode(text) };
  }
  const { reason, what: title, doing, said, hint } = error;
  const shownDoing = doing && `${doing}${said === undefined ? '.' : ':'}`;
  const details = joined([shownDoing, said && shownAsCode(said)], '\n\n');
  const text = joined([hint, joined([doing, said], ': ')], '\n');
  return { reason, title, text, markdown: hint ?? '', details };
}

/** An error as plain text: its cause, what to do, and the details, each on its own line. */
export function describeError(error: unknown): string {
  return inLines(explain(error));
}

/** What `explain` returned, as plain text. */
export function inLines({
  title,
  text,
}: Pick<ReturnType<typeof explain>, 'title' | 'text'>): string {
  return `${title}.\n${text}`.trimEnd();
}

/** The cause of an error and what to do, as Markdown, without the details. A list begins on its own line. */
export function inOurWords({ what, hint = '' }: Pick<ActionError, 'what' | 'hint'>): string {
  return `${what}.${hint.startsWith('- ') ? '\n' : ' '}${hint}`.trimEnd();
}
