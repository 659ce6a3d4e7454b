import * as z from 'zod/mini';
import { mapped } from '../mapped.ts';

/** The default of an input, as text; `undefined` if the input has no default. */
export function defaultOf(schema: z.ZodMiniType | undefined): string | undefined {
  return schema instanceof z.ZodMiniPrefault ? String(schema.def.defaultValue) : undefined;
}

/** Rejects a value in a transform. */
export function refuse(context: z.core.ParsePayload, problem: string): never {
  context.issues.push({ code: 'custom', message: problem, input: context.value });
  return z.NEVER;
}

/** Adds an asynchronous check to a schema. For a bad value, `problemOf` returns what is wrong. */
export function checked<T>(
  schema: z.ZodMiniType<T, string>,
  problemOf: (value: T) => Promise<string | undefined>,
) {
  return mapped(schema, async (value: T, context) => {
    const problem = await problemOf(value);
    return problem === undefined ? value : refuse(context, problem);
  });
}

/* Each schema below parses the text of one input. If it fails, its message is the `problem` of an `InputProblem`. */

/** Any text, trimmed. */
export const text = z.string().check(z.trim());

/** Parses a text with `read`. If `read` returns `undefined`, the text is rejected. */
export function readAs<T>(problem: string, read: (value: string) => T | undefined) {
  return mapped(text, (value, context): T => read(value) ?? refuse(context, problem));
}

/** `true` or `false`, spelled as in YAML 1.2. */
export const flag = mapped(
  text.check(z.regex(/^(true|True|TRUE|false|False|FALSE)$/, 'must be true or false')),
  (value) => value.toLowerCase() === 'true',
);

/** A whole number from `least` to `most`, written in digits. */
export function wholeNumber(least: number, most: number) {
  return readAs(`must be a whole number from ${least} to ${most}`, (value) => {
    const number = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
    return number >= least && number <= most ? number : undefined;
  });
}

/** The number in a text such as `7 days`, up to 3650; `undefined` for any other text. */
export function daysIn(value: string): number | undefined {
  const days = Number(value.match(/^([1-9]\d{0,3}) days?$/)?.[1]);
  return days <= 3650 ? days : undefined;
}

/** What is wrong with an input that lists several values: its mistake, or how many it has and the first five. */
export function mistakesIn(noun: string, mistakes: readonly string[]): string {
  if (mistakes.length === 1) return `has an invalid ${noun}, ${mistakes[0]}`;
  return `has ${mistakes.length} invalid ${noun}s\n${mistakes.slice(0, 5).join('. ')}.`;
}

/** One of these words. */
export function oneOf<const W extends readonly string[]>(words: W) {
  const listed = words.join(', ').replace(/,(?=[^,]*$)/, words.length === 2 ? ' or' : ', or');
  return z.pipe(text, z.enum(words, `must be ${listed}`));
}

/** Several values, separated by line breaks or commas. */
export const list = separatedBy(/[\n,]/);

/** Several values, one per line, for values that may contain a comma. */
export const lines = separatedBy('\n');

function separatedBy(separator: RegExp | string) {
  return mapped(text, (value) => value.split(separator).flatMap((item) => item.trim() || []));
}

/** A list of words. A word in `alone` can't be combined with any other word. */
export function wordsIn<const W extends readonly string[]>(
  items: typeof list,
  words: W,
  alone: readonly string[],
  problem: string,
) {
  const isFine = (values: readonly string[]) =>
    values.length === 1 || !values.some((word) => alone.includes(word));
  return z.pipe(items, z.array(z.enum(words, problem)).check(z.refine(isFine, problem)));
}
