import * as z from 'zod/mini';
import {
  type Checked,
  type ConfigOf,
  checksInput,
  commonInputs,
  daysIn,
  failOnInput,
  maxRequestsInput,
  type RawInputs,
  readAs,
} from '../core/common-inputs.ts';
import { dayMs } from '../text/duration.ts';

const daysMs = readAs('must be 1 to 3650 days, such as `14 days`', (value) => {
  const days = daysIn(value);
  return days === undefined ? undefined : days * dayMs;
});

/** The inputs of collect mode. */
export const collectInputs = {
  ...commonInputs,
  'fail-on': failOnInput('incomplete'),
  'collect-since': z.prefault(daysMs, '14 days'),
  'max-requests': maxRequestsInput,
  'remind-after': z.optional(daysMs),
  checks: checksInput,
};

/** The checked inputs of collect mode. */
export type CollectConfig = ConfigOf<'collect', typeof collectInputs>;

/** Checks the inputs of collect mode in combination. */
export function checkCollect(
  { collectSince = 0, remindAfter = 0 }: Partial<CollectConfig>,
  given: RawInputs,
): Checked {
  if (collectSince === 0 || remindAfter < 2 * collectSince) return { problems: [] };
  const problem = 'must be shorter than twice `collect-since`';
  const got = given['remind-after'];
  return { problems: [{ input: 'remind-after', got, problem, hint: 'Older comments aren’t read.' }] };
}
