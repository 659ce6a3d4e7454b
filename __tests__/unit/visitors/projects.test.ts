import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Projects } from '../../../src/core/projects.ts';
import type { CallOptions, VisitorsQuery } from '../../../src/service/client.ts';
import { ServiceError } from '../../../src/service/errors.ts';
import type { VisitorsPage } from '../../../src/service/schemas.ts';
import { startVisitors } from '../../../src/visitors/index.ts';
import type { VisitorsConfig } from '../../../src/visitors/inputs.ts';
import { parseAlertRules } from '../../../src/visitors/judge/alerts/alert-rules.ts';
import { shiftWindow } from '../../../src/visitors/read/window.ts';
import { MemoryFiles } from '../../support/files.ts';
import { timesOf } from '../../support/long.ts';
import { asRead, tablesIn } from './rendered.ts';
import { config, depsOf, honest, pagesOf, serviceOf, window, windowBefore } from './site.ts';

type AnswerOf = (id: string, query: VisitorsQuery, options: CallOptions) => VisitorsPage;

const projectsOf = (first: string, ...others: string[]): Projects => {
  const project = (name: string) => ({ id: name.toLowerCase(), name });
  return [project(first), ...others.map(project)];
};
const three = projectsOf('A', 'B', 'C');
/** Sends 300 rows for each week, on two pages. */
const site: AnswerOf = (_, query) => honest(() => pagesOf(300))(query);
const isNow = ({ dateFrom }: VisitorsQuery) => dateFrom === window.start;
/** Fails with this reason for some requests. */
const failing =
  (
    reason: ServiceError['reason'],
    isBroken: (id: string, query: VisitorsQuery) => boolean,
    otherwise = site,
  ): AnswerOf =>
  (id, query, options) => {
    if (isBroken(id, query)) throw new ServiceError(reason, `no: ${reason}`, { hint: 'Do this.' });
    return otherwise(id, query, options);
  };

async function play(
  answer: AnswerOf,
  more: Partial<VisitorsConfig> = {},
  files = new MemoryFiles(),
) {
  const asked: string[] = [];
  const forProject = (id: string) =>
    serviceOf((query, options) => {
      const weeks: Record<string, string> = {
        [window.start]: 'now',
        [windowBefore.start]: 'before',
      };
      asked.push(`${id} ${weeks[query.dateFrom ?? ''] ?? query.dateFrom} ${query.offset}`);
      return answer(id, query, options);
    }).service;
  const { deps, log } = depsOf({ ...forProject('none'), forProject }, { files });
  const result = await startVisitors({ ...config, projects: three, ...more }, deps);
  return { result, asked, log, files, names: [...files.all().keys()] };
}

type Fields = Readonly<Record<string, unknown>>;
const projectsIn = ({ result }: { result: Fields }) => result.projects as Fields[];

