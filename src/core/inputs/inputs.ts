import * as z from 'zod/mini';
import { firstFew } from '../../text/first-few.ts';

/** What the README and action.yml say of an input. */
export interface InputDoc {
  readonly description: string;
  readonly required?: boolean;
  /** A default that the runner fills in itself, such as `${{ github.token }}`. */
  readonly runnerDefault?: string;
}

/** The documentation of every input, kept beside its schema: `scripts/generate-docs.ts` writes both files from it. */
export const inputDocs = z.registry<InputDoc>();

/** Gives a schema its documentation. */
export function input<S extends z.ZodMiniType>(schema: S, doc: InputDoc): S {
  inputDocs.add(schema, doc);
  return schema;
}

/*
 * Every schema reads the trimmed text of one input (unset inputs are absent) and fails with one message: what it takes.
 */

/** Any text. */
export const text = z.string('a value; it is required');

/** `true` or `false`, in the spellings of YAML 1.2's core schema. */
export const flag = z.pipe(
  text.check(z.regex(/^(true|True|TRUE|false|False|FALSE)$/, 'true or false')),
  z.transform((value) => value.toLowerCase() === 'true'),
);

/** A whole number within bounds, in plain digits. */
export function wholeNumber(least: number, most: number) {
  const takes = `a whole number from ${least} to ${most}`;
  return z.pipe(
    z.pipe(text.check(z.regex(/^\d{1,15}$/, takes)), z.transform(Number)),
    z.number().check(z.gte(least, takes), z.lte(most, takes)),
  );
}

/** A number of days, such as `7 days`; NaN for any other text. */
export function daysIn(value: string): number {
  return Number(value.match(/^([1-9]\d{0,3}) days?$/)?.[1]);
}

/** What is wrong with the lines of an input: the first five mistakes, and how many more there are. */
export function mistakesIn(mistakes: readonly string[]): string {
  return firstFew(mistakes, 5).join('; ');
}

/** One of a few words. */
export function oneOf<const W extends readonly [string, ...string[]]>(words: W) {
  return z.enum(words, `one of ${words.join(', ')}`);
}

/** Several values, on separate lines or parted by commas. */
export const list = z.pipe(
  text,
  z.transform((value) =>
    value
      .split(/[\n,]/)
      .map((item) => item.trim())
      .filter((item) => item !== ''),
  ),
);

/** Several values, on separate lines, for values that may hold a comma. */
export const lines = z.pipe(
  text,
  z.transform((value) =>
    value
      .split('\n')
      .map((item) => item.trim())
      .filter((item) => item !== ''),
  ),
);
