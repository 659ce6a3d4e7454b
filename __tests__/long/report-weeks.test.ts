import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, jest, test } from '@jest/globals';
import type { SimulatorCore } from '../../simulator/core.ts';
import { ACTION_DIR } from '../../simulator/runner/action.ts';
import type { GivenWindow } from '../../simulator/service/visitors/analytics.ts';
import type { VisitorRow } from '../../simulator/service/visitors/site.ts';
import type { VisitorsRow } from '../../src/service/schemas.ts';
import { Stage } from '../support/bundle/stage.ts';
import { memoryPlayer } from '../support/in-process/player.ts';
import { serviceInputs } from '../support/usual.ts';
import { type Case, readWindows } from '../support/usual-weeks/cases.ts';

/*
 * Weekly reports on many sites: what the rule finds and names falsely, as in the table by which it was chosen; and what doesn't depend
 * on how the weeks were read.
 */

const weekMs = 7 * 86_400_000;
/** A report at this time is about November 9 to 15. */
const start = '2026-11-16T06:10:00Z';
const lastMondayMs = Date.parse('2026-11-09T00:00:00Z');
const stage = new Stage({ clock: { start } }, 'bundle');
jest.setTimeout(3_600_000);

/** Lets the service answer with these rows, a function of how many weeks ago a week was. */
function serve(core: SimulatorCore, windowOf: (age: number) => GivenWindow): void {
  core.service.visitors.give(({ fromMs }) => windowOf((lastMondayMs - fromMs) / weekMs));
}

const inputs = { mode: 'visitors', 'report-dir': 'report' };

interface Json {
  readonly standingOut: readonly { readonly path: string; readonly pages?: number }[];
  readonly judged: { readonly areWhole: boolean; readonly weeks: readonly unknown[] } | null;
}

/** A report of the table, as `table.py` writes it. */
interface TableReport {
  readonly people: readonly (readonly number[])[];
  readonly ai: readonly (readonly number[])[];
  readonly sections: readonly number[];
  readonly named: readonly (readonly [kind: string, index: number])[];
}

interface TableRow {
  readonly label: string;
  /** Of 100 sites, as in the last column of the table. */
  readonly shares: string;
  readonly reports: number;
}

const reference = join(ACTION_DIR, '../shared/simulations');
const python = process.env.PYTHON ?? 'python3';
const hasPackages = () => spawnSync(python, ['-c', 'import numpy, scipy']).status === 0;
const canCompare = existsSync(join(reference, 'simulate7.py')) && hasPackages();
if (!canCompare)
  console.error(`NOT COMPARED: ${python} with numpy and scipy, or ${reference}, isn’t there.`);
const compared = canCompare ? test : test.skip;

/** Draws the sites of the table: 100 in each row. */
function drawTable(): { row: TableRow; reports: TableReport[] }[] {
  const script = join(ACTION_DIR, '__tests__/support/usual-weeks/table.py');
  const options = { encoding: 'utf8', maxBuffer: 2 ** 28 } as const;
  const lines = execFileSync(python, [script, reference, '100'], options).trimEnd().split('\n');
  const rows: { row: TableRow; reports: TableReport[] }[] = [];
  for (const line of lines) {
    const parsed: TableRow | TableReport = JSON.parse(line);
    if ('label' in parsed) rows.push({ row: parsed, reports: [] });
    else rows.at(-1)?.reports.push(parsed);
  }
  return rows;
}

function serveTable(core: SimulatorCore, { people, ai, sections }: TableReport): void {
  serve(core, (age) => {
    const week = people.length - 1 - age;
    const rows = (people[week] ?? []).flatMap((human, page) => {
      const ofAi = ai[week]?.[page] ?? 0;
      const path = `/s${sections[page]}/p${page}`;
      return human + ofAi === 0 ? [] : { path, human, ai: ofAi, total: human + ofAi };
    });
    rows.sort((a, b) => b.total - a.total);
    const add = (kind: 'human' | 'ai' | 'total') => rows.reduce((sum, row) => sum + row[kind], 0);
    return { rows, totals: { human: add('human'), ai: add('ai'), total: add('total') } };
  });
}

/** The names in a report, and what they must be. */
function namesIn({ standingOut }: Json): string[] {
  const names = standingOut.map(({ path, pages }) => {
    return `${pages === undefined ? 'page' : 'section'} ${/\d+$/.exec(path)?.[0]}`;
  });
  return names.sort();
}

function expectedNames({ named }: TableReport): string[] {
  return named.map(([kind, index]) => `${kind} ${index}`).sort();
}

// The table compares the week before and the eleven before it.
const asInTable = { ...inputs, baseline: '11' };

/** Drawn once for both tests. */
let drawn: ReturnType<typeof drawTable> | undefined;

function listTable() {
  drawn ??= drawTable();
  return drawn;
}

