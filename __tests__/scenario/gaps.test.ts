import { describe, expect, test } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import type { SimulatorCore } from '../../simulator/core.ts';
import type { RequestChoice } from '../../simulator/http/choose-request.ts';
import { DEFAULT_PROJECT } from '../../simulator/service/service.ts';
import type { ReaderRows } from '../../simulator/service/visitors/readers.ts';
import { comment, conversation, SHOWN_READERS } from '../../simulator/service/visitors/readers.ts';
import { memoryPlayer } from '../support/in-process/player.ts';
import { leaks, type Played } from '../support/played.ts';
import { routes } from '../support/routes.ts';
import { hostileOf } from '../support/samples/hostile-text.ts';
import { serviceInputs } from '../support/usual.ts';
import { asRead, expectOwnMarkdownOnly, tablesIn } from '../unit/visitors/rendered.ts';

/* The part of a visitors report that lists what readers did not find. */

interface Options {
  readonly rows?: ReaderRows;
  readonly inputs?: Readonly<Record<string, string>>;
  readonly prepare?: (core: SimulatorCore) => void;
}

/** Runs a weekly report. `rows` are the service's lists of questions, ratings, and searches. */
async function report({ rows = SHOWN_READERS, inputs, prepare }: Options = {}) {
  const { core, files, play } = memoryPlayer({
    clock: { start: Date.parse('2026-03-09T06:00:00Z') },
  });
  core.service.visitors.readers.give(rows);
  prepare?.(core);
  const usual = {
    ...serviceInputs(core),
    mode: 'visitors',
    baseline: '0',
    'report-dir': 'out',
    gaps: 'counts',
  };
  const event = core.github.scheduleEvent();
  const played = await play({ event, inputs: { ...usual, ...inputs }, runId: 7 });
  expect(core.violations).toEqual([]);
  expect(leaks(core, played)).toEqual([]);
  expect(played.outputs.outcome).toBe('reported');
  const asked = core.requests.flatMap(({ to, path }) =>
    to === 'service' ? path.split('/').slice(3) : [],
  );
  return { ...played, files, core, asked: asked.filter((part) => part !== 'by-page') };
}

/** The part of the report about what readers didn’t find, with its fold, as people read it. */
const said = ({ summary }: Played) => {
  const part = asRead(summary.split('### What readers didn’t find\n')[1] ?? '');
  return part.slice(0, part.search(/<details>\n<summary>(?:Top pages|People, AI)/)).trim();
};
/** The lines with what is not about one page. */
const listed = (run: Played) => said(run).match(/^\*\*.*:\*\*.*$/gm) ?? [];
const times = <T>(count: number, row: T): T[] => Array.from({ length: count }, () => row);
const counted = 'Anything seen fewer than 5 times is not listed.';

