import { describe, expect, test } from '@jest/globals';
import { ActionError } from '../../../src/core/errors.ts';
import type { VisitorsQuery } from '../../../src/service/client.ts';
import { ServiceError } from '../../../src/service/errors.ts';
import { parseAlertRules } from '../../../src/visitors/alert-rules.ts';
import { runVisitors } from '../../../src/visitors/index.ts';
import type { VisitorsConfig } from '../../../src/visitors/inputs.ts';
import { type Answer, config, depsOf, githubOf, honest, pagesOf, serviceOf, window } from './site.ts';

const isNow = ({ dateFrom }: VisitorsQuery) => dateFrom === window.start;
const which = (queries: readonly VisitorsQuery[]) =>
  queries.map((query) => `${isNow(query) ? 'now' : 'before'}:${query.offset}`);
const site = honest((from) => pagesOf(from === window.start ? 600 : 300));

const play = async (answer: Answer, more: Partial<VisitorsConfig> = {}) => {
  const { service, queries } = serviceOf(answer);
  const { deps, log, files } = depsOf(service);
  return { result: await runVisitors({ ...config, ...more }, deps), queries, log, files };
};

describe('a report', () => {
  test('is read in as many requests as the rows need, written, and handed back', async () => {
    const { result, queries, files } = await play(site);
    expect(which(queries)).toEqual(['now:0', 'before:0', 'now:250', 'now:500', 'before:250']);
    expect(result).toMatchObject({ result: { outcome: 'reported', reason: 'complete' }, red: false });
    expect(result.outputs).toEqual({
      total: '1100',
      human: '900',
      ai: '300',
      'ai-share': '27.3',
      'change-percent': '0.0',
      'period-start': '2026-11-09',
      'period-end': '2026-11-16',
      complete: 'true',
      'requests-used': '5',
      alerts: '',
      'report-file': 'out/visitors-acme-2026-W46.md',
      'csv-file': 'out/visitors-acme-2026-W46.csv',
      'json-file': 'out/visitors-acme-2026-W46.json',
      digest: [
        'Docs visitors, 9–15 November 2026',
        '1,100 visitors, about as many as in the week before (1,100). AI was 27.3% of them, as in the week before.',
        '+4,700 /section-6/page-300\n+4,699 /section-0/page-301\n+4,698 /section-1/page-302',
        'https://github.test/octo-org/docs/actions/runs/77',
      ].join('\n\n'),
    });
    expect(files.get('out/visitors-acme-2026-W46.md')).toBe(result.summary);
    expect([...files.keys()]).toHaveLength(3);
    expect(result.message.level).toBe('notice');
  });

  test('is about the week before the run was created, else before two hours ago', async () => {
    const { service, queries } = serviceOf(honest(() => []));
    const { deps } = depsOf(service, { github: githubOf(async () => Date.parse('2026-11-09T00:00:00Z')) });
    await runVisitors({ ...config, compare: 'none' }, deps);
    const monday = Date.parse('2026-11-16T01:59:00Z');
    const clock = { ...deps.clock, now: () => monday };
    await runVisitors({ ...config, compare: 'none' }, { ...deps, clock, github: undefined });
    expect(queries.map(({ dateFrom }) => dateFrom)).toEqual(['2026-11-02', '2026-11-02']);
  });

  test('of a run that GitHub does not tell about assumes two hours, and says so', async () => {
    const { service, queries } = serviceOf(honest(() => []));
    const refuse = async () => {
      throw new ActionError('github-error', '403: actions: read is missing');
    };
    const { deps, log } = depsOf(service, { github: githubOf(refuse) });
    await runVisitors({ ...config, compare: 'none' }, deps);
    expect(queries.map(({ dateFrom }) => dateFrom)).toEqual([window.start]);
    expect(log).toContainEqual(
      expect.stringMatching(/^warning: .*two hours ago is assumed.*actions: read is missing$/),
    );
  });
});

