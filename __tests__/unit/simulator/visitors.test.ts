import { beforeEach, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { request } from 'undici';

import { createInMemorySimulator, type InMemorySimulator } from '../../../simulator/in-memory.ts';
import { DEFAULT_PROJECT } from '../../../simulator/service/service.ts';
import type { VisitorsPage } from '../../../simulator/service/visitors/analytics.ts';
import {
  siteRows,
  siteTotals,
  USUAL_SITE,
  type VisitorRow,
} from '../../../simulator/service/visitors/site.ts';

let simulator: InMemorySimulator;
beforeEach(() => {
  simulator = createInMemorySimulator();
});

const WEEK = { dateFrom: '2026-01-05', dateTo: '2026-01-12' };

async function ask(query: Readonly<Record<string, string>> = WEEK) {
  const search = new URLSearchParams(query);
  const url = `${simulator.url}/v1/analytics/${DEFAULT_PROJECT.id}/visitors?${search}`;
  const headers = { authorization: `Bearer ${DEFAULT_PROJECT.apiKey}` };
  const response = await request(url, { dispatcher: simulator.dispatcher, headers });
  return { status: response.statusCode, headers: response.headers, body: await response.body.json() };
}

async function pages(most = 20, limit = 250): Promise<VisitorsPage[]> {
  const all: VisitorsPage[] = [];
  for (let offset = 0; all.length < most; offset += limit) {
    const page = (await ask({ ...WEEK, limit: String(limit), offset: String(offset) })).body as VisitorsPage;
    all.push(page);
    if (!page.hasMore) break;
  }
  return all;
}
const rowsOf = (all: readonly VisitorsPage[]): VisitorRow[] => all.flatMap(({ visitors }) => visitors);

test('pages the rows, in full and without repeating any', async () => {
  simulator.service.visitors.script({ rows: 1_200 });
  const all = await pages();
  expect(all.map(({ visitors }) => visitors.length)).toEqual([250, 250, 250, 250, 200]);
  expect(new Set(rowsOf(all).map(({ path }) => path)).size).toBe(1_200);
  expect(await pages()).toEqual(all);
  expect(((await ask()).body as VisitorsPage).visitors).toHaveLength(50);
  expect(simulator.violations).toEqual([]);
});

test('every row and all totals are what deduplication can leave, for any site and window', () => {
  const day = 86_400_000;
  fc.assert(
    fc.property(
      fc.record({
        seed: fc.nat(),
        rows: fc.integer({ min: 0, max: 400 }),
        aiShare: fc.double({ min: 0, max: 1, noNaN: true }),
      }),
      fc.constantFrom('descending' as const, 'shuffled' as const),
      fc.integer({ min: 0, max: 600 }),
      fc.integer({ min: 1, max: 31 }),
      (patch, order, start, days) => {
        const site = { ...USUAL_SITE, ...patch, order };
        const window = {
          fromMs: Date.UTC(2025, 6, 1) + start * day,
          toMs: Date.UTC(2025, 6, 1) + (start + days) * day,
        };
        const rows = siteRows(site, window, 0, 1_000);
        const totals = siteTotals(site, window);
        expect(rows).toHaveLength(patch.rows);
        expect(new Set(rows.map(({ path }) => path)).size).toBe(patch.rows);
        for (const { human, ai, total } of [...rows, totals]) {
          expect(total).toBeGreaterThanOrEqual(Math.max(human, ai));
          expect(total).toBeLessThanOrEqual(human + ai);
        }
        for (const field of ['human', 'ai', 'total'] as const) {
          const values = rows.map((row) => row[field]);
          expect(totals[field]).toBeGreaterThanOrEqual(Math.max(0, ...values));
          expect(totals[field]).toBeLessThanOrEqual(values.reduce((sum, value) => sum + value, 0));
        }
        if (order === 'descending') {
          expect(rows.map(({ total }) => total)).toEqual(
            rows.map(({ total }) => total).sort((a, b) => b - a),
          );
        }
      },
    ),
    { numRuns: 100 },
  );
});

test('windows differ: growth, pages that move, pages that come and go', async () => {
  simulator.service.visitors.script({ rows: 200, growthPerWeek: 1.5, churn: 0.1 });
  const now = rowsOf([(await ask({ ...WEEK, limit: '250' })).body as VisitorsPage]);
  const beforeWeek = { dateFrom: '2025-12-29', dateTo: '2026-01-05', limit: '250' };
  const before = rowsOf([(await ask(beforeWeek)).body as VisitorsPage]);
  expect((now[0]?.total ?? 0) / (before[0]?.total ?? 1)).toBeCloseTo(1.5, 2);
  const paths = new Set(before.map(({ path }) => path));
  const isNew = now.filter(({ path }) => !paths.has(path)).length;
  expect(isNew).toBeGreaterThan(5);
  expect(isNew).toBeLessThan(50);
});

test('a hundred thousand rows are made page by page', async () => {
  simulator.service.visitors.script({ rows: 100_000, order: 'shuffled', hostile: true });
  simulator.service.visitors.limit.requestsPerHour = 1_000;
  const startedAt = performance.now();
  const all = await pages(400);
  expect(performance.now() - startedAt).toBeLessThan(10_000);
  expect(new Set(rowsOf(all).map(({ path }) => path)).size).toBe(100_000);
});

test('misbehaves as told', async () => {
  const { visitors } = simulator.service;
  visitors.script({ rows: 600 });
  visitors.misbehave({ driftPerRequest: 10 });
  expect(new Set((await pages()).map(({ totals }) => totals.total)).size).toBe(3);
  visitors.misbehave({ driftPerRequest: 0, repeatedRows: 5 });
  const repeated = rowsOf(await pages());
  expect(repeated.length).toBe(610);
  expect(new Set(repeated.map(({ path }) => path)).size).toBe(600);
  visitors.misbehave({ repeatedRows: 0, ignoredLimit: 40 });
  expect((await pages(1))[0]?.visitors).toHaveLength(40);
  visitors.misbehave({ ignoredLimit: undefined, endless: 'empty' });
  expect((await pages(6)).map(({ visitors: rows }) => rows.length)).toEqual([250, 250, 100, 0, 0, 0]);
  visitors.misbehave({ endless: 'repeat' });
  expect((await pages(5)).map(({ visitors: rows }) => rows.length)).toEqual([250, 250, 100, 250, 250]);
});

test('gives the rows a test hands in', async () => {
  const rows = [{ path: '/a|b', human: 3, ai: 2, total: 4 }];
  simulator.service.visitors.give(rows);
  expect((await ask()).body).toEqual({
    totals: { human: 3, ai: 2, total: 4 },
    visitors: rows,
    hasMore: false,
  });
  simulator.service.visitors.give(({ fromMs }) =>
    fromMs < Date.UTC(2026, 0, 5) ? { rows: [], totals: { human: 0, ai: 0, total: 0 } } : undefined,
  );
  expect((await ask({ dateFrom: '2025-12-29', dateTo: '2026-01-05' })).body).toMatchObject({ visitors: [] });
  expect(((await ask()).body as VisitorsPage).visitors).toHaveLength(50);
});

test.each<[string, Record<string, string>]>([
  ['limit 0', { limit: '0' }],
  ['limit 251', { limit: '251' }],
  ['limit x', { limit: 'x' }],
  ['offset -1', { offset: '-1' }],
  ['no date', { dateFrom: 'yesterday' }],
  ['31 February', { dateFrom: '2026-02-31' }],
  ['an empty window', { dateFrom: '2026-01-05', dateTo: '2026-01-05' }],
  ['an unknown parameter', { page: '2' }],
])('refuses %s and calls it a violation', async (_, query) => {
  const refusal = { error: 'Validation failed', details: [{ message: expect.any(String) }] };
  expect(await ask(query)).toMatchObject({ status: 400, body: refusal });
  expect(simulator.violations).toHaveLength(1);
});

test('dates may carry a time', async () => {
  expect((await ask({ dateFrom: '2026-01-05T00:00:00Z', dateTo: '2026-01-12T00:00:00+01:00' })).status).toBe(
    200,
  );
});

test('an organisation’s limit is shared', async () => {
  simulator.service.visitors.useElsewhere(DEFAULT_PROJECT.organisation, 99);
  expect((await ask()).status).toBe(200);
  expect(await ask()).toMatchObject({ status: 429, headers: { 'retry-after': '3600' } });
  simulator.service.fail({ on: ['visitors'], status: 500, times: 1 });
  expect((await ask()).status).toBe(500);
  simulator.clock.advance(3_600_000);
  expect((await ask()).status).toBe(200);
});