describe('requests', () => {
  const older = (asked: readonly string[]) => asked.filter((request) => /\d{4}/.test(request));

  test('read the first pages of all weeks, then the rows of the compared weeks, then those of earlier ones', async () => {
    const inputs = { projects: projectsOf('A', 'B'), baseline: 2, historyFile: 'h' };
    const { asked, files } = await play(site, inputs);
    expect(asked).toEqual([
      ...['a now 0', 'b now 0', 'a before 0', 'b before 0'],
      ...['a 2026-10-26 0', 'b 2026-10-26 0', 'a 2026-10-19 0', 'b 2026-10-19 0'],
      ...['a now 250', 'b now 250', 'a before 250', 'b before 250'],
      ...['a 2026-10-26 250', 'b 2026-10-26 250', 'a 2026-10-19 250', 'b 2026-10-19 250'],
    ]);
    const again = await play(site, inputs, files);
    expect(again.asked).toEqual([]);
    expect(again.result.summary).toBe((await play(site, inputs)).result.summary);
  });

  test.each([
    [12, 15],
    [4, 7],
    [0, 2],
  ])(
    'with `baseline: %d` are for that many weeks before the last two, and last year’s if there are enough',
    async (baseline, count) => {
      const answer: AnswerOf = (_, query) => honest(() => pagesOf(3))(query);
      const { asked } = await play(answer, { projects: projectsOf('A'), baseline });
      expect(asked).toHaveLength(count);
      const oldest = shiftWindow(window, -1 - baseline);
      const name = baseline === 0 ? 'before' : oldest.start;
      expect(asked[1 + baseline]).toBe(`a ${name} 0`);
    },
  );

  test('for other weeks go on if the service fails for two in a row, but none older is begun', async () => {
    const isOld = (_: string, { dateFrom }: VisitorsQuery) => dateFrom < '2026-10-20';
    const { asked, result } = await play(failing('bad-request', isOld), {
      projects: projectsOf('A'),
      baseline: 8,
    });
    expect(asked).toEqual([
      ...['a now 0', 'a before 0', 'a 2026-10-26 0', 'a 2026-10-19 0', 'a 2026-10-12 0'],
      ...['a now 250', 'a before 250'],
    ]);
    expect(result.summary).not.toContain('pages of Nov 9–15, 2026 could be read');
  });

  test('for one week that the service can’t count stop neither the others nor the usual range', async () => {
    const isBroken = (_: string, { dateFrom }: VisitorsQuery) => dateFrom === '2026-10-19';
    const answer = failing('service-error', isBroken, (_, query) =>
      honest(() => pagesOf(3))(query),
    );
    const inputs = { projects: projectsOf('A'), baseline: 12 };
    const { asked, result, log } = await play(answer, inputs);
    // All fourteen weeks, and last year’s.
    expect(asked).toHaveLength(15);
    expect(result.result).toMatchObject({ reason: 'complete' });
    expect(result.summary).toContain('is based on 12 earlier weeks. 1 more wasn’t read.');
    expect(log.filter((line) => line === 'info: A: no: service-error')).toHaveLength(1);
  });

  test('go on where an earlier run stopped, unless the counts have changed since', async () => {
    const inputs = { projects: projectsOf('A'), baseline: 4, historyFile: 'h' };
    const first = await play(site, { ...inputs, maxRequests: 6 });
    expect(first.asked.every((request) => request.endsWith(' 0'))).toBe(true);
    const files = (): MemoryFiles => {
      const copy = new MemoryFiles();
      copy.write('h', first.files.all().get('h') ?? '');
      return copy;
    };
    const again = await play(site, inputs, files());
    const begun = ['now', 'before', ...older(first.asked).map((request) => request.split(' ')[1])];
    const rest = begun.map((week) => `a ${week} 250`);
    expect(again.asked).toEqual([...rest, 'a 2025-11-10 0']);
    expect(again.result.summary).toBe((await play(site, inputs)).result.summary);
    const recounted: AnswerOf = (_, query) =>
      honest(() => pagesOf(300), { human: 901, ai: 300, total: 1101 })(query);
    const changed = await play(recounted, { ...inputs, baseline: 0 }, files());
    expect(changed.asked).toEqual([
      'a now 250',
      'a now 0',
      'a now 250',
      'a before 250',
      'a before 0',
      'a before 250',
    ]);
    expect(changed.result.result).toMatchObject({ reason: 'complete', total: 1101 });
  });

  test('keep what an earlier run read if the list starts over and then can’t be read', async () => {
    const inputs = { projects: projectsOf('A'), baseline: 4, historyFile: 'h' };
    const first = await play(site, { ...inputs, maxRequests: 6 });
    const stored = first.files.all().get('h') ?? '';
    const files = (): MemoryFiles => {
      const copy = new MemoryFiles();
      copy.write('h', stored);
      return copy;
    };
    const recounted: AnswerOf = (_, query) =>
      honest(() => pagesOf(300), { human: 901, ai: 300, total: 1101 })(query);
    const isFirst = (_: string, { offset }: VisitorsQuery) => offset === 0;
    const failed = await play(failing('service-error', isFirst, recounted), inputs, files());
    expect(failed.asked).toContain('a now 0');
    const total = first.result.result.total;
    expect(failed.result.result).toMatchObject({ reason: 'incomplete', total });
    expect(failed.files.all().get('h')).toBe(stored);
    // Without requests for the new first page, too.
    const cut = await play(recounted, { ...inputs, maxRequests: 1 }, files());
    expect(cut.asked).toEqual(['a now 250']);
    expect(cut.result.result).toMatchObject({ reason: 'incomplete', total });
    expect(cut.files.all().get('h')).toBe(stored);
  });

  test.each<[string, Partial<VisitorsConfig>, string, number]>([
    ['11 earlier months', { period: 'last-month', baseline: 11 }, '2025-10-01', 26],
    [
      'four earlier quarters',
      { period: 'custom', dateFrom: '2026-08-10', dateTo: '2026-11-09', baseline: 3 },
      '2025-08-11',
      10,
    ],
  ])('read the same period last year only once if it is one of %s', async (...row) => {
    const [, period, lastYear, requests] = row;
    const inputs = { projects: projectsOf('A'), historyFile: 'h', ...period };
    const { asked, files, result } = await play(site, inputs);
    expect(asked).toHaveLength(requests);
    expect(new Set(asked).size).toBe(requests);
    expect(asked.at(-1)).toBe(`a ${lastYear} 250`);
    expect(result.result).toMatchObject({ reason: 'complete', requestsUsed: requests });
    const lines = (files.all().get('h') ?? '').trimEnd().split('\n');
    const stored = lines.map((line) => JSON.parse(line));
    expect(stored[0]).toMatchObject({ start: lastYear, complete: true });
    expect(stored).toHaveLength(requests / 2);
    const again = await play(site, inputs, files);
    expect(again.asked).toEqual([]);
    expect(again.result.summary).toBe(result.summary);
  });

  test('that fail for the previous week leave a usual range', async () => {
    const growing: AnswerOf = (_, query) => {
      const weeks = (Date.parse(window.start) - Date.parse(query.dateFrom)) / (7 * 86_400_000);
      const total = Math.round(3372 / 1.01 ** weeks);
      return honest(() => pagesOf(1), { human: total, ai: 0, total })(query);
    };
    const inputs = { projects: projectsOf('A'), baseline: 12, historyFile: 'h' };
    const { files, result } = await play(growing, inputs);
    expect(result.message.text).toContain('Docs: 3,372 people, as usual');
    const older = (files.all().get('h') ?? '').split('\n');
    const isOlder = (line: string) =>
      !line.includes(window.start) && !line.includes(windowBefore.start);
    const kept = new MemoryFiles();
    kept.write('h', older.filter(isOlder).join('\n'));
    const isBefore = (_: string, { dateFrom }: VisitorsQuery) => dateFrom === windowBefore.start;
    const again = await play(failing('rate-limited', isBefore, growing), inputs, kept);
    expect(again.result.message.text).toContain('Docs: 3,372 people, as usual');
  });

  test('are for the first pages of all weeks before anything else, and the report says what all lists take', async () => {
    const { asked, result } = await play(site, {
      projects: projectsOf('A', 'B'),
      baseline: 4,
      maxRequests: 13,
    });
    expect(asked).toEqual([
      ...['a now 0', 'b now 0', 'a before 0', 'b before 0', 'a 2026-10-26 0', 'b 2026-10-26 0'],
      ...['a 2026-10-19 0', 'b 2026-10-19 0', 'a 2026-10-12 0', 'b 2026-10-12 0'],
      ...['a 2026-10-05 0', 'b 2026-10-05 0', 'a now 250'],
    ]);
    expect(result.summary).toContain('<br>Raise `max-requests` to at least 24 (currently 13).');
    expect(result.summary?.match(/Raise `max-requests`/g)).toHaveLength(3);
    expect(result.summary).toContain(
      ' most-read pages were judged: the last two weeks, compared with the 4 before.',
    );
    expect(result.result).toMatchObject({ reason: 'incomplete', complete: false });
    const enough = await play(site, {
      projects: projectsOf('A', 'B'),
      baseline: 4,
      maxRequests: 24,
    });
    expect(enough.result.result).toMatchObject({ reason: 'complete', requestsUsed: 24 });
    expect(enough.result.summary).not.toContain('No usual range: ');
  });

  test('the advised `max-requests` reads all lists, and one fewer doesn’t', async () => {
    const count = fc.integer({ min: 1, max: 8 });
    const pages = fc.array(fc.integer({ min: 1, max: 1200 }), { minLength: 8, maxLength: 8 });
    const most = fc.integer({ min: 8, max: 60 });
    const remedy = /Raise `max-requests` to (at least )?(\d+) /;
    await fc.assert(
      fc.asyncProperty(
        count,
        pages,
        most,
        fc.nat({ max: 3 }),
        async (length, rows, maxRequests, known) => {
          const ids = Array.from({ length }, (_, index) => `${index}`);
          const projects = projectsOf('0', ...ids.slice(1));
          const answer: AnswerOf = (id, query) =>
            honest(() => pagesOf(rows[Number(id)] ?? 0))(query);
          const inputs = { projects, baseline: 8, historyFile: 'h' };
          const files = new MemoryFiles();
          if (known > 0)
            await play(answer, { ...inputs, projects: [projects[0]], maxRequests: known }, files);
          const text = files.all().get('h') ?? '';
          const again = async (maxRequests: number) => {
            const fresh = new MemoryFiles();
            if (text !== '') fresh.write('h', text);
            return (await play(answer, { ...inputs, maxRequests }, fresh)).result;
          };
          const { summary = '', result } = await again(maxRequests);
          const [, isLeast, requests] = remedy.exec(summary.split('<details>')[0] ?? '') ?? [];
          fc.pre(result.reason === 'incomplete' && requests !== undefined);
          expect(Number(requests)).toBeGreaterThan(maxRequests);
          const whole = await again(Number(requests));
          if (isLeast !== undefined) return;
          expect(whole.result).toMatchObject({ complete: true });
          expect(whole.summary).not.toMatch(/most-read|Raise `max-requests`/);
          const fewer = await again(Number(requests) - 1);
          expect(fewer.summary).toMatch(
            /Raise `max-requests`|based on [4-8] earlier|with the [4-7] before/,
          );
        },
      ),
      { numRuns: timesOf(8) },
    );
  });

  test.each([
    ['12 projects', projectsOf('A', ...Array.from({ length: 11 }, (_, index) => `B${index}`)), 30],
    ['2,500 pages', projectsOf('A'), 2500],
  ])('are enough for a usual range with a history, even for %s', async (_, projects, rows) => {
    const large: AnswerOf = (__, query) => honest(() => pagesOf(rows))(query);
    const inputs = { projects, baseline: 12, maxRequests: 60, historyFile: 'h' };
    const first = await play(large, inputs);
    expect(first.result.result).toMatchObject({ requestsUsed: 60 });
    for (let run = 0; run < 5; run += 1) await play(large, inputs, first.files);
    const last = await play(large, inputs, first.files);
    expect(last.result.result).toMatchObject({ reason: 'complete', requestsUsed: 0 });
    expect(last.result.summary).toMatch(
      / people, as usual\*\* .* No page stands out\.|12 projects are as usual/,
    );
  });

  test('skip an earlier week that the budget can’t cover', async () => {
    const answer: AnswerOf = (_, query) => honest(() => pagesOf(600))(query);
    const { asked, result } = await play(answer, {
      projects: projectsOf('A'),
      baseline: 4,
      maxRequests: 13,
    });
    // The last two weeks take six requests, so seven are left.
    expect(older(asked)).toEqual([
      ...['a 2026-10-26 0', 'a 2026-10-19 0', 'a 2026-10-12 0', 'a 2026-10-05 0'],
      ...['a 2026-10-26 250', 'a 2026-10-26 500', 'a 2025-11-10 0'],
    ]);
    expect(result.result).toMatchObject({ reason: 'complete', requestsUsed: 13 });
  });

  test('for earlier weeks of a project stop if two in a row fail, and the report lacks the usual range', async () => {
    const isBroken = (id: string, { dateFrom }: VisitorsQuery) =>
      id === 'a' && dateFrom < '2026-11-02';
    const answer = failing('service-error', isBroken, (_, query) =>
      honest(() => pagesOf(3))(query),
    );
    const { asked, result } = await play(answer, { projects: projectsOf('A', 'B'), baseline: 4 });
    const ofBoth = ['a 2026-10-26 0', 'b 2026-10-26 0', 'a 2026-10-19 0', 'b 2026-10-19 0'];
    const ofB = ['b 2026-10-12 0', 'b 2026-10-05 0', 'b 2025-11-10 0'];
    expect(older(asked)).toEqual([...ofBoth, ...ofB]);
    expect(projectsIn(result).map(({ reason }) => reason)).toEqual(['incomplete', 'complete']);
    expect(result.summary).toContain(
      '> **There is no usual range, and pages aren’t judged: 4 earlier weeks weren’t read.** no: service-error. Do this.\n',
    );
  });

  test('leave out the last projects if the budget is too small, and the report names them', async () => {
    const { asked, result } = await play(site, { maxRequests: 2 });
    expect(asked).toEqual(['a now 0', 'b now 0']);
    expect(result.result).toMatchObject({ outcome: 'reported', reason: 'incomplete' });
    expect(projectsIn(result)[2]).toMatchObject({
      name: 'C',
      reason: 'budget-spent',
      complete: false,
    });
    expect(result.summary).toContain('> **3 projects are incomplete:** A, B, and C.');
  });
});

