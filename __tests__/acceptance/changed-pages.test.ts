import { readFileSync } from 'node:fs';
import { beforeEach, expect, test } from '@jest/globals';
import { Stage } from '../support/bundle/stage.ts';
import { routes } from '../support/routes.ts';
import { firstWeek, mergeAll, serve, untilReport } from '../support/scenarios/changed-site.ts';
import { type Change, playChanges, verdictsOf } from '../support/usual-weeks/changed.ts';
import { randomOf } from '../support/usual-weeks/random.ts';
import { schemaProblems } from '../unit/visitors/schema.ts';

/* Weekly reports on generated sites with known changes, and an independent count of what became of them. */

const stage = new Stage({ clock: { start: firstWeek } });
beforeEach(() => stage.simulator.elsewhere.addToken('ghs_fake_docs', { 'pull-requests': 'read' }));

test.each([1, 2, 3, 4])(
  'the report says what an independent count says, %d weeks after the changes',
  async (since) => {
    const { site, changes } = playChanges(
      { since, spread: 0.12, factor: 2.2, crawl: 3 },
      randomOf(10 + since),
    );
    // Some change again, or a week earlier.
    const again = changes.slice(0, 4).map(([page, week]): Change => [page, week + 1]);
    const all = changes.map(([page, week], at): Change => [page, at > 6 ? week - 1 : week]);
    mergeAll(stage.simulator, stage.simulator.elsewhere, [...all, ...again]);
    serve(stage.simulator, site, (page) => `/p${page}`);
    const run = await stage.play(
      {
        ...{ mode: 'visitors', 'report-dir': 'report', 'docs-token': 'ghs_fake_docs' },
        'docs-repository': 'octo-org/handbook',
      },
      { event: stage.github.scheduleEvent() },
    );
    expect(run.outputs).toMatchObject({
      outcome: 'reported',
      complete: 'true',
      'requests-used': '10',
    });
    const json = JSON.parse(readFileSync(stage.path(run.outputs['json-file'] ?? ''), 'utf8'));
    expect(schemaProblems(json)).toEqual([]);
    const rows: {
      path: string;
      became: string;
      before: { total: number };
      since: { total: number };
      changes: number;
    }[] = json.changed.rows;
    const found = new Map(rows.map((row) => [row.path, row]));
    const verdicts = verdictsOf(site, all);
    const expected = all.map(([page, week], index) => [
      `/p${page}`,
      week < 4 ? 'early' : ['fewer', 'same', 'more'][1 + (verdicts[index]?.mark ?? 0)],
      // A change of the report's own week isn't read.
      index < 4 && since > 1 ? 2 : 1,
    ]);
    const said = all.map(([page]) => {
      const row = found.get(`/p${page}`);
      return [row?.path, row?.became === 'crawled' ? 'same' : row?.became, row?.changes];
    });
    expect(said).toEqual(expected);
    for (const [index, [page, week]] of all.entries()) {
      if (week < 4) continue;
      const row = found.get(`/p${page}`);
      const { before, since } = verdicts[index] ?? { before: 0, since: 0 };
      expect(row?.before.total).toBeCloseTo(before, 0);
      expect(row?.since.total).toBeCloseTo(since, 0);
    }
    expect(json.changed).toMatchObject({ few: 0, shared: 0, unvisited: 0 });
    // The repository, its tree, its pull requests, and the files of each.
    const elsewhere = run.github.filter(({ path }) => path.startsWith('/repos/octo-org/handbook'));
    const pulls = 9 + (since > 1 ? 4 : 0);
    expect(elsewhere).toHaveLength(3 + pulls);
    expect(elsewhere.filter(({ route }) => route === routes.readFiles)).toHaveLength(pulls);
    expect(run.summary).toContain(`<summary>Pages that changed (9)</summary>`);
    expect(run.outputs.digest).toMatch(/Of 9 pages that changed since \w+ \d+, /);
    expect(JSON.parse(run.outputs.result ?? '').changed).toEqual(json.changed);
  },
);

test.each([
  [true, 'complete'],
  [false, 'bad-input'],
])(
  'if the event doesn’t say whether this repository is private (%j), GitHub does',
  async (isPrivate, reason) => {
    const { github, elsewhere, clock } = stage.simulator;
    elsewhere.git.commit({ files: { 'docs.json': '{}' } });
    elsewhere.repository.isPrivate = true;
    github.repository.isPrivate = isPrivate;
    untilReport({ clock });
    const inputs = {
      mode: 'visitors',
      'docs-repository': 'octo-org/handbook',
      'docs-token': 'ghs_fake_docs',
    };
    const run = await stage.play(inputs, { event: { ...github.scheduleEvent(), payload: {} } });
    expect(run.outputs.reason).toBe(reason);
  },
);