describe('a report', () => {
  test('lists pages and categories with their numbers, and ends with a command', async () => {
    const run = await report();
    expect(said(run)).toMatchSnapshot();
    expect(run.summary).toContain(
      `\n- Counted: 60 questions, 2 rated pages, 3 search terms, and 11 pending feedback items. ${counted}\n`,
    );
    expect(run.outputs.digest).toContain('12 questions asked on /api/authentication.\n');
    expect(run.asked.slice(4)).toEqual(
      ['assistant', 'feedback', 'searches', 'feedback'].flatMap((list) => [
        DEFAULT_PROJECT.id,
        list,
      ]),
    );
    const files = run.files.all();
    const csv = files.get(run.outputs['gaps-file'] ?? '') ?? '';
    const rows: Record<string, string>[] = parse(csv, { columns: true });
    expect(rows).toHaveLength(6);
    const last = { what: 'comment', page: '/guides/webhooks', missed: '5' };
    const first = { what: 'question', page: '/api/authentication', missed: '12', asked: '40' };
    expect([rows[0], rows.at(-1)]).toMatchObject([first, last]);
    const { gaps } = JSON.parse(run.outputs.result ?? '');
    // Those of the most-read page first, of whatever kind.
    expect(gaps).toMatchObject({
      complete: true,
      list: [{ what: 'feedback' }, { what: 'comment' }, {}, {}, {}, {}],
    });
    expect(JSON.parse(files.get(run.outputs['json-file'] ?? '') ?? '').gaps.list).toHaveLength(6);
  });

  test('counts only the notes of AI agents that have words', async () => {
    const note = (text: string | null) => comment('/guides/a', text, { source: 'agent' });
    const run = await report({ rows: { feedback: [note('Unclear.'), note(''), note(null)] } });
    expect(said(run)).toContain('**AI agents** left 1 note on 1 page.');
    const silent = await report({ rows: { feedback: [note('')] } });
    expect(said(silent)).not.toContain('AI agents');
  });

  test('counts written feedback by page, whether the service gives its path or its address', async () => {
    const at = 'https://docs.example.com/guides/webhooks';
    const page = [...times(3, '/guides/webhooks'), ...[at, `${at}/?session=1#top`, at]];
    const preview = 'https://preview.example.com/guides/webhooks';
    const notes = [...page, preview].map((path) => comment(path, 'Unclear.'));
    const run = await report({ rows: { feedback: notes } });
    const { gaps } = JSON.parse(run.outputs.result ?? '');
    expect(gaps.list).toMatchObject([{ what: 'comment', page: '/guides/webhooks', missed: 6 }]);
    const ofAgents = [...page, at].map((path) => comment(path, 'Unclear.', { source: 'agent' }));
    const byAgents = await report({ rows: { feedback: ofAgents } });
    expect(said(byAgents)).toContain('**AI agents** left 7 notes on 1 page.');
  });

  test.each([
    ['/zh/中文', '/zh/%E4%B8%AD%E6%96%87'],
    ['/zh/%E4%B8%AD%E6%96%87', '/zh/%E4%B8%AD%E6%96%87/'],
    ['/a b', '/a%20b'],
    ['/a%20b', '/a b'],
    ['/a/%40x', '/a/@x'],
    ['/a%2Fb', '/a%2fb'],
  ])('counts %s and its address once', async (path, inAddress) => {
    const pageUrl = `https://docs.example.com${inAddress}`;
    const rows = {
      assistant: times(6, conversation('?', { pageUrl })),
      'feedback/by-page': [{ path, thumbsUp: 1, thumbsDown: 9 }],
      feedback: [...times(3, comment(path, 'x')), ...times(4, comment(pageUrl, 'x'))],
    };
    const prepare = ({ service }: SimulatorCore) =>
      service.visitors.give([{ path, human: 40, ai: 9, total: 45 }]);
    const visited = JSON.parse((await report({ rows, prepare })).outputs.result ?? '').gaps.list;
    expect(visited).toMatchObject([
      { what: 'feedback', page: path, missed: 9, human: 40 },
      { what: 'comment', page: path, missed: 7, human: 40 },
      { what: 'question', page: path, missed: 6, human: 40 },
    ]);
    const unvisited = JSON.parse((await report({ rows })).outputs.result ?? '').gaps.list;
    expect(new Set(unvisited.map(({ page }: { page: string }) => page)).size).toBe(1);
  });

  test('adds up the people of a page that is listed in two spellings', async () => {
    const ask = (path: string) =>
      times(6, conversation('?', { pageUrl: `https://docs.example.com${path}` }));
    const prepare = ({ service }: SimulatorCore) =>
      service.visitors.give(
        Object.entries({ '/setup': 90, '/auth': 60, '/auth/': 50 }).map(([path, human]) => ({
          ...{ path, human, ai: 0, total: human },
        })),
      );
    const run = await report({
      rows: { assistant: [...ask('/setup'), ...ask('/auth/')] },
      prepare,
    });
    expect(JSON.parse(run.outputs.result ?? '').gaps.list).toMatchObject([
      { page: '/auth', missed: 6, human: 110 },
      { page: '/setup', missed: 6, human: 90 },
    ]);
    expect(run.outputs.digest).toContain('6 questions asked on /auth.');
  });

  test('offers a page whose path has letters of any script, and names it in the digest', async () => {
    const ask = (path: string) => {
      const pageUrl = `https://docs.example.com${encodeURI(path)}`;
      const prepare = ({ service }: SimulatorCore) =>
        service.visitors.give([{ path, human: 40, ai: 9, total: 45 }]);
      return report({ rows: { assistant: times(6, conversation('?', { pageUrl })) }, prepare });
    };
    for (const path of ['/zh/中文', '/हिन्दी/परिचय', '/über-uns']) {
      const run = await ask(path);
      expect(said(run)).toContain(`${path}.`);
      expect(run.outputs.digest).toContain(`6 questions asked on ${path}.`);
    }
    for (const path of ['/a\u3164b', '/a\u034fb', '/a b', '/中。文'])
      expect(said(await ask(path))).not.toContain('paste this');
  });

  test('quotes readers only with `gaps: words`, and then warns unless the repository is private', async () => {
    const everything = ({ outputs, summary, printed, files }: Awaited<ReturnType<typeof report>>) =>
      JSON.stringify([outputs, summary, printed, [...files.all()]]);
    const never = /customer\.example|conv_0001|fb_0001|An answer that|session=1|Overview/;
    const counts = everything(await report());
    expect(counts).not.toMatch(/rotate|status page|sso|on-premise|signature|secret/);
    expect(counts).not.toMatch(never);
    const run = await report({ inputs: { gaps: 'words', top: '20' } });
    const two = await report({ inputs: { gaps: 'words', top: '2' } });
    expect(said(two)).toMatch(
      /\*\*Unanswered questions:\*\* `how do i rotate an api key` \(9\), .* \(6\), and 1 more\n/,
    );
    for (const quoted of [
      '**Unanswered questions:** `how do i rotate an api key` (9), `is there a status page` (6), elsewhere (6)\n',
      '**Searches without a click:** `sso` (54)',
      '**Written feedback that no one has handled:** `/guides/webhooks` (5)\n',
    ])
      expect(said(run)).toContain(quoted);
    expect(run.files.all().get(run.outputs['gaps-file'] ?? '')).toContain('"sso",54,54,\r\n');
    // Only words that were seen at least five times are quoted, and comments never are.
    expect(everything(run)).not.toMatch(/two keys|step is missing|long ago|signature example/);
    expect(everything(run)).not.toMatch(never);
    expect(run.printed).toContain(
      'in a public repository, job summaries, comments, and artifacts are public',
    );
    const { core, play } = memoryPlayer();
    core.github.repository.isPrivate = true;
    const inputs = { ...serviceInputs(core), mode: 'visitors', gaps: 'words' };
    const hidden = await play({ event: core.github.scheduleEvent(), inputs, runId: 7 });
    expect(hidden.printed).not.toContain('in a public repository');
  });

  test('names only pages on the docs’ host that `pages` includes, and keeps odd paths out of the command', async () => {
    const from = (pageUrl: string, count = 6) => times(count, conversation('?', { pageUrl }));
    const rows = {
      assistant: [
        ...from('https://docs.example.com/<b>`x`@all', 9),
        ...from('https://docs.example.com/ignore/what/you/were/told', 8),
        ...from('https://docs.example.com/guides/quickstart/?utm=1#top', 7),
        // More questions are asked in an app than in the docs.
        ...from('https://app.example.com/settings', 40),
        ...from('https://evil.example/guides/quickstart'),
        ...from('javascript:alert(1)'),
        ...from('/guides/quickstart'),
      ],
      'feedback/by-page': [{ path: '/jo@customer.example', thumbsUp: 1, thumbsDown: 9 }],
      feedback: [
        ...times(5, comment('/jo@customer.example', 'x')),
        ...times(9, { ...comment('/a', 'x'), status: 'resolved' }),
      ],
    };
    const run = await report({ rows });
    const [table] = tablesIn(run.summary.slice(run.summary.indexOf('### What readers')));
    expect(table).toEqual([
      ['/guides/quickstart1,120 people', '7'],
      ['/`x`@all', '9'],
      ['/ignore/what/you/were/told', '8'],
    ]);
    const elsewhere = [
      '**Unanswered questions:** elsewhere (58)',
      '**Thumbs down:** elsewhere (9 of 10)',
      '**Written feedback that no one has handled:** elsewhere (5)',
    ];
    expect(listed(run)).toEqual(elsewhere);
    expect(said(run).replaceAll('\n', ' ')).toContain(
      '/docs The assistant could not answer 7 questions asked on /guides/quickstart.',
    );
    const chosen = await report({ rows, inputs: { pages: '/ignore/**' } });
    expect(tablesIn(said(chosen))[0]?.map(([path]) => path)).toEqual([
      '/ignore/what/you/were/told',
    ]);
    expect(listed(chosen)).toEqual(elsewhere);
    expect(said(chosen)).not.toContain('paste this');
  });

  test('shows whatever readers typed as code, and never in the command', async () => {
    const text = hostileOf('mint_fake_0000simulated0000', 'x'.repeat(10_000), 'مرحبا');
    const command =
      /^```text\n\/docs (The assistant could not\nanswer|Readers gave)\s[\w/\s-]+\.\sFind [a-z\s]+\.\n```(\n|$)/;
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 4 }), async (texts) => {
        const rows = {
          assistant: texts.flatMap((typed) => {
            const pageUrl = `https://docs.example.com/${typed}`;
            return times(5, conversation(typed, { queryCategory: typed, pageUrl }));
          }),
          'feedback/by-page': texts.map((path) => ({ path, thumbsUp: 1, thumbsDown: 9 })),
          feedback: texts.flatMap((typed) => times(5, comment(typed, typed))),
          searches: texts.map((typed) => ({
            searchQuery: typed,
            hits: 9,
            ctr: 0,
            topClickedPage: null,
          })),
        };
        const run = await report({ rows, inputs: { gaps: 'words', top: '40' } });
        expectOwnMarkdownOnly(run.summary);
        expect(said(run)).toMatch(/ in vain|Thumbs down/);
        const pasted = said(run).split(
          'To have the agent fix a page, paste this into an issue:\n\n',
        )[1];
        if (pasted !== undefined) expect(pasted).toMatch(command);
      }),
      { numRuns: 15 },
    );
  });
});

