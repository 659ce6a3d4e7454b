import * as z from 'zod/mini';
import { code, truncate } from '../text/markdown.ts';
import { changeScrubbed, type Scrub, type Scrubbed } from '../text/scrub.ts';
import type { Clock } from './clock.ts';
import type { InputProblem } from './errors.ts';
import { globProblem } from './globs.ts';
import { isLoopback } from './loopback.ts';
import { mapSchema } from './mapped.ts';
import { maxProjects, type Projects, parseProjects } from './projects.ts';

/*
 * What the inputs of all modes have in common. The file inputs.ts of each mode has its own, and
 * config.ts reads them.
 */

/**
 * Inputs by name, as the runner passes them. Values are not trimmed, and an unset input is `''`.
 */
export type RawInputs = Readonly<Record<string, string>>;

/** The schemas of a mode's inputs, by name. action.yml describes each input. */
export type Inputs = Readonly<Record<string, z.ZodMiniType>>;

/** What the inputs are checked against: the time, the event, and the disk (see runner/files.ts). */
export interface Surroundings extends Pick<Clock, 'now'> {
  readonly scrub: Scrub;
  /** Whether the inputs must contain a prompt. On a comment event, the comment may contain it. */
  readonly needsPrompt: boolean;
  readonly readFile: (path: string) => string;
  readonly findDirectoryProblem: (path: string) => string | undefined;
  readonly findLinkProblem: (path: string) => string | undefined;
}

type Camel<Name> = Name extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Name;
type Field<Name> = Name extends 'project-id' ? 'projects' : Camel<Name>;

/** The config of a mode: its name, and the values of its inputs under camel-case names. */
export type ConfigOf<
  Mode extends string,
  Of extends Inputs,
  Values = z.output<z.ZodMiniObject<Of>>,
> = {
  readonly mode: Mode;
} & { readonly [Name in keyof Values as Field<Name>]: Values[Name] };

