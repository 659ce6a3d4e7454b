import { expect, test } from '@jest/globals';

import { inParallel } from '../support/cases.ts';
import { agentSubject } from '../support/mishaps/agent.ts';
import { endsOf, playOnBundle } from '../support/mishaps/matrix.ts';
import { routes } from '../support/routes.ts';
import { simpleCommand } from '../support/scenarios/agent.ts';

/*
 * Kills a command's run at each kind of request, as if its runner died, and then runs its post phase and a re-run. There must be
 * at most one job, and the thread, the outputs, and the summary must be true. `scenario/mishaps` kills runs at every request in
 * memory, and `long/bundle-mishaps` does so with the bundle.
 */

test('main is killed at each kind of request of a command, then post and a re-run are played', async () => {
  const command = agentSubject(simpleCommand);
  const kills = await endsOf(command, { kind: 'kill', isPostRun: true });
  const cases = kills.filter(({ nth }) => nth === 1);
  const ended = await inParallel(cases, 3, (kill) => playOnBundle(command, kill));
  expect(ended.filter(({ problems }) => problems.length > 0)).toEqual([]);
  // The outcome is unknown only if the run is killed during the request that costs credits.
  const unknowable = cases.filter((_, index) => ended[index]?.next === 'failed (unconfirmed)');
  expect(unknowable.map(({ at }) => at)).toEqual([routes.createJob, routes.createJob]);
}, 120_000);
