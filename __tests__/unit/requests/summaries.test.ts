import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { resultOf } from '../../../src/agent/summary.ts';
import type { CollectConfig } from '../../../src/collect/inputs.ts';
import { collectedResult } from '../../../src/collect/result.ts';
import type { Project } from '../../../src/core/inputs/projects.ts';
import type { Card } from '../../../src/requests/card.ts';
import type { Run } from '../../../src/requests/run.ts';
import type { Settled } from '../../../src/requests/settle.ts';
import { stopped } from '../../../src/requests/transitions.ts';
import { nodesOf, parseGfm } from '../../support/gfm.ts';
import { calm } from '../../support/in-process/service.ts';
import { completed, found, is, signer } from '../../support/samples/cards.ts';
import { hostileCard } from '../../support/samples/hostile.ts';

/* The job summaries of a request and of collect mode. */

const clock = { now: () => 0, monotonic: () => 0, sleep: async () => undefined };
const run = { deps: { signal: calm(), clock }, beganAtMs: 0 } as unknown as Run;

const [project, other] = ['prj_1', 'prj_2'].map((id) => ({ id, name: `${id} | docs` })) as [Project, Project];
const config = { projects: [project], failOn: new Set<string>() } as unknown as CollectConfig;
const all = { isCanceled: false, reminders: 0, unseen: [], whyLeft: [], notes: [] };

/** An open comment with a job, and its final card. */
function settled(id: string, kind: Settled['is'], after = (card: Card) => card): Settled {
  const one = found(41, { askedAt: 41_000, state: is.working({ ...completed, id }) });
  return {
    open: { ...one, project, signerOf: () => signer, thread: 7, isOutdated: false },
    card: after(one.card),
    is: kind,
  };
}
const toEnd = (card: Card): Card => ({ ...card, state: is.ended('pr', completed) });
const done = settled('job_1', 'saved', toEnd);
const atWork = settled('job_2', 'at work');
const left = [settled('job_3', 'left'), settled('job_4', 'left', toEnd)];
const elsewhere = settled('job_5', 'changed', toEnd);

function shapeOf(markdown = '') {
  const nodes = nodesOf(parseGfm(markdown));
  const count = (kind: string) => nodes.filter(({ type }) => type === kind).length;
  const columns = new Set(nodes.flatMap((node) => (node.type === 'tableRow' ? [node.children.length] : [])));
  return { heading: count('heading') + count('image'), columns: [...columns], html: count('html') };
}

test('each is one heading and one table, whatever comes from outside', () => {
  fc.assert(
    fc.property(hostileCard, (hostile) => {
      const one = resultOf(hostile, { failOn: new Set() }, run);
      const several = collectedResult([settled('job_1', 'saved', () => hostile), atWork], all, config);
      expect(shapeOf(one.summary)).toEqual({
        heading: 1,
        columns: [2],
        html: hostile.prompt === undefined ? 0 : 2,
      });
      expect(shapeOf(several.summary)).toEqual({ heading: 1, columns: [4], html: 0 });
    }),
    { numRuns: 200 },
  );
});

test('collecting counts and lists what ended and what is at work, and says what is left', () => {
  const whyLeft = Array.from({ length: 7 }, (_, index) => `Reason ${index}.`);
  const { result, outputs, summary, red } = collectedResult(
    [done, atWork, ...left, elsewhere],
    { ...all, whyLeft },
    config,
  );
  expect([outputs, red]).toEqual([{ finished: '1', 'still-active': '1' }, false]);
  expect(result).toMatchObject({ reason: 'incomplete', finished: 1, stillActive: 1, left: 2 });
  expect(result.jobs).toMatchObject([
    { jobId: 'job_0001', outcome: 'pr-created', askedAt: '1970-01-01T00:00:41.000Z' },
    { jobId: 'job_2', outcome: null, reason: null, pullRequest: null },
  ]);
  expect(summary).toContain(
    '> Left for the next run: 2. Reason 0. Reason 1. Reason 2. Reason 3. Reason 4. and 2 more\n',
  );
  expect(summary).not.toMatch(/job_[345]/);
});

test('comments that were not read make it incomplete, and red where `fail-on` says so', () => {
  const cut = { ...all, unseen: ['There are more comments.'] };
  const strict = { ...config, failOn: new Set(['incomplete']) };
  expect(collectedResult([], cut, config)).toMatchObject({ result: { reason: 'incomplete' }, red: false });
  expect(collectedResult([], cut, strict)).toMatchObject({ red: true, message: { level: 'error' } });
  expect(collectedResult([atWork], all, strict)).toMatchObject({
    result: { reason: 'complete' },
    red: false,
  });
});

test('what was given up, what no run can do, and whose a job is', () => {
  const stop = { outcome: 'timed-out', reason: 'given-up' } as const;
  const givenUp = settled('job_1', 'saved', (card) => stopped(card, stop));
  const notes = ['Signed with a different key: 3.'];
  const { result, summary } = collectedResult(
    [done, { ...givenUp, open: { ...givenUp.open, project: other } }, atWork],
    { ...all, notes },
    {
      ...config,
      projects: [project, other],
    },
  );
  expect(summary).toContain('### Updated: 2 (gave up on 1). Still running: 1.\n\n> [!WARNING]\n> Signed');
  expect(summary).toContain('| `prj_2 \\| docs` | [#7](');
  expect(result).toMatchObject({
    reason: 'complete',
    jobs: ['prj_1', 'prj_2', 'prj_1'].map((project) => ({ project })),
  });
});
