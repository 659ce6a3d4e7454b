import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { resultOf } from '../../../src/agent/summary.ts';
import type { CollectConfig } from '../../../src/collect/inputs.ts';
import { buildCollectResult } from '../../../src/collect/result.ts';
import type { Project } from '../../../src/core/projects.ts';
import type { Card } from '../../../src/requests/card/card.ts';
import { stopRun } from '../../../src/requests/card/transitions.ts';
import type { Settled } from '../../../src/requests/follow/settled.ts';
import type { Run } from '../../../src/requests/run/run.ts';
import { nodesOf, parseGfm } from '../../support/gfm.ts';
import { calm } from '../../support/in-process/service.ts';
import { card, completed, found, is, pullIn, shown } from '../../support/samples/cards.ts';
import { hostileCard } from '../../support/samples/hostile.ts';

const clock = { now: () => 0, monotonic: () => 0, sleep: async () => undefined };
const run = { deps: { signal: calm(), clock }, beganAtMs: 0 } as unknown as Run;

const [project, other] = ['prj_1', 'prj_2'].map((id) => ({ id, name: `${id} | docs` })) as [
  Project,
  Project,
];
const config = { projects: [project], failOn: new Set<string>() } as unknown as CollectConfig;
const all = {
  isCanceled: false,
  comments: 0,
  isWhole: true,
  reminders: 0,
  whyPostponed: [],
  notes: [],
  ledger: undefined,
};

/** A comment with a job after collect mode has checked it. `after` changes its card. */
function settled(id: string, kind: Settled['is'], after = (card: Card) => card): Settled {
  const one = found(41, { askedAt: 41_000, state: is.working({ ...completed, id }) });
  return {
    open: { ...one, owner: { ...one.owner, project } },
    card: after(one.card),
    is: kind,
  };
}
const toEnd = (card: Card): Card => ({ ...card, state: is.ended('pr', completed) });
const done = settled('job_1', 'saved', toEnd);
const working = settled('job_2', 'working');
const postponed = [settled('job_3', 'postponed'), settled('job_4', 'postponed', toEnd)];
const elsewhere = settled('job_5', 'changed', toEnd);

function shapeOf(markdown = '') {
  const nodes = nodesOf(parseGfm(markdown));
  const count = (kind: string) => nodes.filter(({ type }) => type === kind).length;
  const columns = new Set(
    nodes.flatMap((node) => (node.type === 'tableRow' ? [node.children.length] : [])),
  );
  return { heading: count('heading') + count('image'), columns: [...columns], html: count('html') };
}

test('every job summary has one heading and one table, even with hostile text', () => {
  fc.assert(
    fc.property(hostileCard, (hostile) => {
      const one = resultOf(hostile, { failOn: new Set() }, run);
      const several = buildCollectResult(
        { ...all, settled: [settled('job_1', 'saved', () => hostile), working] },
        config,
      );
      expect(shapeOf(one.summary)).toEqual({ heading: 1, columns: [2], html: 2 });
      expect(shapeOf(several.summary)).toEqual({ heading: 1, columns: [2], html: 0 });
    }),
    { numRuns: 100 },
  );
});

test.each([
  ['Fix it.', ['Fix it.']],
  ['', []],
])(
  'an error is named once in the log, the summary, and the result, and keeps its globs (%j)',
  (text, rest) => {
    const title = '`paths` has `a/**`';
    const stop = {
      outcome: 'failed',
      reason: 'bad-input',
      error: { title, text, markdown: text },
    } as const;
    const { message, summary, result } = resultOf(card({ stop }), { failOn: new Set() }, run);
    const headline = `${title}. Nothing was sent.`;
    expect(message.text.split('\n')).toEqual([headline, ...rest]);
    expect(summary?.split('\n\n').slice(0, 1 + rest.length)).toEqual([
      `### ❌ ${headline}`,
      ...rest,
    ]);
    expect(result.error).toBe([`${title}.`, ...rest].join('\n'));
  },
);

test('the summary of a request says at the top what it led to, for whom, and where to ask for more', () => {
  const url = 'https://github.com/octo-org/docs/issues/12#issuecomment-7';
  const ready = card({
    ...{ requester: 'maintainer', thread: 12, comment: { id: 7, url }, askedAt: 0, endedAt: 5_000 },
    ...{ state: is.ended('pr', completed), pull: pullIn('open', { shown }) },
  });
  const { summary } = resultOf(ready, { failOn: new Set() }, run);
  expect(summary?.split('\n\n<details>')[0]).toMatchSnapshot();
});

test('the summary links the status comment even if it couldn’t be edited at the end', () => {
  const url = 'https://github.com/octo-org/docs/issues/12#issuecomment-7';
  const ready = card({
    thread: undefined,
    comment: { id: 7, url },
    state: is.ended('pr', completed),
  });
  const { summary } = resultOf(ready, { failOn: new Set() }, run);
  expect(summary).toContain(`| Status comment | [Open it](<${url}>) |`);
});

test('the summary of collect mode lists every job, those that are left first', () => {
  const stop = { outcome: 'timed-out', reason: 'given-up' } as const;
  const givenUp = settled('job_6', 'saved', (card) => stopRun(card, stop));
  const ofOther = {
    ...givenUp,
    open: { ...givenUp.open, owner: { ...givenUp.open.owner, project: other } },
  };
  const whyPostponed = Array.from({ length: 7 }, (_, index) => `Reason ${index}.`);
  const { result, outputs, summary, red } = buildCollectResult(
    {
      ...all,
      settled: [done, ofOther, working, ...postponed, elsewhere],
      whyPostponed,
      notes: ['Signed with a different key: 3.'],
    },
    { ...config, projects: [project, other] },
  );
  expect([outputs, red]).toEqual([{ finished: '2', 'still-active': '1' }, false]);
  expect(result).toMatchObject({ reason: 'incomplete', finished: 2, stillActive: 1, left: 2 });
  expect(result.jobs).toMatchObject([
    {
      project: 'prj_1',
      jobId: 'job_0001',
      outcome: 'pr-created',
      askedAt: '1970-01-01T00:00:41.000Z',
    },
    { project: 'prj_2', jobId: 'job_6', outcome: 'timed-out' },
    { project: 'prj_1', jobId: 'job_2', outcome: null, reason: null, pullRequest: null },
  ]);
  expect(summary).toContain(
    '### 2 requests couldn’t be checked or updated; updated 2 comments and gave up on 1 job; 1 job still running\n\n> [!WARNING]\n> ' +
      'Reason 0. Reason 1. Reason 2. Reason 3. Reason 4. The next run tries again.\n> Signed',
  );
  expect(summary).toContain('| `prj_2 \\| docs` | [#7](');
  expect(summary).toMatch(/(?:\| ⚠️ Left for the next run\. \|\n.*){2}\| ✅ /);
  expect(summary).not.toMatch(/job_[345]/);
});
