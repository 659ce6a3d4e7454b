import * as z from 'zod/mini';
import { isLoopback } from '../loopback.ts';
import { mapped } from '../mapped.ts';
import { list, readAs, text, wholeNumber, wordsIn } from './inputs.ts';
import { projectList } from './projects.ts';

const baseUrl = readAs(
  'an https URL (http only on loopback) without credentials, query, or fragment',
  (value) => {
    const url = URL.parse(value);
    if (url === null) return undefined;
    const isSecure = url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));
    const isBare = `${url.username}${url.password}${url.search}${url.hash}` === '';
    return isSecure && isBare ? `${url.origin}${url.pathname}`.replace(/\/+$/, '') : undefined;
  },
).check(z.refine((url) => !/\/v[12]$/.test(url), 'the URL without its version; the action adds that'));

const otherKey = (prefix: string, kind: string) =>
  z.refine<string>(
    (key) => !key.startsWith(prefix),
    `this is an ${kind} key (\`${prefix}…\`), which can’t run jobs or read analytics. Create an admin key (\`mint_…\`) in the dashboard.`,
  );

const apiKey = z
  .string(
    'missing. Pass `${{ secrets.DOCS_API_KEY }}`. A secret is empty if it isn’t set, and in runs from forks and Dependabot.',
  )
  .check(
    z.trim(),
    otherKey('mint_dsc_', 'assistant'),
    otherKey('mint_us_', 'index'),
    z.refine(
      (key) => /^[\x21-\x7e]+$/.test(key),
      'this key contains a space, a line break, or a non-ASCII character. Copy the admin key (`mint_…`) into the secret again.',
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
  const takes = `any of ${endings.join(', ')}, or \`none\` by itself`;
  const failOn = mapped(
    wordsIn(list, [...endings, 'none'], ['none'], takes),
    (values): ReadonlySet<string> => new Set(values.filter((value) => value !== 'none')),
  );
  return z.prefault(failOn, defaultEndings.join(', '));
}

/** The input `max-requests`, for modes that may send many requests to the service. */
export const maxRequestsInput = z.prefault(wholeNumber(1, 1000), '40');

/** Where the comment goes: to the thread of the event, nowhere, or to the issue or pull request with this number. */
export type ThreadChoice = 'auto' | 'none' | number;

/** The input `thread`, for modes that write a comment. */
export const threadInput = z.prefault(
  readAs('auto, none, or the number of an issue or pull request', (value): ThreadChoice | undefined => {
    if (value === 'auto' || value === 'none') return value;
    return /^[1-9]\d{0,14}$/.test(value) ? Number(value) : undefined;
  }),
  'auto',
);

/** The number of the chosen thread; `undefined` for none. `ofEvent` is the issue or pull request of the event, if any. */
export function chooseThread(choice: ThreadChoice, ofEvent?: { number: number }): number | undefined {
  if (choice === 'none') return undefined;
  return choice === 'auto' ? ofEvent?.number : choice;
}
