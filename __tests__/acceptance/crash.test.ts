import { expect, test } from '@jest/globals';

import { inParallel } from '../support/cases.ts';
import { agentSubject } from '../support/mishaps/agent.ts';
import { endsOf, playOnBundle } from '../support/mishaps/matrix.ts';
import { routes } from '../support/routes.ts';
import { simpleCommand } from '../support/scenarios/agent.ts';

/*
 * A command whose run is killed at each kind of request, as if its runner died; then its post phase and a re-run. There must be
 * at most one job, and the thread, the outputs and the summary must be true. `scenario/mishaps` plays every request of every
 * scenario in memory, `long/bundle-mishaps` with the bundle.
 */

test('main killed at each kind of request of a command, then post, then a re-run', async () => {
  const command = agentSubject(simpleCommand);
  const kills = await endsOf(command, { kind: 'kill', isPostRun: true });
  const cases = kills.filter(({ nth }) => nth === 1);
  const ended = await inParallel(cases, 3, (one) => playOnBundle(command, one));
  expect(ended.filter(({ problems }) => problems.length > 0)).toEqual([]);
  // Only a kill around the request that costs credits leaves something that can't be known.
  const unknowable = cases.filter((_, index) => ended[index]?.next === 'failed (unconfirmed)');
  expect(unknowable.map(({ at }) => at)).toEqual([routes.createJob, routes.createJob]);
}, 120_000);
