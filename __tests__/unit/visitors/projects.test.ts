import { describe, expect, test } from '@jest/globals';
import type { Projects } from '../../../src/core/inputs/projects.ts';
import type { CallOptions, VisitorsQuery } from '../../../src/service/client.ts';
import { ServiceError } from '../../../src/service/errors.ts';
import type { VisitorsPage } from '../../../src/service/schemas.ts';
import { parseAlertRules } from '../../../src/visitors/alert-rules.ts';
import { runVisitors } from '../../../src/visitors/index.ts';
import type { VisitorsConfig } from '../../../src/visitors/inputs.ts';
import { parse, rowsOf, tablesOf } from './rendered.ts';
import { config, depsOf, filesIn, honest, pagesOf, serviceOf, window } from './site.ts';

type AnswerOf = (id: string, query: VisitorsQuery, options: CallOptions) => VisitorsPage;

const projectsOf = (first: string, ...others: string[]): Projects => {
  const project = (name: string) => ({ id: name.toLowerCase(), name });
  return [project(first), ...others.map(project)];
};
const three = projectsOf('A', 'B', 'C');
/** Two pages of rows each. */
const site: AnswerOf = (_, query) => honest(() => pagesOf(300))(query);
const isNow = ({ dateFrom }: VisitorsQuery) => dateFrom === window.start;
const failing = (reason: ServiceError['reason']) =>
  new ServiceError(reason, `no: ${reason}`, { hint: 'Do this.' });

async function play(answer: AnswerOf, more: Partial<VisitorsConfig> = {}, files = new Map<string, string>()) {
  const asked: string[] = [];
  const forProject = (id: string) =>
    serviceOf((query, options) => {
      asked.push(`${id} ${isNow(query) ? 'now' : 'before'} ${query.offset}`);
      return answer(id, query, options);
    }).service;
  const { deps, log } = depsOf({ ...forProject('nobody'), forProject }, { files: filesIn(files) });
  const result = await runVisitors({ ...config, projects: three, ...more }, deps);
  return { result, asked, log, files };
}

interface Row {
  readonly name: string;
  readonly reason: string;
  readonly complete: boolean;
  readonly changePercent?: number | null;
}
const projectsIn = ({ result }: { result: Readonly<Record<string, unknown>> }) => result.projects as Row[];

describe('the order of requests', () => {
  test('with fewer than projects leaves out the last ones, and says which', async () => {
    const { asked, result } = await play(site, { maxRequests: 2 });
    expect(asked).toEqual(['a now 0', 'b now 0']);
    expect(result.result).toMatchObject({ outcome: 'reported', reason: 'incomplete' });
    expect(projectsIn(result)[2]).toMatchObject({ name: 'C', reason: 'budget-spent', complete: false });
    expect(result.summary).toContain('> Incomplete: nothing could be read of `C`;');
  });

  test('lets no project that fails use up the totals of the others', async () => {
    const tries: Record<string, number | undefined> = {};
    await play(
      (id, query, options) => {
        tries[`${id} ${isNow(query)} ${query.offset}`] = options.tries;
        return site(id, query, options);
      },
      { maxRequests: 7 },
    );
    expect(tries).toMatchObject({
      'a true 0': 4,
      'c true 0': 4,
      'a false 0': 2,
      'b false 0': 2,
      'c false 0': 2,
    });
  });
});

describe('a project that fails', () => {
  test.each([
    ['not-found', 'refused'],
    ['service-error', 'gave no answer that could be used'],
  ] as const)('with %s leaves the others, and is told by name', async (reason, words) => {
    const { result, log, files } = await play((id, query, options) => {
      if (id === 'b') throw failing(reason);
      return site(id, query, options);
    });
    expect(result).toMatchObject({ result: { outcome: 'reported', reason: 'incomplete' }, red: false });
    expect(projectsIn(result)).toMatchObject([
      { name: 'A', reason: 'complete' },
      { name: 'B', reason, complete: false, error: `no: ${reason}.\nDo this.` },
      { name: 'C', reason: 'complete' },
    ]);
    expect(result.summary).toContain('> Incomplete: nothing could be read of `B`.');
    expect(result.summary).toContain(
      `> \`B\`: The service ${words} (\`${reason}\`). Do this. What it said is in the log.\n`,
    );
    expect(result.summary).toContain(`> Nothing could be read of this project (\`${reason}\`). Do this.`);
    expect(result.summary).not.toContain(`no: ${reason}`);
    expect(result.message).toMatchObject({ level: 'warning', title: 'The visitors report is incomplete' });
    expect(log).toContain(`warning: B: 9–15 November 2026 could not be read: no: ${reason}. Do this.`);
    expect([...files.keys()].filter((path) => path.includes('-b-'))).toEqual([]);
    expect(files.size).toBe(5);
  });

  test('like all others fails the run as the first did, writes nothing, and is named with its reason; of many alike five are', async () => {
    const reasons = ['bad-request', 'not-found', 'forbidden'] as const;
    const projects = projectsOf('A', ...Array.from({ length: 9 }, (_, index) => `B${index}`), 'C');
    const { result, asked, files } = await play(
      (id) => {
        const reason = reasons[id === 'a' ? 0 : id === 'c' ? 2 : 1];
        throw new ServiceError(reason ?? 'timeout', `no: ${reason}`, {
          said: `@${id}`,
          hint: `Mend ${reason}.`,
        });
      },
      { projects },
    );
    expect(asked).toHaveLength(11);
    expect(files.size).toBe(0);
    expect(result.outputs).toEqual({ 'requests-used': '11' });
    expect(result).toMatchObject({ result: { outcome: 'failed', reason: 'bad-request' }, red: true });
    const what =
      'None of the 11 projects could be read. `A`: no: bad-request (`bad-request`); `B0`, `B1`, `B2`, `B3`, `B4`, and 4 more: no: not-found (`not-found`); `C`: no: forbidden (`forbidden`)';
    const hint = 'Mend bad-request. Mend not-found. Mend forbidden.';
    expect(result.message.text).toBe(
      `${what}: A: @a\nB0: @b0\nB1: @b1\nB2: @b2\nB3: @b3\nand 6 more.\n${hint}`,
    );
    expect(result.summary).toContain(`${what}. ${hint}\n`);
  });

  test('for a key that is refused later is the last that is asked, and what was read is reported', async () => {
    const { result, asked } = await play((id, query, options) => {
      if (query.offset > 0 && id === 'b') throw failing('unauthorized');
      return site(id, query, options);
    });
    expect(asked.slice(6)).toEqual(['a now 250', 'b now 250']);
    expect(result.result).toMatchObject({ outcome: 'reported', reason: 'incomplete' });
    expect(projectsIn(result).map(({ changePercent }) => changePercent)).toEqual([0, 0, 0]);
  });

  test('without an answer is the last but one that is asked', async () => {
    const { result, asked } = await play((id, query, options) => {
      if (id !== 'a') throw failing('unreachable');
      return site(id, query, options);
    });
    expect(asked).toEqual(['a now 0', 'b now 0', 'c now 0']);
    expect(result.result).toMatchObject({ outcome: 'reported', reason: 'incomplete' });
    expect(projectsIn(result)[0]).toMatchObject({ complete: false, changePercent: null });
  });
});