describe('a project that fails', () => {
  test('is named in the report on the others', async () => {
    const reason = 'service-error';
    const { result, log, names } = await play(failing(reason, (id) => id === 'b'));
    expect(result).toMatchObject({
      result: { outcome: 'reported', reason: 'incomplete' },
      red: false,
    });
    expect(projectsIn(result)).toMatchObject([
      { name: 'A', reason: 'complete' },
      { name: 'B', reason, complete: false, error: `no: ${reason}.\nDo this.` },
      { name: 'C', reason: 'complete' },
    ]);
    expect(tablesIn(result.summary ?? '')[0]).toEqual([['B', 'not read', '–']]);
    const why = `no: ${reason}. Do this.\n`;
    expect(result.summary).toContain(`> **1 project is incomplete:** B.<br>${why}`);
    expect(result.summary).toContain(`> **This project could not be read.** ${why}`);
    expect(result.message).toMatchObject({
      level: 'warning',
      title: 'The visitors report is incomplete',
    });
    expect(log).toContain(`info: B: no: ${reason}`);
    expect(names.filter((path) => path.includes('-b-'))).toEqual([]);
    expect(names).toHaveLength(5);
  });

  test('fails the run if all fail, with the first error', async () => {
    const answer: AnswerOf = (id) => {
      throw new ServiceError(id === 'a' ? 'unauthorized' : 'not-found', `no: ${id}`, {
        hint: `Fix ${id}.`,
      });
    };
    const { result, names } = await play(answer);
    expect(names).toEqual([]);
    expect(result.outputs).toEqual({ 'requests-used': '3' });
    expect(result).toMatchObject({
      result: { outcome: 'failed', reason: 'unauthorized' },
      red: true,
    });
    expect(result.message.text).toBe('no: a.\nFix a.');
  });

  test('stops all requests if the service is unreachable for the next one, too', async () => {
    const { result, asked } = await play(failing('unreachable', (id) => id !== 'a'));
    expect(asked).toEqual(['a now 0', 'b now 0', 'c now 0']);
    expect(result.result).toMatchObject({ outcome: 'reported', reason: 'incomplete' });
    expect(projectsIn(result)[0]).toMatchObject({ complete: false, changePercent: null });
  });
});

