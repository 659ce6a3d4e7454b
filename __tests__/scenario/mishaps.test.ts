import { afterAll, expect, test } from '@jest/globals';

import { choicesOf, type RouteChoice } from '../../simulator/http/choose-request.ts';
import { isLong } from '../support/long.ts';
import { agentSubject, collectedSubject } from '../support/mishaps/agent.ts';
import { faults } from '../support/mishaps/kinds.ts';
import {
  type Case,
  type CaseEnd,
  endsOf,
  endsOfPost,
  playInProcess,
  requestsOf,
  type Subject,
} from '../support/mishaps/matrix.ts';
import { subjects } from '../support/mishaps/subjects.ts';
import { routes } from '../support/routes.ts';
import { runAgain, scenarios, simpleCommand } from '../support/scenarios/agent.ts';

/*
 * Everything that can go wrong at the action's requests, in memory. There must be no second job, no false outcome, no false or
 * broken report, no stack trace, no unhandled rejection, and no key anywhere, and it must end before the deadline. `npm test`
 * tries each kind of fault once on each kind of request, cancels a run at each kind of request, and kills one at every request.
 * `npm run test:long` plays every fault and cancellation at every request, and `long/bundle-mishaps` plays them on the bundle.
 */

const unhandled: unknown[] = [];
const noteUnhandled = (reason: unknown): unknown => unhandled.push(reason);
process.on('unhandledRejection', noteUnhandled);

afterAll(() => void process.off('unhandledRejection', noteUnhandled));

/** Plays cases one after another, and expects nothing wrong. */
async function expectTruth(cases: readonly (Case & { readonly subject: Subject })[]): Promise<CaseEnd[]> {
  const ended: CaseEnd[] = [];
  for (const { subject, ...one } of cases) ended.push(await playInProcess(subject, one));
  expect(ended.filter(({ problems }) => problems.length > 0)).toEqual([]);
  expect(unhandled).toEqual([]);
  return ended;
}

/** Every request of every way to use the action. */
async function allRequests(): Promise<(RouteChoice & { readonly subject: Subject })[]> {
  const requests = subjects.map(async (subject) =>
    choicesOf(await requestsOf(subject)).map((choice) => ({ ...choice, subject })),
  );
  return (await Promise.all(requests)).flat();
}

/** Every fault at every request. */
async function allFaults(isLasting: boolean) {
  const faulty = faults.map((fault) => ({ kind: 'fault', fault, isLasting }) as const);
  return (await allRequests()).flatMap((one) => faulty.map((mishap) => ({ ...one, mishap })));
}

/** Every kind of fault at every kind of request. The requests of a kind and the variants of a fault take turns. */
async function someFaults(isLasting: boolean) {
  const byRoute = [...Map.groupBy(await allRequests(), ({ at }) => at).values()];
  const kinds = [...Map.groupBy(faults, ({ spec }) => spec.kind).values()];
  return byRoute.flatMap((requests, nthRoute) =>
    kinds.flatMap((variants, nthKind) => {
      const one = requests[nthKind % requests.length];
      const fault = variants[(nthRoute + Number(isLasting)) % variants.length];
      return one === undefined || fault === undefined
        ? []
        : [{ ...one, mishap: { kind: 'fault', fault, isLasting } as const }];
    }),
  );
}

test.each([
  { title: 'once', isLasting: false },
  { title: 'for good', isLasting: true },
])(
  'faults that happen $title',
  async ({ isLasting }) => void (await expectTruth(await (isLong ? allFaults : someFaults)(isLasting))),
  isLong ? 1_200_000 : 120_000,
);

test.each([...subjects, agentSubject(runAgain)])(
  'the $name cancelled and killed',
  async (subject) => {
    const cancels = await endsOf(subject, { kind: 'cancel' });
    const kills = await endsOf(subject, { kind: 'kill', isPostRun: true });
    const cases = [...cancels.filter(({ nth }) => isLong || nth === 1), ...kills];
    const ended = await expectTruth(cases.map((one) => ({ ...one, subject })));
    // Only a kill around the request that costs credits leaves its outcome unknown.
    const unknowable = cases.filter((_, index) => ended[index]?.next === 'failed (unconfirmed)');
    expect(unknowable.filter(({ at }) => at !== routes.createJob && at !== routes.sendMessage)).toEqual([]);
  },
  60_000,
);

test.each(
  scenarios.flatMap((scenario) => [
    agentSubject(scenario),
    collectedSubject(scenario, 'true'),
    collectedSubject(scenario, 'false'),
  ]),
)('the $name killed with its runner, which plays no post phase', async (subject) => {
  const cases = await endsOf(subject, { kind: 'kill', isPostRun: false });
  await expectTruth(cases.map((one) => ({ ...one, subject })));
});

test('the post phase killed at every request, after main was', async () => {
  const subject = agentSubject(simpleCommand);
  const kills = await endsOf(subject, { kind: 'kill', isPostRun: true });
  const first = kills.filter(({ nth }) => nth === 1);
  const cases = await Promise.all(first.map((one) => endsOfPost(subject, one)));
  await expectTruth(cases.flat().map((one) => ({ ...one, subject })));
  expect(cases.flat().length).toBeGreaterThan(20);
}, 60_000);