compared('2,000 reports name what the table says, on the same 100 sites a row', async () => {
  const table = readFileSync(join(reference, 'TABLE.md'), 'utf8');
  let names = 0;
  for (const { row, reports } of listTable()) {
    const lines = table.split('\n').filter((line) => line.startsWith(`| ${row.label} |`));
    expect(lines[0]?.split(' | ').at(-1)).toBe(`${row.shares} |`);
    expect(reports).toHaveLength(row.reports);
    for (const [index, given] of reports.entries()) {
      const player = memoryPlayer({ clock: { start: Date.parse(start) } });
      serveTable(player.core, given);
      const { json } = await reportInMemory(player, asInTable);
      const said = namesIn(json);
      expect([row.label, index, said]).toEqual([row.label, index, expectedNames(given)]);
      names += said.length;
    }
    console.log(`${row.label}: ${row.shares}`);
  }
  expect(names).toBeGreaterThan(300);
});

compared('so does the bundle, on a sample of them', async () => {
  for (const { row, reports } of listTable()) {
    const sample = reports.filter((_, index) => index % 50 === 1);
    for (const given of sample) {
      serveTable(stage.simulator, given);
      const { json } = await reportOfBundle(asInTable);
      expect([row.label, namesIn(json)]).toEqual([row.label, expectedNames(given)]);
      // The service answers 100 requests an hour.
      stage.simulator.clock.advance(3_600_000);
    }
  }
});

test('made-up weeks have the same report with a history and without', async () => {
  const file = join(ACTION_DIR, '__tests__/fixtures/usual-weeks.jsonl');
  const cases: Case[] = readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const whole = cases.filter(({ kind, windows }) => {
    return (
      kind === 'last-week' && windows.length === 14 && windows.every((week) => week?.[1] === 0)
    );
  });
  let names = 0;
  for (const given of whole) {
    const player = memoryPlayer({ clock: { start: Date.parse(start) - weekMs } });
    const reads = readWindows(given);
    serve(player.core, (age) => {
      const read = reads[reads.length - 1 - age];
      const { human = 0, ai = 0, total = 0 } = read?.totals ?? {};
      return { rows: [...(read?.rows.values() ?? [])].map(toServed), totals: { human, ai, total } };
    });
    const history = { ...inputs, 'history-file': 'history.jsonl' };
    await reportInMemory(player, history);
    player.core.clock.advance(weekMs);
    const kept = await reportInMemory(player, history);
    const read = await reportInMemory(player, inputs);
    expect(kept.requests).toBeLessThan(read.requests);
    expect([kept.summary, kept.json]).toEqual([read.summary, read.json]);
    names += kept.json.standingOut.length;
  }
  console.log(`${whole.length} sites, ${names} names`);
  expect(names).toBeGreaterThan(30);
});

test('12,000 pages are judged with one request a week, and a page that doubles is found', async () => {
  const peopleOf = (page: number, age: number) => {
    const swing = 1 + 0.1 * Math.sin(7 * page + 13 * age);
    const factor = page === 100 && age < 2 ? 2 : 1;
    return Math.ceil((60_000 * swing * factor) / (page + 3) ** 0.85);
  };
  serve(stage.simulator, (age) => {
    const rows = Array.from({ length: 12_000 }, (_, page) => {
      const human = peopleOf(page, age);
      return { path: `/s${page % 12}/p${page}`, human, ai: 3, total: human + 3 };
    });
    rows.sort((a, b) => b.total - a.total);
    return { rows, totals: { human: 90_000, ai: 30_000, total: 110_000 } };
  });
  const { json, requests } = await reportOfBundle({ ...inputs, 'max-requests': '14' });
  expect([requests, json.judged?.areWhole, json.judged?.weeks.length]).toEqual([14, false, 14]);
  expect(namesIn(json)).toEqual(['page 100']);
});

/** A report of this process. */
async function reportInMemory(
  { core, files, play }: ReturnType<typeof memoryPlayer>,
  given: Readonly<Record<string, string>>,
) {
  const event = core.github.scheduleEvent();
  const run = { runId: 1, event, inputs: { ...serviceInputs(core), ...given } };
  const { outputs, summary } = await play(run);
  return parseReport(files.read(outputs['json-file'] ?? '') ?? '', outputs, summary);
}

async function reportOfBundle(given: Readonly<Record<string, string>>) {
  const event = stage.simulator.github.scheduleEvent();
  const { outputs, summary } = await stage.play(given, { event });
  const text = readFileSync(stage.path(outputs['json-file'] ?? ''), 'utf8');
  return parseReport(text, outputs, summary);
}

function parseReport(text: string, outputs: Readonly<Record<string, string>>, summary: string) {
  const json: Json = JSON.parse(text);
  return { json, summary, requests: Number(outputs['requests-used']) };
}

function toServed({ path, human = 0, ai = 0, total }: VisitorsRow): VisitorRow {
  return { path, human, ai, total };
}
