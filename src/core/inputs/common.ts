import * as z from 'zod/mini';
import { isLoopback } from '../loopback.ts';
import { mapped } from '../mapped.ts';
import { lines, list, readAs, refuse, text, wholeNumber, wordsIn } from './inputs.ts';
import { projectList } from './projects.ts';

const baseUrl = readAs(
  'must be an https URL (or http on this machine) without credentials, a query, or a fragment',
  (value) => {
    const url = URL.parse(value);
    if (url === null) return undefined;
    const isSecure = url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));
    const isBare = `${url.username}${url.password}${url.search}${url.hash}` === '';
    return isSecure && isBare ? `${url.origin}${url.pathname}`.replace(/\/+$/, '') : undefined;
  },
).check(
  z.refine(
    (url) => !/\/v[12]$/.test(url),
    'must not end with the API version\nRemove the version; the action adds it.',
  ),
);

const otherKey = (prefix: string, kind: string) =>
  z.refine<string>(
    (key) => !key.startsWith(prefix),
    `is an ${kind} key (\`${prefix}…\`), which can’t run jobs or read analytics\nCreate an admin key (\`mint_…\`) in the dashboard.`,
  );

const apiKey = z
  .string(
    'is missing\nPass `${{ secrets.DOCS_API_KEY }}`. A secret is empty if it isn’t set, and in runs from forks and Dependabot.',
  )
  .check(
    z.trim(),
    otherKey('mint_dsc_', 'assistant'),
    otherKey('mint_us_', 'index'),
    z.refine(
      (key) => /^[\x21-\x7e]+$/.test(key),
      'contains a space, a line break, or a character that isn’t ASCII\nCopy the admin key (`mint_…`) into the secret again.',
    ),
  );

/** The inputs that all modes share. Each mode adds its own `fail-on`. */
export const commonInputs = {
  'api-key': apiKey,
  'project-id': projectList,
  'base-url': z.prefault(baseUrl, 'https://api.mintlify.com'),
  'github-token': z.optional(text),
};

/** The default of `fail-on` in action.yml. The default is the same in every mode, so every mode must accept it. */
const defaultEndings = ['failed', 'timed-out'];

/** The input `fail-on` for a mode that accepts these outcomes in addition to the default ones. */
export function failOnInput(...own: readonly string[]) {
  const endings = [...defaultEndings, ...own];
  const must = `must be one or more of ${endings.join(', ')}, or \`none\` by itself`;
  const failOn = mapped(
    wordsIn(list, [...endings, 'none'], ['none'], must),
    (values): ReadonlySet<string> => new Set(values.filter((value) => value !== 'none')),
  );
  return z.prefault(failOn, defaultEndings.join(', '));
}

/** The input `max-requests`, for modes that may send many requests to the service. */
export const maxRequestsInput = z.prefault(wholeNumber(1, 1000), '40');

/** The check of the service's GitHub app. */
export const usualCheck = 'mintlify/Mintlify Deployment';

/** The input `checks`: the names of checks, each with its app. Empty for `none`. */
export const checksInput = z.prefault(
  mapped(lines, (names, context): readonly string[] => {
    if (names.join() === 'none') return [];
    // More wildcards could take minutes to match.
    if (names.every((name) => /^[a-z0-9][a-z0-9-]*\/(?!.*\*.*\*.*\*)\S/i.test(name))) return names;
    const problem = `must be none, or one check per line, such as \`${usualCheck}\`, with at most two \`*\` in each name`;
    return refuse(context, problem);
  }),
  usualCheck,
);

/** Where the comment goes: to the thread of the event, nowhere, or to the issue or pull request with this number. */
export type ThreadChoice = 'auto' | 'none' | number;

/** The input `thread`, for modes that write a comment. */
export const threadInput = z.prefault(
  readAs(
    'must be auto, none, or the number of an issue or pull request',
    (value): ThreadChoice | undefined => {
      if (value === 'auto' || value === 'none') return value;
      return /^[1-9]\d{0,14}$/.test(value) ? Number(value) : undefined;
    },
  ),
  'auto',
);

/** The number of the chosen thread; `undefined` for none. `ofEvent` is the issue or pull request of the event, if any. */
export function chooseThread(choice: ThreadChoice, ofEvent?: { number: number }): number | undefined {
  if (choice === 'none') return undefined;
  return choice === 'auto' ? ofEvent?.number : choice;
}
