import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Budget } from '../../../src/core/budget.ts';
import { createReadPage, type Reading } from '../../../src/report/read-page.ts';
import { isRanked } from '../../../src/report/window-read.ts';
import { ServiceError } from '../../../src/service/errors.ts';
import { type Answer, honest, pagesOf, readOf, row, serviceOf, window } from './site.ts';

const totals = { human: 9, ai: 3, total: 10 };
const { signal } = new AbortController();

const read = (answer: Answer, { most = 40 } = {}) => {
  const { service, queries } = serviceOf(answer);
  const budget = new Budget(most);
  const readWhole = async () => {
    const readPage = createReadPage(service, budget, signal);
    const reading: Reading = { projectId: 'acme', window, rows: new Map(), next: 0 };
    while (reading.next !== undefined) await readPage(reading);
    if (reading.read === undefined) throw reading.failure;
    return reading.read;
  };
  return { queries, budget, result: readWhole() };
};

describe('requests', () => {
  test('are exactly as many as the rows need, one for none, whatever the number of rows', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: 2600 }), async (count) => {
        const rows = pagesOf(count);
        const { queries, budget, result } = read(honest(() => rows));
        const found = await result;
        expect(budget.used).toBe(Math.max(1, Math.ceil(count / 250)));
        expect(queries.map(({ offset }) => offset)).toEqual(queries.map((_, index) => index * 250));
        expect([...found.rows.values()]).toEqual(rows);
        expect(found.cut).toBeUndefined();
      }),
      { numRuns: 40 },
    );
  });

  test('stop at the budget', async () => {
    const { queries, result } = read(
      honest(() => pagesOf(1000)),
      { most: 2 },
    );
    const found = await result;
    expect(queries).toHaveLength(2);
    expect(found.cut).toEqual({ kind: 'budget' });
    expect(found.rows.size).toBe(500);
  });

  test('allow no more tries than the budget has left', async () => {
    const tries: (number | undefined)[] = [];
    const rows = pagesOf(1000);
    const { result } = read(
      (query, options) => {
        tries.push(options.tries);
        return honest(() => rows)(query);
      },
      { most: 5 },
    );
    await result;
    expect(tries).toEqual([4, 4, 3, 2]);
  });
});

describe('a service that does not keep to the interface', () => {
  const changed = { cut: { kind: 'changed' }, hasGaps: true };

  test.each([
    ['announces more after a last page that is full, is whole', 0, undefined],
    ['does so with other totals, is not', 1, { kind: 'changed' }],
  ])('%s', async (_, more, cut) => {
    const rows = pagesOf(500);
    const { queries, result } = read(({ offset }) => ({
      totals: offset < 500 ? totals : { ...totals, total: totals.total + more },
      visitors: rows.slice(offset, offset + 250),
      hasMore: offset < 500,
    }));
    expect(await result).toMatchObject({ totals, cut });
    expect(queries).toHaveLength(3);
  });

  test('is asked by the limit if it sends fewer rows, and the list is not whole', async () => {
    const rows = pagesOf(600);
    const { queries, result } = read(({ offset }) => ({
      totals,
      visitors: rows.slice(offset, offset + 150),
      hasMore: offset + 150 < rows.length,
    }));
    const found = await result;
    expect(queries.map(({ offset }) => offset)).toEqual([0, 250, 500]);
    expect(found.rows.size).toBe(400);
    expect(found).toMatchObject(changed);
  });

  test('sends each row at most once and ends, however its pages are made', async () => {
    const page = fc.record({
      paths: fc.array(fc.constantFrom('/a', '/b', '/c', '/d', '/e', '/f'), { maxLength: 5 }),
      hasMore: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(page, { minLength: 1, maxLength: 12 }), async (pages) => {
        let next = 0;
        const { budget, result } = read(
          () => {
            const { paths, hasMore } = pages[next++ % pages.length] ?? { paths: [], hasMore: false };
            return { totals, visitors: paths.map((path) => row(path, 1, 0)), hasMore };
          },
          { most: 8 },
        );
        const found = await result;
        const sent = pages.concat(pages).slice(0, budget.used);
        expect(new Set(found.rows.keys())).toEqual(new Set(sent.flatMap(({ paths }) => paths)));
        expect(budget.used).toBeLessThanOrEqual(8);
        // Whole exactly when the one page that came says that there is no more, and has no row twice: the others are short.
        const [first] = sent;
        const isWhole = first?.hasMore === false && new Set(first.paths).size === first.paths.length;
        expect(found.cut === undefined).toBe(isWhole);
      }),
      { numRuns: 200 },
    );
  });
});

describe('a service that fails', () => {
  const failing = (error: Error, from: number) =>
    read((query) => {
      if (query.offset >= from) throw error;
      return honest(() => pagesOf(1000))(query);
    });

  test.each([
    ['rate-limited', true],
    ['service-error', true],
    ['timeout', true],
    ['bad-request', false],
    ['unauthorized', false],
    ['forbidden', false],
    ['not-found', false],
    ['redirected', false],
  ] as const)('later with %s leaves what was read', async (reason, transient) => {
    const found = await failing(new ServiceError(reason, 'no', { transient }), 500).result;
    expect(found.cut).toEqual({ kind: 'service', reason, message: 'no' });
    expect(found.rows.size).toBe(500);
  });
});

test('an order is seen only where the rows never rise and do fall', async () => {
  const order = (visitors: readonly number[]) =>
    isRanked(readOf(visitors.map((count, index) => row(`/${index}`, count, 0))));
  expect(order([9, 5, 5, 1])).toBe(true);
  expect(order([9, 5, 6])).toBe(false);
  expect(order([3, 3, 3])).toBe(false);
  expect(order([])).toBe(false);
});
