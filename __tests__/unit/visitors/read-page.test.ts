import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Budget } from '../../../src/core/budget.ts';
import { ServiceError } from '../../../src/service/errors.ts';
import { openHistory } from '../../../src/visitors/read/history.ts';
import { beginReading, createAsk, createReadPage } from '../../../src/visitors/read/read-page.ts';
import { type Answer, config, depsOf, honest, pagesOf, readOf, serviceOf, window } from './site.ts';

const totals = { human: 9, ai: 3, total: 10 };

async function play(answer: Answer, most = 40) {
  const { service, queries } = serviceOf(answer);
  const budget = new Budget(most);
  const readPage = createReadPage({
    ...config,
    window,
    service,
    budget,
    history: openHistory(undefined, 1, depsOf(service).deps),
  });
  const reading = beginReading('acme', {
    ...readOf([], { cut: { kind: 'budget' } }),
    rows: new Map(),
  });
  while (reading.next !== undefined) await readPage(reading);
  if (reading.failure) throw reading.failure;
  return { queries, budget, read: reading };
}

test('reading sends as many requests as the rows and the budget allow', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.nat({ max: 2600 }),
      fc.integer({ min: 1, max: 12 }),
      async (count, most) => {
        const rows = pagesOf(count);
        const tries: (number | undefined)[] = [];
        const answer: Answer = (query, options) => {
          tries.push(options.tries);
          return honest(() => rows)(query);
        };
        const { queries, budget, read } = await play(answer, most);
        const needed = Math.max(1, Math.ceil(count / 250));
        expect(budget.used).toBe(Math.min(most, needed));
        expect(queries.map(({ offset }) => offset)).toEqual(queries.map((_, index) => index * 250));
        expect(tries).toEqual(queries.map((_, index) => Math.min(4, most - index)));
        expect([...read.rows.values()]).toEqual(rows.slice(0, 250 * most));
        expect(read.cut).toEqual(needed > most ? { kind: 'budget' } : undefined);
      },
    ),
    { numRuns: 60 },
  );
});

test.each([
  ['complete if the totals stay the same', 0, undefined],
  ['incomplete if the totals changed', 1, { kind: 'changed' }],
])('reading ends at an empty page after a full one, and is %s', async (_, more, cut) => {
  const rows = pagesOf(500);
  const { queries, read } = await play(({ offset }) => ({
    totals: offset < 500 ? totals : { ...totals, total: totals.total + more },
    visitors: rows.slice(offset, offset + 250),
    hasMore: offset < 500,
  }));
  expect(read).toMatchObject({ totals, cut });
  expect(queries).toHaveLength(3);
});

test('requests end after two in a row without a response, not after two in all', async () => {
  const ask = createAsk(new Budget(9));
  const silence = new ServiceError('timeout', 'The service didn’t respond in time');
  const answers: unknown[] = [];
  for (const answer of ['a', silence, 'b', silence, 'c', silence, silence, 'never sent']) {
    const request = async () => (typeof answer === 'string' ? answer : Promise.reject(answer));
    answers.push(await ask(request, 1));
  }
  expect(answers).toEqual(['a', silence, 'b', silence, 'c', silence, silence, silence]);
});
