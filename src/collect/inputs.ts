import * as z from 'zod/mini';
import { parsePullRequest, pullRequestUrl } from '../core/address.ts';
import * as inputs from '../core/common-inputs.ts';
import { dayMs } from '../text/duration.ts';

const daysMs = inputs.parseAs('must be 1 to 3650 days, such as `14 days`', (value) => {
  const days = inputs.daysIn(value);
  if (days === undefined) return undefined;
  return days * dayMs;
});

const pullRequest = inputs.parseAs(
  'must be the URL of a pull request, such as `https://github.com/acme/docs/pull/12`',
  // The address of one of its tabs counts, too.
  (url) => {
    const pull = parsePullRequest(url);
    if (!pull?.server.startsWith('https://')) return undefined;
    return pullRequestUrl(pull);
  },
);

export const collectInputs = {
  ...inputs.commonInputs,
  'fail-on': inputs.failOnInput('incomplete'),
  'collect-since': z.prefault(daysMs, '14 days'),
  'max-requests': z.prefault(inputs.wholeNumber(1, 1000), '60'),
  'remind-after': z.optional(daysMs),
  'pull-request': z.optional(pullRequest),
  checks: inputs.checksInput,
  'publish-branch': z.optional(inputs.branch),
};

export type CollectConfig = inputs.ConfigOf<'collect', typeof collectInputs>;

/** How far back comments are read: as far as a request can still be open. */
export function maxAgeMs(collectSinceMs: number): number {
  return 2 * collectSinceMs;
}

export const checkCollect: inputs.Check<CollectConfig> = ({ collectSince, remindAfter }, texts) => {
  if (collectSince === undefined || remindAfter === undefined) return { problems: [] };
  const limitMs = maxAgeMs(collectSince);
  if (remindAfter < limitMs) return { problems: [] };
  const problem = {
    inputs: ['remind-after'],
    got: texts['remind-after'],
    problem: `must be shorter than ${limitMs / dayMs} days (twice \`collect-since\`)`,
    hint: 'Older comments aren’t read.',
  };
  return { problems: [problem] };
};