describe('a service that fails', () => {
  test('on the window before leaves a report without a comparison', async () => {
    const { result, log } = await play((query) => {
      if (!isNow(query)) throw new ServiceError('bad-request', 'too long ago');
      return site(query);
    });
    expect(result.outputs).toMatchObject({ complete: 'false', 'change-percent': '', total: '1100' });
    expect(result.summary).toContain('Incomplete: nothing of the week before was read.');
    expect(log).toContain('warning: 2–8 November 2026 could not be read: too long ago');
  });
});

test.each([
  ['one project', config.projects],
  ['two projects', [config.projects[0], { id: 'b', name: 'B' }] as const],
])('a file that cannot be written loses nothing but files, and the step is red: %s', async (_, projects) => {
  const { service } = serviceOf(site);
  const whole = await runVisitors({ ...config, projects, reportDir: undefined }, depsOf(service).deps);
  const read = () => undefined;
  const write = (path: string) => {
    if (path.endsWith('.json'))
      throw new ActionError('file-error', `Writing ${path} did not work`, { hint: 'Make room.' });
  };
  const result = await runVisitors({ ...config, projects }, depsOf(service, { files: { read, write } }).deps);
  const error = 'Writing out/visitors-acme-2026-W46.json did not work.\nMake room.';
  expect(result.result).toEqual({
    mode: 'visitors',
    outcome: 'failed',
    reason: 'file-error',
    error,
    requestsUsed: 5 * projects.length,
  });
  expect(result.red).toBe(true);
  expect(result.outputs).toEqual(whole.outputs);
  expect(result.outputs).toMatchObject({
    complete: 'true',
    'csv-file': '',
    'json-file': '',
    'report-file': '',
  });
  expect(result.summary).toBe(
    `### ❌ The run could not do its work\n\n${error.replace('\n', ' ')}\n\nThe report is not in files, but here:\n\n${whole.summary}`,
  );
  expect(result.message).toMatchObject({ level: 'error', text: `${error}\n${whole.message.text}` });
});

test('alerts that fire are outputs, one annotation, and red where that was asked for', async () => {
  const { rules } = parseAlertRules('total < -10%\nai-share > 99%\nhuman /section-1/** < -20%');
  const answer = (query: VisitorsQuery) =>
    isNow(query)
      ? honest(() => pagesOf(8, () => 100), { human: 60, ai: 50, total: 100 })(query)
      : honest(() => pagesOf(8, () => 200), { human: 150, ai: 60, total: 200 })(query);
  const { result } = await play(answer, { alerts: rules, failOn: new Set(['alert']) });
  expect(result).toMatchObject({
    red: true,
    outputs: { alerts: 'total < -10%\nhuman /section-1/** < -20%' },
  });
  expect(result.message).toMatchObject({ level: 'error', title: 'Visitors alert' });
  expect(result.message.text).toContain(
    'total < -10%: −50.0% (200 → 100)\nhuman /section-1/** < -20%: 1 page',
  );
  expect(result.result).toHaveProperty('alerts', [
    { rule: 'total < -10%', state: 'fired', found: 1 },
    { rule: 'ai-share > 99%', state: 'quiet' },
    { rule: 'human /section-1/** < -20%', state: 'fired', found: 1 },
  ]);
  expect((await play(answer, { alerts: rules })).result).toMatchObject({
    red: false,
    message: { level: 'warning' },
  });
});

test('a thread that was asked for and cannot be reached is missed', async () => {
  const { service } = serviceOf(site);
  const { deps, log } = depsOf(service, { github: undefined });
  const result = await runVisitors({ ...config, thread: { kind: 'number', number: 12 } }, deps);
  expect(result.result.outcome).toBe('reported');
  expect(log).toContain('warning: The report was not posted to #12: that takes a `github-token`');
  expect((await play(site)).log.join()).not.toContain('warning');
});
