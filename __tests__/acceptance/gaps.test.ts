import { expect, test } from '@jest/globals';
import { conversation, SHOWN_READERS } from '../../simulator/service/visitors/readers.ts';
import { Stage, warnings } from '../support/bundle/stage.ts';

const stage = new Stage({ clock: { start: '2026-03-09T06:00:00Z' } });

test('a thousand conversations of 100 KB take three requests', async () => {
  const response = 'x'.repeat(100_000);
  const assistant = Array.from({ length: 1_000 }, () => conversation('?', { response }));
  stage.simulator.service.visitors.readers.give({ ...SHOWN_READERS, assistant });
  const run = await stage.play({ mode: 'visitors', baseline: '0', gaps: 'counts' });
  expect(run.summary).toContain(
    'Counted: the first 750 questions, 2 rated pages, 3 search terms, and 11 pending feedback items.',
  );
  expect(run.service).toHaveLength(8);
  expect(warnings(run)).toEqual([]);
});
