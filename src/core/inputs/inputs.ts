import * as z from 'zod/mini';
import { firstFew } from '../../text/first-few.ts';

/** The text that an unset input is read as. */
export function defaultOf(schema: z.ZodMiniType | undefined): string | undefined {
  return schema instanceof z.ZodMiniPrefault ? String(schema.def.defaultValue) : undefined;
}

/** Rejects a value in a transform. `takes` says what the input accepts. */
export function refuse(context: z.core.ParsePayload, takes: string): never {
  context.issues.push({ code: 'custom', message: takes, input: context.value });
  return z.NEVER;
}

/** A schema with an asynchronous check. For a bad value, `takesOf` returns what the input accepts. */
export function checked<T>(
  schema: z.ZodMiniType<T, string>,
  takesOf: (value: T) => Promise<string | undefined>,
) {
  return z.pipe(
    schema,
    z.transform(async (value: T, context) => {
      const takes = await takesOf(value);
      return takes === undefined ? value : refuse(context, takes);
    }),
  );
}

/*
 * Every schema parses the text of one input, and fails with one message: what the input accepts.
 */

/** Any text, trimmed. */
export const text = z.string().check(z.trim());

/** Parses a text with `read`, which rejects it by returning `undefined`. */
export function readAs<T>(takes: string, read: (value: string) => T | undefined) {
  return z.pipe(
    text,
    z.transform((value, context): T => read(value) ?? refuse(context, takes)),
  );
}

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

/** A number of days up to 3650, such as `7 days`; `undefined` for any other text. */
export function daysIn(value: string): number | undefined {
  const days = Number(value.match(/^([1-9]\d{0,3}) days?$/)?.[1]);
  return days <= 3650 ? days : undefined;
}

/** The mistakes in an input's lines: the first five, then how many more there are. */
export function mistakesIn(mistakes: readonly string[]): string {
  return firstFew(mistakes, 5).join('; ');
}

/** One of these words. */
export function oneOf<const W extends readonly string[]>(words: W) {
  return z.pipe(text, z.enum(words, `one of ${words.join(', ')}`));
}

/** Several values, separated by line breaks or commas. */
export const list = separatedBy(/[\n,]/);

/** Several values, one per line, for values that may contain a comma. */
export const lines = separatedBy('\n');

function separatedBy(separator: RegExp | string) {
  const itemsIn = (value: string) => value.split(separator).map((item) => item.trim());
  return z.pipe(
    text,
    z.transform((value) => itemsIn(value).filter((item) => item !== '')),
  );
}

/** Some of these words. A word in `alone` excludes all others. */
export function wordsIn<const W extends readonly string[]>(
  items: typeof list,
  words: W,
  alone: readonly string[],
  takes: string,
) {
  const isFine = (values: readonly string[]) =>
    values.length === 1 || !values.some((word) => alone.includes(word));
  return z.pipe(items, z.array(z.enum(words, takes)).check(z.refine(isFine, takes)));
}