test('a rule applies to all projects, or to one by name or ID, and its alert names the project', async () => {
  const { rules } = parseAlertRules('ai-share > 20%\nB: ai-share > 25%\nc: ai-share > 99%');
  const { result } = await play(site, { alerts: rules });
  const fired = [
    'A: ai-share > 20%',
    'B: ai-share > 20%',
    'B: ai-share > 25%',
    'C: ai-share > 20%',
  ];
  const lines = fired.map((line) => line.replace('>', 'above')).join(', ');
  expect(result.message.text).toContain(`\nAlerts: ${lines}\n\n`);
  const digest = expect.stringContaining(`\nAlerts: ${lines}\n\n`);
  expect(result.outputs).toMatchObject({ alerts: fired.join('\n'), digest });
  expect(result.summary).toMatch(
    /<br>Alerts: A: `ai-share > 20%` \(\d+%\), B: `ai-share > 20%` \(\d+%\), B: `ai-share/,
  );
  expect(asRead(result.summary ?? '')).toContain('<summary>C: alert</summary>');
});

test('the report, digest, message, and result list the rules that an unread project left unchecked', async () => {
  const { rules } = parseAlertRules('total < -30%\nai-share > 20%\nB: human > 5%');
  const answer = failing('not-found', (id) => id === 'b');
  const { result } = await play(answer, { alerts: rules });
  expect(result.summary).toContain('\n\n3 alert rules could not be checked for B.\n\n');
  expect(result.summary).toContain(
    '<summary>Alert rules not checked (3)</summary>\n\n- `total < -30%`: the project could not be read.\n- `ai-share > 20%`: the project',
  );
  const verdict = '\n\n3 alert rules could not be checked for B. 1 project is incomplete: B.';
  expect(result.outputs).toMatchObject({ digest: expect.stringContaining(verdict) });
  expect(result.message.text).toContain(verdict);
  const why = 'the project could not be read';
  expect(projectsIn(result)[1]).toMatchObject({
    reason: 'not-found',
    alerts: rules.map(({ text }) => ({ rule: text, state: 'unchecked', why })),
  });
});

describe('the report', () => {
  test('on one project doesn’t show its name', async () => {
    const plain = await play(site, { projects: [{ id: 'a', name: 'a' }] });
    const named = await play(site, { projects: [{ id: 'a', name: 'A' }] });
    expect(named.result).toEqual(plain.result);
    expect(named.files.all()).toEqual(plain.files.all());
    expect(plain.asked).toEqual(['a now 0', 'a before 0', 'a now 250', 'a before 250']);
  });

  test('has a row for each project: people and usual range', async () => {
    const { result } = await play((id, query) => {
      const total = id === 'a' ? (isNow(query) ? 1100 : 950) : id === 'b' ? 1000 : 0;
      const rows =
        total === 0 ? [] : pagesOf(3, (index) => (isNow(query) || index > 0 ? 300 : 100));
      return honest(() => rows, { human: 0.8 * total, ai: total / 4, total })(query);
    });
    expect(tablesIn(result.summary ?? '')[0]).toEqual([['C', '0', '–']]);
    expect(tablesIn(result.summary ?? '').at(-1)).toEqual([
      ['A', '880', '–'],
      ['B', '800', '–'],
    ]);
    expect(asRead(result.summary ?? '')).toContain('<summary>C: no visitors</summary>');
    expect(result.result.reason).toBe('complete');
    expect(result.outputs).toMatchObject({ total: '', 'change-percent': '', complete: 'true' });
  });

  test('says who is unusual in the fold’s title, the digest, and the message', async () => {
    const { result } = await play(
      (id, query) => {
        const odd = id === 'b' && isNow(query);
        const human = odd ? 1050 : 2100;
        return honest(() => pagesOf(3, () => 300), { human, ai: 3000 - human, total: 3000 })(query);
      },
      { baseline: 8 },
    );
    const line =
      'needs a look\nNov 9–15\nCheck B first: ▼ 1,050 people (usually 2,011–2,193).\n\nB: ▼ 1,050 people (usual: 2,011–2,193 people)\n\nAs usual: A 2,100 · C 2,100';
    expect(result.outputs).toMatchObject({ digest: expect.stringContaining(line) });
    expect(result.message.text).toContain(line);
    expect(tablesIn(result.summary ?? '')[0]).toEqual([['B', '▼ 1,050', '2,011–2,193']]);
    expect(asRead(result.summary ?? '')).toContain('<summary>B: ▼ 1,050 people</summary>');
  });
});
