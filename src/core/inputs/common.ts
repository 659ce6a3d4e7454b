import * as z from 'zod/mini';
import { isLoopback } from '../loopback.ts';
import { failOnValues } from '../outcome.ts';
import { input, list, oneOf, text } from './inputs.ts';
import { mostProjects, projectList } from './projects.ts';

export const modes = ['agent', 'visitors', 'collect'] as const;
export type Mode = (typeof modes)[number];

/** A value that becomes a part of a URL path. `.` and `..` would lead to another path even when encoded. */
export const pathSegment = (what: string) =>
  text.check(z.refine((value) => value !== '.' && value !== '..', `${what}, as the dashboard shows it`));

const baseUrlTakes =
  'an https URL (http only on loopback) without credentials, query or fragment; a path is kept, a trailing slash dropped';

const baseUrl = z.pipe(
  text.check(
    z.refine((value) => {
      if (!URL.canParse(value)) return false;
      const url = new URL(value);
      const secure = url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));
      return secure && url.username === '' && url.password === '' && url.search === '' && url.hash === '';
    }, baseUrlTakes),
  ),
  z.transform((value) => {
    const url = new URL(value);
    return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
  }),
);

const apiKey = z
  .string(
    'missing. Pass `${{ secrets.DOCS_API_KEY }}`. A secret is empty where it is not set, and on runs of forks and of Dependabot.',
  )
  .check(
    z.refine(
      (key) => !key.startsWith('mint_dsc_'),
      'takes an admin key (`mint_…`); this is an assistant key (`mint_dsc_…`), which cannot run jobs or read analytics',
    ),
    z.refine(
      (key) => !key.startsWith('mint_us_'),
      'takes an admin key (`mint_…`); this is an index key (`mint_us_…`), which cannot run jobs or read analytics',
    ),
    z.refine(
      (key) => /^[\x21-\x7e]+$/.test(key),
      'takes an admin key (`mint_…`), which is one line of ASCII characters without spaces; this one has something else in it. Copy it anew into the secret.',
    ),
  );

const failOnTakes = `a list of ${failOnValues.join(', ')}, or none alone`;

const failOn = z.pipe(
  list,
  z.pipe(
    z
      .array(z.enum([...failOnValues, 'none'], failOnTakes))
      .check(z.refine((values) => !values.includes('none') || values.length === 1, failOnTakes)),
    z.transform((values) => new Set(values.filter((value) => value !== 'none'))),
  ),
);

/** The inputs of every mode. */
export const commonInputs = {
  mode: input(z.prefault(oneOf(modes), 'agent'), {
    description:
      'What to do: `agent` asks the writing agent for changes; `visitors` writes the visitors report; `collect` finishes the threads of jobs that nobody waits for.',
  }),
  'api-key': input(apiKey, {
    description:
      'An admin API key of the documentation service (`mint_…`), from a secret. It is masked, and sent only to `base-url`.',
    required: true,
  }),
  'project-id': input(projectList, {
    description: `The documentation project, copied from the dashboard’s API keys page. A report and collecting take several, up to ${mostProjects}, on separate lines: \`id\` or \`id = Name\`.`,
    required: true,
  }),
  'base-url': input(z.prefault(baseUrl, 'https://api.mintlify.com'), {
    description: 'Address of the documentation service: https, or http on loopback.',
  }),
  'github-token': input(z.optional(text), {
    description: 'Token for comments, reactions and permission look-ups in the thread.',
    runnerDefault: '${{ github.token }}',
  }),
  'fail-on': input(z.prefault(failOn, 'failed, timed-out'), {
    description: `Endings that turn the step red, a list: \`failed\` (a failed job), \`timed-out\`, \`archived\`, \`no-changes\`, \`detached\`; in visitors mode \`incomplete\`, \`alert\`, in collect mode \`incomplete\`; or \`none\`. Errors are always red.`,
  }),
};
