import * as z from 'zod/mini';
import { isLoopback } from '../loopback.ts';
import { list, readAs, text, wholeNumber, wordsIn } from './inputs.ts';
import { projectList } from './projects.ts';

/** A value that becomes a part of a URL path. `.` and `..` would lead to another path even when encoded. */
export const pathSegment = (what: string) =>
  text.check(z.refine((value) => value !== '.' && value !== '..', `${what}, as the dashboard shows it`));

const baseUrl = readAs(
  'an https URL (http only on loopback) without credentials, query or fragment; a path is kept, a trailing slash dropped',
  (value) => {
    const url = URL.parse(value);
    if (url === null) return undefined;
    const isSecure = url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));
    const isBare = `${url.username}${url.password}${url.search}${url.hash}` === '';
    return isSecure && isBare ? `${url.origin}${url.pathname}`.replace(/\/+$/, '') : undefined;
  },
);

const otherKey = (prefix: string, kind: string) =>
  z.refine<string>(
    (key) => !key.startsWith(prefix),
    `takes an admin key (\`mint_…\`); this is an ${kind} key (\`${prefix}…\`), which cannot run jobs or read analytics`,
  );

const apiKey = z
  .string(
    'missing. Pass `${{ secrets.DOCS_API_KEY }}`. A secret is empty where it is not set, and on runs of forks and of Dependabot.',
  )
  .check(
    z.trim(),
    otherKey('mint_dsc_', 'assistant'),
    otherKey('mint_us_', 'index'),
    z.refine(
      (key) => /^[\x21-\x7e]+$/.test(key),
      'takes an admin key (`mint_…`), which is one line of ASCII characters without spaces; this one has something else in it. Copy it anew into the secret.',
    ),
  );

/** The inputs of every mode; each adds its own `fail-on`. */
export const commonInputs = {
  'api-key': apiKey,
  'project-id': projectList,
  'base-url': z.prefault(baseUrl, 'https://api.mintlify.com'),
  'github-token': z.optional(text),
};

/** In action.yml the default of every mode's `fail-on`, so every mode takes them. */
const defaultEndings = ['failed', 'timed-out'];

/** The input `fail-on` of a mode with these endings besides the default ones. */
export function failOnInput(...own: readonly string[]) {
  const endings = [...defaultEndings, ...own];
  const takes = `a list of ${endings.join(', ')}, or none alone`;
  const failOn = z.pipe(
    wordsIn(list, [...endings, 'none'], ['none'], takes),
    z.transform((values): ReadonlySet<string> => new Set(values.filter((value) => value !== 'none'))),
  );
  return z.prefault(failOn, defaultEndings.join(', '));
}

/** The input of every mode that reads much of the service. */
export const maxRequestsInput = z.prefault(wholeNumber(1, 1000), '40');

/** Where comments go. */
export type ThreadChoice =
  | { readonly kind: 'auto' }
  | { readonly kind: 'none' }
  | { readonly kind: 'number'; readonly number: number };

/** The input of every mode that can write a comment. */
export const threadInput = z.prefault(
  readAs('auto, none, or the number of an issue or pull request', (value): ThreadChoice | undefined => {
    if (value === 'auto' || value === 'none') return { kind: value };
    return /^[1-9]\d{0,14}$/.test(value) ? { kind: 'number', number: Number(value) } : undefined;
  }),
  'auto',
);

interface Thread {
  readonly number: number;
}

/** The thread that was chosen; `undefined` for nowhere. `ofEvent` is the issue or pull request of the event, if it has one. */
export function chooseThread(choice: ThreadChoice, ofEvent: Thread | undefined): Thread | undefined {
  const number = choice.kind === 'number' ? choice.number : ofEvent?.number;
  if (choice.kind === 'none' || number === undefined) return undefined;
  return { number };
}
