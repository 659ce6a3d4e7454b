import { expect, test } from '@jest/globals';

import { inParallel } from '../support/cases.ts';
import { boundariesOfMain, playCrash } from '../support/interrupted/kill.ts';
import { simpleCommand } from '../support/scenarios/agent.ts';

/*
 * A command whose run is killed for good at every request boundary, as a runner that dies kills it; then its post phase and a
 * re-run: one job at most, and the truth in the thread, the outputs and the summary. `long/crash-matrix` plays other stories
 * too, and `scenario/crash-collect` plays them in memory.
 */

test('main killed at every boundary of a command, then post, then a re-run', async () => {
  const boundaries = await boundariesOfMain(simpleCommand);
  const ended = await inParallel(boundaries, 3, (boundary) => playCrash(simpleCommand, boundary));
  const wrong = ended.filter(
    ({ problems, asked, end, expected }) => problems.length > 0 || asked > 1 || end !== expected,
  );
  expect(wrong).toEqual([]);
  // Only around the request that costs is there something that cannot be known.
  expect(ended.filter(({ expected }) => expected === 'failed (unconfirmed)')).toHaveLength(2);
}, 120_000);