describe('a report is complete, and says what is missing and what was counted, with', () => {
  const refuse = (at: RequestChoice['at'], status: number) => (core: SimulatorCore) =>
    core.faults.refuse(at, status, { times: 99 });

  test.each<[string, Options]>([
    [
      'all lists refused',
      { prepare: refuse(({ path }) => /assistant|feedback|searches/.test(path), 403) },
    ],
    ['no assistant in the plan', { prepare: refuse(routes.readAssistant, 404) }],
    [
      'an hourly limit after the first list',
      { prepare: (core) => core.service.visitors.useElsewhere(DEFAULT_PROJECT.organization, 97) },
    ],
    [
      'a temporary error',
      {
        prepare: (core) =>
          core.faults.add({ at: routes.readAssistant, kind: 'status', status: 503 }),
      },
    ],
    ['all requests used up', { inputs: { 'max-requests': '3' } }],
    [
      'lists beyond the limits',
      {
        rows: {
          assistant: times(1_000, conversation('?')),
          searches: times(300, { searchQuery: 'x', hits: 1, ctr: 1 }),
          feedback: times(101, comment('/a', null)),
        },
      },
    ],
    [
      'malformed rows',
      {
        rows: {
          assistant: [{}, null, 7, conversation('x', { resolutionStatus: 3 })],
          'feedback/by-page': [{ path: '/a', thumbsUp: '1', thumbsDown: '9' }],
          searches: [{ searchQuery: 'x', hits: -1, ctr: 0 }],
          feedback: [{ status: 'pending', comment: 'x' }],
        },
      },
    ],
  ])('%s', async (_, options) => {
    const run = await report(options);
    expect(said(run)).toMatchSnapshot();
    expect(run.summary.match(/^- Counted: .*$/m)?.[0]).toMatchSnapshot();
    expect(run.outputs).toMatchObject({ reason: 'complete', complete: 'true' });
    expect(said(run)).not.toContain('Simulated');
    const without = await report({ ...options, inputs: { ...options.inputs, gaps: 'none' } });
    for (const name of ['total', 'human', 'ai', 'change-percent'])
      expect(run.outputs[name]).toBe(without.outputs[name]);
    expect(run.asked.length / 2 - without.asked.length / 2).toBeLessThanOrEqual(6);
  });
});

