import { expect, test } from '@jest/globals';

import { inParallel } from '../support/cases.ts';
import { boundariesIn, playCrash, wrongOf } from '../support/interrupted/kill.ts';
import { routes } from '../support/routes.ts';
import { simpleCommand } from '../support/scenarios/agent.ts';

/*
 * A command whose run is killed for good at every request boundary, as a runner that dies kills it; then its post phase and a
 * re-run: one job at most, and the truth in the thread, the outputs and the summary. `long/crash-matrix` plays other stories
 * too, and `scenario/crash-collect` plays them in memory.
 */

test('main killed at every boundary of a command, then post, then a re-run', async () => {
  const boundaries = await boundariesIn('main', simpleCommand);
  const ended = await inParallel(boundaries, 3, (main) => playCrash(simpleCommand, { main }));
  expect(wrongOf(ended)).toEqual([]);
  // Only around the request that costs is there something that cannot be known.
  const unknowable = ended.filter(({ end }) => end === 'failed (unconfirmed)');
  expect(unknowable.map(({ crash }) => crash.main?.at)).toEqual([routes.createJob, routes.createJob]);
}, 120_000);
