import { afterAll, expect, test } from '@jest/globals';

import { choicesOf, type RouteChoice } from '../../simulator/http/choose-request.ts';
import {
  type FaultCase,
  type FaultEnd,
  playInProcess,
  requestsOf,
  type Subject,
} from '../support/faults/case.ts';
import { faults } from '../support/faults/kinds.ts';
import { subjects } from '../support/faults/subjects.ts';
import { isLong } from '../support/long.ts';

/*
 * Faults at the action's requests, in memory: no second job, no false outcome, no false or broken report, no stack trace, no
 * unhandled rejection, no key anywhere, and an end before the deadline. Every day each kind of fault meets each kind of request
 * once; `npm run test:long` plays every fault at every request, and `long/bundle-faults` plays them on the bundle.
 */

interface Case extends FaultCase {
  readonly subject: Subject;
}

const unhandled: unknown[] = [];
const noteUnhandled = (reason: unknown): unknown => unhandled.push(reason);
process.on('unhandledRejection', noteUnhandled);

afterAll(() => void process.off('unhandledRejection', noteUnhandled));

/** Every request of every way to use the action. */
async function allRequests(): Promise<(RouteChoice & { readonly subject: Subject })[]> {
  const requests = subjects.map(async (subject) =>
    choicesOf(await requestsOf(subject)).map((choice) => ({ ...choice, subject })),
  );
  return (await Promise.all(requests)).flat();
}

/** Every fault at every request. */
async function allCases(isLasting: boolean): Promise<Case[]> {
  return (await allRequests()).flatMap((one) => faults.map((fault) => ({ ...one, fault, isLasting })));
}

/** Every kind of fault at every kind of request: the requests of a kind and the variants of a fault take turns. */
async function someCases(isLasting: boolean): Promise<Case[]> {
  const routes = [...Map.groupBy(await allRequests(), ({ at }) => at).values()];
  const kinds = [...Map.groupBy(faults, ({ spec }) => spec.kind).values()];
  return routes.flatMap((requests, nthRoute) =>
    kinds.flatMap((variants, nthKind) => {
      const one = requests[nthKind % requests.length];
      const fault = variants[(nthRoute + Number(isLasting)) % variants.length];
      return one === undefined || fault === undefined ? [] : [{ ...one, fault, isLasting }];
    }),
  );
}

test.each([
  { title: 'once', isLasting: false },
  { title: 'for good', isLasting: true },
])(
  'faults that happen $title',
  async ({ isLasting }) => {
    const cases = await (isLong ? allCases : someCases)(isLasting);
    const wrong: FaultEnd[] = [];
    for (const one of cases) {
      const ended = await playInProcess(one.subject, one);
      if (ended.problems.length > 0) wrong.push(ended);
    }
    expect(wrong).toEqual([]);
    expect(unhandled).toEqual([]);
  },
  isLong ? 1_200_000 : 120_000,
);