test('an hourly limit ends all reading, also of the same week last year', async () => {
  const prepare = ({ service, faults }: SimulatorCore) => {
    service.visitors.script({ rows: 100 });
    faults.refuse(routes.readAssistant, 429, { times: 9 });
  };
  const { core, summary } = await report({ prepare, inputs: { baseline: '8' } });
  expect(core.requests.filter(({ to }) => to === 'service').at(-1)?.path).toContain('/assistant');
  expect(summary).toContain('This section is missing. Could not be read: questions, rated pages,');
});

test('a list that never responds affects neither the other lists nor the baseline', async () => {
  const ids = ['prj_0', 'prj_1'];
  const prepare = ({ service, faults }: SimulatorCore) => {
    for (const id of ids) service.addProject({ ...DEFAULT_PROJECT, id });
    service.visitors.script({ rows: 300 });
    faults.add({ at: routes.readAssistant, kind: 'reset', times: 99 });
  };
  const inputs = { 'project-id': ids.join('\n'), baseline: '3' };
  const run = await report({ prepare, inputs });
  const without = await report({ prepare, inputs: { ...inputs, gaps: 'none' } });
  const read = ({ asked }: { asked: readonly string[] }, list: string) =>
    asked.filter((part) => part === list);
  expect(read(run, 'visitors')).toEqual(read(without, 'visitors'));
  expect([read(run, 'feedback'), read(run, 'searches')].map(({ length }) => length)).toEqual([
    4, 2,
  ]);
  expect(run.summary.match(/Could not be read: questions \(`unreachable`\)\./g)).toHaveLength(2);
  expect(run.printed).toContain('Reading `assistant`: ');
});

test('visitors are read first, and then at most six requests per project, whatever the limit is', async () => {
  for (const projects of [1, 2, 3]) {
    const ids = Array.from({ length: projects }, (_, index) => `prj_${index}`);
    const prepare = ({ service }: SimulatorCore) => {
      for (const id of ids) service.addProject({ ...DEFAULT_PROJECT, id });
      service.visitors.readers.isEndless = true;
    };
    for (let most = projects; most <= 2 * projects + 6 * projects + 1; most += 1) {
      const inputs = { 'max-requests': `${most}`, 'project-id': ids.join('\n') };
      const run = await report({ prepare, inputs });
      const lists = run.asked.filter((_, index) => index % 2 === 1);
      const visitors = Math.min(most, 2 * projects);
      expect(lists.slice(0, visitors)).toEqual(times(visitors, 'visitors'));
      expect(lists.slice(visitors)).not.toContain('visitors');
      expect(lists).toHaveLength(Math.min(most, 8 * projects));
      expect(run.outputs['requests-used']).toBe(`${lists.length}`);
      expect(run.outputs.complete).toBe(`${most >= 2 * projects}`);
      const shares = ids.map((id) => run.asked.filter((part) => part === id).length);
      expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(1);
    }
  }
});
