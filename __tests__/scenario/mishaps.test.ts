import { afterAll, expect, test } from '@jest/globals';

import { choicesOf, type RouteChoice } from '../../simulator/http/choose-request.ts';
import { chooseQuarter, isLong } from '../support/long.ts';
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
 * Injects faults into the action's requests, and cancels and kills its runs, in memory. A run must end before its deadline. It
 * must not create a second job, report a false outcome, write a false or broken comment or report, print a stack trace or the
 * key, or leave a rejection unhandled.
 *
 * `npm test` tries a quarter of this: each kind of fault on each kind of request, once or lasting, and a run canceled and killed at
 * each kind of request.
 * `npm run test:long` tries every fault, cancellation, and kill at every request, and `long/bundle-mishaps` does so with the bundle.
 */

const unhandled: unknown[] = [];
const noteUnhandled = (reason: unknown): unknown => unhandled.push(reason);
process.on('unhandledRejection', noteUnhandled);

afterAll(() => void process.off('unhandledRejection', noteUnhandled));

async function expectTruth(
  cases: readonly (Case & { readonly subject: Subject })[],
): Promise<CaseEnd[]> {
  const ended: CaseEnd[] = [];
  for (const { subject, ...trouble } of cases) ended.push(await playInProcess(subject, trouble));
  expect(ended.filter(({ problems }) => problems.length > 0)).toEqual([]);
  expect(unhandled).toEqual([]);
  return ended;
}

/** By day, a quarter of those at the first request of each kind. */
const choose = (cases: readonly Case[]) =>
  chooseQuarter(cases.filter(({ nth }) => isLong || nth === 1));

/** Every request that the action sends, in every way to use it. */
async function allRequests(): Promise<(RouteChoice & { readonly subject: Subject })[]> {
  const requests = subjects.map(async (subject) =>
    choicesOf(await requestsOf(subject)).map((choice) => ({ ...choice, subject })),
  );
  return (await Promise.all(requests)).flat();
}

async function allFaults(isLasting: boolean) {
  const faulty = faults.map((fault) => ({ kind: 'fault', fault, isLasting }) as const);
  return (await allRequests()).flatMap((request) =>
    faulty.map((mishap) => ({ ...request, mishap })),
  );
}

/** Each kind of fault on each kind of request, once or lasting. The request and the variant of the fault change each time. */
async function someFaults() {
  const byRoute = [...Map.groupBy(await allRequests(), ({ at }) => at).values()];
  const kinds = [...Map.groupBy(faults, ({ spec }) => spec.kind).values()];
  return byRoute.flatMap((requests, nthRoute) =>
    kinds.flatMap((variants, nthKind) => {
      const isLasting = (nthRoute + nthKind) % 2 === 1;
      const request = requests[nthKind % requests.length];
      const fault = variants[nthRoute % variants.length];
      return request === undefined || fault === undefined
        ? []
        : [{ ...request, mishap: { kind: 'fault', fault, isLasting } as const }];
    }),
  );
}

test.each(isLong ? ['once', 'every time'] : ['once or every time'])(
  'faults that happen %s',
  async (when) =>
    void (await expectTruth(
      isLong ? await allFaults(when !== 'once') : chooseQuarter(await someFaults()),
    )),
  1_200_000,
);

test.each([...subjects, agentSubject(runAgain)])(
  'the $name, canceled and killed',
  async (subject) => {
    const cancels = await endsOf(subject, { kind: 'cancel' });
    const kills = await endsOf(subject, { kind: 'kill', isPostRun: true });
    const cases = choose([...cancels, ...kills]);
    const ended = await expectTruth(cases.map((trouble) => ({ ...trouble, subject })));
    // The outcome is unknown only if the run is killed during a request that costs credits.
    const unknowable = cases.filter((_, index) => ended[index]?.next === 'failed (unconfirmed)');
    expect(
      unknowable.filter(({ at }) => at !== routes.createJob && at !== routes.sendMessage),
    ).toEqual([]);
  },
  1_200_000,
);

test.each(
  scenarios.flatMap((scenario) => [
    agentSubject(scenario),
    collectedSubject(scenario, 'true'),
    ...(isLong ? [collectedSubject(scenario, 'false')] : []),
  ]),
)('the $name, killed without a post phase', async (subject) => {
  const cases = await endsOf(subject, { kind: 'kill', isPostRun: false });
  await expectTruth(choose(cases).map((trouble) => ({ ...trouble, subject })));
});

test('the post phase, killed at every request after main was killed', async () => {
  const subject = agentSubject(simpleCommand);
  const kills = await endsOf(subject, { kind: 'kill', isPostRun: true });
  const cases = await Promise.all(choose(kills).map((kill) => endsOfPost(subject, kill)));
  await expectTruth(cases.flat().map((trouble) => ({ ...trouble, subject })));
  expect(cases.flat().length).toBeGreaterThan(isLong ? 20 : 4);
}, 1_200_000);
