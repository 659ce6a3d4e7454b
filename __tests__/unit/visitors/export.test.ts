import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Budget } from '../../../src/core/budget.ts';
import { ServiceError } from '../../../src/service/errors.ts';
import { WindowReading } from '../../../src/visitors/read/export.ts';
import { Requests } from '../../../src/visitors/read/requests.ts';
import { type Answer, honest, pagesOf, row, serviceOf, window } from './site.ts';

const totals = { human: 9, ai: 3, total: 10 };
const { signal } = new AbortController();

const read = (
  answer: Answer,
  { most = 40, keepBack = 0, used = 0 }: { most?: number; keepBack?: number; used?: number } = {},
) => {
  const { service, queries } = serviceOf(answer);
  const budget = new Budget(most);
  budget.used = used;
  const readWhole = async () => {
    const requests = new Requests(budget, signal);
    const reading = await WindowReading.begin(window, { service, requests }, keepBack);
    while (!reading.isOver) await reading.next();
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

  test('ask for the window, half-open, 250 rows at a time', async () => {
    const { queries, result } = read(honest(() => []));
    await result;
    expect(queries).toEqual([{ dateFrom: '2026-11-09', dateTo: '2026-11-16', limit: 250, offset: 0 }]);
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

  test('use the one kept back when it is all there is', async () => {
    const { queries, result } = read(
      honest(() => pagesOf(1000)),
      { most: 1, keepBack: 1 },
    );
    expect((await result).rows.size).toBe(250);
    expect(queries).toHaveLength(1);
  });

  test('are none with nothing left', async () => {
    const { queries, result } = read(
      honest(() => []),
      { most: 3, used: 3 },
    );
    await expect(result).rejects.toMatchObject({ reason: 'budget-spent' });
    expect(queries).toHaveLength(0);
  });

  test('for the first page leave over what is kept back for others', async () => {
    const tries: (number | undefined)[] = [];
    const { result } = read(
      (query, options) => {
        tries.push(options.tries);
        return honest(() => [])(query);
      },
      { most: 4, keepBack: 1 },
    );
    await result;
    expect(tries).toEqual([3]);
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
  test('says how its totals changed meanwhile: the list may have changed too, and is not called whole', async () => {
    const rows = pagesOf(600);
    const { result } = read((query) => ({
      ...honest(() => rows)(query),
      totals: query.offset === 0 ? totals : { ...totals, total: 99 },
    }));
    const found = await result;
    expect(found.rows.size).toBe(600);
    expect(found).toMatchObject({
      totals,
      cut: { kind: 'changed-totals' },
      descending: false,
      oddities: { driftedPages: 2 },
    });
  });

  test.each([
    ['announces more after a last page that is full, is called whole with a note', 0, undefined],
    ['does so with other totals, is not', 1, { kind: 'changed-totals' }],
  ])('%s', async (_, more, cut) => {
    const rows = pagesOf(500);
    const { queries, result } = read(({ offset }) => ({
      totals: offset < 500 ? totals : { ...totals, total: totals.total + more },
      visitors: rows.slice(offset, offset + 250),
      hasMore: offset < 500,
    }));
    const found = await result;
    expect(queries).toHaveLength(3);
    expect(found.rows.size).toBe(500);
    expect(found.cut).toEqual(cut);
    expect(found.oddities.emptyEnd).toBe(true);
  });

  test('sends rows without a path or a total: these are left out, and the list is not called whole', async () => {
    const { queries, result } = read(({ offset }) => ({
      totals,
      visitors: offset === 0 ? [...pagesOf(249), null] : [null, row('/last', 1, 0)],
      hasMore: offset === 0,
    }));
    const found = await result;
    expect(queries).toHaveLength(2);
    expect(found.rows.size).toBe(250);
    expect(found).toMatchObject({
      cut: { kind: 'unusable-rows' },
      descending: false,
      oddities: { unusableRows: 2, shortPages: 0 },
    });
  });

  test('is not asked for ever, when its rows say nothing', async () => {
    const { queries, result } = read(() => ({ totals, visitors: Array(250).fill(null), hasMore: true }));
    expect((await result).cut).toEqual({ kind: 'unusable-rows' });
    expect(queries).toHaveLength(1);
  });

  test('is asked by the limit, when it sends fewer rows, and is not called whole', async () => {
    const rows = pagesOf(600);
    const { queries, result } = read(({ offset }) => ({
      totals,
      visitors: rows.slice(offset, offset + 150),
      hasMore: offset + 150 < rows.length,
    }));
    const found = await result;
    expect(queries.map(({ offset }) => offset)).toEqual([0, 250, 500]);
    expect([...found.rows.values()]).toEqual([
      ...rows.slice(0, 150),
      ...rows.slice(250, 400),
      ...rows.slice(500),
    ]);
    // The rows passed over may have more visitors than those that came.
    expect(found).toMatchObject({
      cut: { kind: 'short-page' },
      descending: false,
      oddities: { shortPages: 2 },
    });
  });

  test('gives every row once, when it sends more than the limit', async () => {
    const rows = pagesOf(900);
    const { result } = read(({ offset }) => ({
      totals,
      visitors: rows.slice(offset, offset + 600),
      hasMore: offset + 600 < rows.length,
    }));
    const found = await result;
    expect(found.rows.size).toBe(900);
    expect(found.cut).toEqual({ kind: 'repeated-rows' });
  });

  test('is not asked for ever, when it repeats itself', async () => {
    const { queries, result } = read(() => ({ totals, visitors: pagesOf(10), hasMore: true }));
    const found = await result;
    expect(queries).toHaveLength(2);
    expect(found).toMatchObject({ cut: { kind: 'repeated-page' }, oddities: { repeatedRows: 10 } });
    expect(found.rows.size).toBe(10);
  });

  test('is not asked for ever, when its pages are empty', async () => {
    const { queries, result } = read(({ offset }) => ({
      totals,
      visitors: offset === 0 ? pagesOf(250) : [],
      hasMore: true,
    }));
    expect((await result).cut).toEqual({ kind: 'empty-page' });
    expect(queries).toHaveLength(2);
  });

  test('is not asked beyond the budget, when it never ends', async () => {
    const { queries, result } = read(({ offset }) => ({
      totals,
      visitors: Array.from({ length: 250 }, (_, index) => row(`/${offset + index}`, 1, 0)),
      hasMore: true,
    }));
    expect((await result).cut).toEqual({ kind: 'budget' });
    expect(queries).toHaveLength(40);
  });

  test('counts a repeated path once, and the totals of the first page', async () => {
    const { result } = read(({ offset }) =>
      offset === 0
        ? { totals, visitors: [row('/a', 5, 0), row('/a', 7, 0)], hasMore: true }
        : {
            totals: { ...totals, total: 99 },
            visitors: [row('/a', 8, 0), row('/b', 1, 0)],
            hasMore: false,
          },
    );
    const found = await result;
    expect([...found.rows.values()]).toEqual([row('/a', 5, 0), row('/b', 1, 0)]);
    expect(found).toMatchObject({ totals, oddities: { repeatedRows: 2, driftedPages: 1 } });
  });

  test('is not called whole when rows come again, since others may never have come', async () => {
    const site = pagesOf(600);
    // A page that somebody wrote meanwhile came first: all others moved on by one, so the last of a page comes again.
    const { result } = read((query) =>
      honest(() => (query.offset === 0 ? site : [row('/new', 1, 0), ...site]))(query),
    );
    const found = await result;
    expect(found.rows.size).toBe(600);
    expect(found).toMatchObject({
      cut: { kind: 'repeated-rows' },
      descending: false,
      oddities: { repeatedRows: 1 },
    });
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

  test('on the first page fails the window', async () => {
    const error = new ServiceError('rate-limited', '429', { transient: true });
    await expect(failing(error, 0).result).rejects.toBe(error);
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

  test('and anything that is no answer of the service, fails the window', async () => {
    const error = new Error('cancelled');
    await expect(failing(error, 500).result).rejects.toBe(error);
  });
});

test('an order is seen only where the rows never rise and do fall', async () => {
  const order = async (visitors: readonly number[]) =>
    (
      await read(() => ({
        totals,
        visitors: visitors.map((count, index) => row(`/${index}`, count, 0)),
        hasMore: false,
      })).result
    ).descending;
  expect(await order([9, 5, 5, 1])).toBe(true);
  expect(await order([9, 5, 6])).toBe(false);
  expect(await order([3, 3, 3])).toBe(false);
  expect(await order([])).toBe(false);
});