test('alerts are for all, or for one by its name or id, and are told with the name', async () => {
  const { rules } = parseAlertRules('ai-share > 20%\nB: ai-share > 25%\nc: ai-share > 99%');
  const { result } = await play(site, { alerts: rules });
  expect(result.outputs.alerts?.split('\n')).toEqual([
    'A: ai-share > 20%',
    'B: ai-share > 20%',
    'B: ai-share > 25%',
    'C: ai-share > 20%',
  ]);
  expect(result.message.text).toContain('B: ai-share > 25%: 27.3%');
  expect(result.summary).toContain('2 of 3 rules fired, in 4 places. See `A`, `B`, and `C`.');
  expect(result.summary).toContain('<summary><code>C</code>, alert</summary>');
});

test('rules that could not be checked, of a project that could not be read, are told by its name, counted, and in the result with the reason', async () => {
  const { rules } = parseAlertRules('total < -30%\nai-share > 20%\nB: human > 5%');
  const { result } = await play(
    (id, query, options) => {
      if (id === 'b') throw failing('not-found');
      return site(id, query, options);
    },
    { alerts: rules },
  );
  expect(result.summary).toContain(
    '\n1 of 3 rules fired, in 2 places. See `A` and `C`. 3 alert rules could not be checked for `B`.\n',
  );
  expect(result.summary).toContain(
    '#### Not checked\n\n- `total < -30%`: nothing of the project could be read.\n- `ai-share > 20%`: nothing',
  );
  expect(result.outputs.digest).toContain(
    '1 of 3 rules fired, in 2 places.\n\n3 alert rules could not be checked.\n',
  );
  expect(result.message.text).toContain('\n3 alert rules could not be checked for B.\nA: ai-share > 20%');
  const why = 'nothing of the project could be read';
  expect(projectsIn(result)[1]).toMatchObject({
    reason: 'not-found',
    alerts: rules.map(({ text }) => ({ rule: text, state: 'unchecked', why })),
  });
});

describe('the report', () => {
  test('of one project is what it is without a name, to the byte', async () => {
    const plain = await play(site, { projects: [{ id: 'a', name: 'a' }] });
    const named = await play(site, { projects: [{ id: 'a', name: 'A' }] });
    expect(named.result).toEqual(plain.result);
    expect([...named.files]).toEqual([...plain.files]);
    expect(plain.asked).toEqual(['a now 0', 'a before 0', 'a now 250', 'a before 250']);
  });

  test('has a row each: visitors, change in the words of its own report, AI share, mover', async () => {
    const totals = { a: [1100, 950], b: [1000, 1000], c: [0, 0] };
    const { result } = await play((id, query) => {
      const [now, before] = totals[id as keyof typeof totals] ?? [];
      const total = (isNow(query) ? now : before) ?? 0;
      const rows = total === 0 ? [] : pagesOf(3, (index) => (isNow(query) || index > 0 ? 300 : 100));
      return honest(() => rows, { human: 700, ai: total / 4, total })(query);
    });
    const [table] = tablesOf(parse(result.summary ?? ''));
    expect(rowsOf(table)).toEqual([
      ['A', '1,100', '▲ 150 (+15.8%)', '25.0%', '/section-0/page-0 (+200)'],
      ['B', '1,000', 'about as many', '25.0%', '/section-0/page-0 (+200)'],
      ['C', 'none recorded', '–', '–', '–'],
    ]);
    expect(result.result.reason).toBe('complete');
    expect(result.outputs).toMatchObject({ total: '', 'change-percent': '', complete: 'true' });
  });
});