/** The name of an input's field in the config. */
export function fieldOf(name: string): string {
  if (name === 'project-id') return 'projects';
  return name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

/**
 * Checks inputs in combination, and reads the files that they name. `values` are valid separately;
 * `texts` are those of all inputs that are set. `fromFiles`: fields of the config.
 */
export type Check<Config> = (
  values: Partial<Config>,
  texts: RawInputs,
  surroundings: Surroundings,
) => { readonly problems: readonly InputProblem[]; readonly fromFiles?: object };

/** The maximum length of a bad value in an error message. */
const maxShown = 80;

/** How an error message shows a bad value: its beginning, without the credentials in a URL. */
export function shortenValue(value: Scrubbed): string {
  const credentials = /(^[a-z][a-z0-9+.-]*:[\\/]*|\/\/)[^\\/?#]*@/gi;
  const safe = changeScrubbed(value, (text) => text.replace(credentials, '$1***@'));
  return truncate(safe, maxShown);
}

/** The default of an input, as text; `undefined` if the input has no default. */
export function defaultOf(schema: z.ZodMiniType | undefined): string | undefined {
  return schema instanceof z.ZodMiniPrefault ? String(schema.def.defaultValue) : undefined;
}

/**
 * Rejects a value in a transform. The texts become the `problem` and the `hint` of an
 * `InputProblem`.
 */
export function refuse(context: z.core.ParsePayload, problem: string, hint?: string): never {
  context.issues.push({ code: 'custom', message: problem, params: { hint }, input: context.value });
  return z.NEVER;
}

/** Rejects a list: names its only mistake, or counts its mistakes and names the first five. */
export function refuseItems(
  context: z.core.ParsePayload,
  noun: string,
  mistakes: readonly string[],
): never {
  if (mistakes.length === 1) return refuse(context, `has an invalid ${noun}, ${mistakes[0]}`);
  const hint = `${mistakes.slice(0, 5).join('. ')}.`;
  return refuse(context, `has ${mistakes.length} invalid ${noun}s`, hint);
}

/*
 * Each schema below parses the text of one input. If it fails, its message is the `problem` of an
 * `InputProblem`.
 */

export const text = z.string().check(z.trim());

/** Parses a text with `read`. If `read` returns `undefined`, the text is rejected. */
export function parseAs<T>(problem: string, read: (value: string) => T | undefined) {
  return mapSchema(text, (value, context): T => read(value) ?? refuse(context, problem));
}

/** `true` or `false`, spelled as in YAML 1.2. */
export const flag = parseAs('must be true or false', (value) => {
  if (/^(true|True|TRUE)$/.test(value)) return true;
  if (/^(false|False|FALSE)$/.test(value)) return false;
  return undefined;
});

/** A whole number from `min` to `max`, written in digits. */
export function wholeNumber(min: number, max: number) {
  return parseAs(`must be a whole number from ${min} to ${max}`, (value) => {
    const number = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
    return number >= min && number <= max ? number : undefined;
  });
}

const maxDays = 3650;

/** The number in a text such as `7 days`; `undefined` for any other text. */
export function daysIn(value: string): number | undefined {
  const days = Number(/^([1-9]\d{0,3}) days?$/.exec(value)?.[1]);
  return days <= maxDays ? days : undefined;
}

/** Whether a text may be the name of a branch or tag, by the rules of git-check-ref-format. */
export function isRefName(value: string): boolean {
  return /^(?![-/.])[^\s\p{Cc}~^:?*[\\]+(?<![/.])$/u.test(value) && !/\.\.|\/\/|@\{/.test(value);
}

export const branch = parseAs('must be the name of a branch, such as `main`', (value) =>
  isRefName(value) && !value.startsWith('refs/') ? value : undefined,
);

export function oneOf<const W extends readonly string[]>(words: W) {
  const lastSeparator = words.length === 2 ? ' or' : ', or';
  const alternatives = words.join(', ').replace(/,(?=[^,]*$)/, lastSeparator);
  return z.pipe(text, z.enum(words, `must be ${alternatives}`));
}

function separatedBy(separator: RegExp) {
  return mapSchema(text, (value) => {
    const items = value.split(separator).map((item) => item.trim());
    return items.filter((item) => item !== '');
  });
}
export const list = separatedBy(/[\n,]/);
/** For values that may contain a comma. */
export const lines = separatedBy(/\n/);

/** A list of words. A word in `alone` can't be combined with any other word. */
export function wordsIn<const W extends readonly string[]>(
  items: typeof list,
  words: W,
  alone: readonly string[],
  problem: string,
) {
  const isAllowed = (values: readonly string[]) =>
    values.length === 1 || !values.some((word) => alone.includes(word));
  return z.pipe(items, z.array(z.enum(words, problem)).check(z.refine(isAllowed, problem)));
}

/** Globs, one per line. `problemOf` finds more problems. */
export function globList(problemOf: (glob: string) => string | undefined = () => undefined) {
  return mapSchema(lines, (globs, context): readonly string[] => {
    const mistakes: string[] = [];
    for (const glob of globs) {
      const problem = globProblem(glob) ?? problemOf(glob);
      if (problem !== undefined) mistakes.push(`${code(glob)}: ${problem}`);
    }
    return mistakes.length === 0 ? globs : refuseItems(context, 'glob', mistakes);
  });
}

/** An input without which no run can work. The hint says where its value comes from. */
function required(hint: string) {
  return mapSchema(
    z.optional(z.string()),
    (value, context): string => value ?? refuse(context, 'is missing', hint),
  );
}

const secretHint =
  'Pass `${{ secrets.DOCS_API_KEY }}`. ' +
  'The secret is empty if it doesn’t exist here, or if its name differs.';

const apiKey = mapSchema(required(secretHint), (value, context): string => {
  const key = value.trim();
  const prefix = /^mint_(dsc|us)_/.exec(key)?.[0];
  if (prefix !== undefined) {
    const kind = prefix === 'mint_us_' ? 'index' : 'assistant';
    const problem = `is an ${kind} key (\`${prefix}…\`), which can’t run jobs or read analytics`;
    return refuse(context, problem, 'Create an admin key (`mint_…`) in the dashboard.');
  }
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  const problem = 'contains a space, a line break, or a character that isn’t ASCII';
  return refuse(context, problem, 'Copy the admin key (`mint_…`) into the secret again.');
});

const baseUrl = mapSchema(text, (value, context): string => {
  const url = URL.parse(value);
  if (url === null || !isSecure(url) || url.username || url.password || url.search || url.hash) {
    const problem =
      'must be an https URL (or http on this machine) without credentials, a query, or a fragment';
    return refuse(context, problem);
  }
  const base = `${url.origin}${url.pathname}`.replace(/\/+$/, '');
  if (!/\/v[12]$/.test(base)) return base;
  const problem = 'must not end with the API version';
  return refuse(context, problem, 'Remove the version; the action adds it.');
});

function isSecure({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
}

const projectHint =
  'Copy it from the dashboard’s API keys page. If it comes from a variable, ' +
  'such as `vars.DOCS_PROJECT_ID`, make sure that the variable is set.';

const projectList = mapSchema(required(projectHint), (value, context): Projects => {
  const { projects, mistakes } = parseProjects(value);
  const [first, ...others] = projects;
  if (first === undefined || mistakes.length > 0) return refuseItems(context, 'project', mistakes);
  if (projects.length <= maxProjects) return [first, ...others];
  const problem = `lists ${projects.length} projects, but at most ${maxProjects} are allowed`;
  return refuse(context, problem);
});

export const commonInputs = {
  'api-key': apiKey,
  'project-id': projectList,
  'base-url': z.prefault(baseUrl, 'https://api.mintlify.com'),
  'github-token': z.optional(text),
  'docs-token': z.optional(text),
};

/**
 * The input `fail-on` of a mode that accepts these outcomes besides the default ones, which all
 * modes share.
 */
export function failOnInput(...own: readonly string[]) {
  const usual = ['failed', 'timed-out'];
  const endings = [...usual, ...own];
  const problem = `must be one or more of ${endings.join(', ')}, or \`none\` by itself`;
  const words = wordsIn(list, [...endings, 'none'], ['none'], problem);
  const failOn = mapSchema(words, (values): ReadonlySet<string> => {
    return new Set(values.filter((value) => value !== 'none'));
  });
  return z.prefault(failOn, usual.join(', '));
}

/** The check of the service's GitHub app. */
export const usualCheck = 'mintlify/Mintlify Deployment';

/** An app and a check's name with up to two wildcards. More could take minutes to match. */
const checkPattern = /^[a-z0-9][a-z0-9-]*\/(?!.*\*.*\*.*\*)\S/i;

const checkNames = mapSchema(lines, (names, context): readonly string[] => {
  if (names.join() === 'none') return [];
  const own = names.find((name) => /^github-actions\/\**$/i.test(name));
  if (own !== undefined) {
    const problem = `can’t contain \`${own}\`: it would count this action’s own runs`;
    const hint =
      'Name the jobs that say whether the docs were built, such as `github-actions/build`.';
    return refuse(context, problem, hint);
  }
  if (names.every((name) => checkPattern.test(name))) return names;
  const example = `such as \`${usualCheck}\`, with at most two \`*\` in each name`;
  return refuse(context, `must be none, or one check per line, ${example}`);
});

/** The names of checks, each with its app; empty for `none`. */
export const checksInput = z.prefault(checkNames, usualCheck);

/**
 * Where the comment goes: to the thread of the event, nowhere, or to the issue or pull request with
 * this number.
 */
export type ThreadChoice = 'auto' | 'none' | number;

const threadProblem = 'must be auto, none, or the number of an issue or pull request';
const threadChoice = parseAs<ThreadChoice>(threadProblem, (value) => {
  if (value === 'auto' || value === 'none') return value;
  return /^[1-9]\d{0,14}$/.test(value) ? Number(value) : undefined;
});
export const threadInput = z.prefault(threadChoice, 'auto');

/**
 * The number of the chosen thread; `undefined` for none. `ofEvent` is the issue or pull request of
 * the event, if any.
 */
export function chooseThread(
  choice: ThreadChoice,
  ofEvent?: { number: number },
): number | undefined {
  if (choice === 'none') return undefined;
  return choice === 'auto' ? ofEvent?.number : choice;
}
