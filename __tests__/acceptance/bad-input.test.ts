import { symlinkSync, writeFileSync } from 'node:fs';
import { beforeEach, expect, test } from '@jest/globals';
import { lastAnnotation, requestLines, Stage } from '../support/bundle/stage.ts';
import { nodesOf, parseGfm } from '../support/gfm.ts';

const stage = new Stage();

const files: Readonly<Record<string, string>> = {
  'prompt.md': '\ufeffFrom a file with a mark.\r\nTwo lines.\n\n',
  'blank.md': ' \n\t\n',
  'largest.md': '`é` '.repeat(52_000),
};
beforeEach(() => {
  for (const [name, text] of Object.entries(files)) writeFileSync(stage.path(name), text);
  symlinkSync('/proc/self/environ', stage.path('linked.md'));
});

const wrong: [name: string, inputs: Record<string, string>, problems: string[]][] = [
  [
    'no prompt at all',
    {},
    ['`prompt`: missing. This event has no comment to read a command from: set `prompt`'],
  ],
  [
    'a prompt and a file',
    { prompt: 'x', 'prompt-file': 'prompt.md' },
    ['`prompt-file`: got `prompt.md`; takes a file, but only if `prompt` isn’t set'],
  ],
  [
    'a file that does not exist',
    { 'prompt-file': 'none.md' },
    ['`prompt-file`: `none.md` can’t be used: no such file. Is there an `actions/checkout` step'],
  ],
  [
    'a symbolic link to the step’s environment, which contains the key',
    { 'prompt-file': 'linked.md' },
    ['`prompt-file`: `linked.md` can’t be used: it is outside the workspace'],
  ],
  ['a blank file', { 'prompt-file': 'blank.md' }, ['`prompt-file`: `blank.md` is blank']],
  [
    'an assistant key',
    { prompt: 'x', 'api-key': 'mint_dsc_fake1' },
    ['`api-key`: this is an assistant key (`mint_dsc_…`)'],
  ],
  [
    'inputs of another mode',
    { prompt: 'x', alerts: 'total > 1%', 'report-dir': 'out' },
    ['`alerts` and `report-dir` belong to `mode: visitors`, but this is `mode: agent`'],
  ],
  ['no key', { prompt: 'x', 'api-key': '' }, ['`api-key`: missing. Pass `${{ secrets.DOCS_API_KEY }}`.']],
  ['an unknown mode', { prompt: 'x', mode: 'agnet' }, ['`mode`: got `agnet`; takes one of agent']],
  [
    'several at once',
    {
      'api-key': 'mint_us_fake2',
      'project-id': '..',
      'base-url': 'http://api.example.com',
      'prompt-file': 'none.md',
      'timeout-minutes': 'soon',
      wait: 'maybe',
      'fail-on': 'never',
    },
    [
      '`api-key`: ',
      '`project-id`: ',
      '`base-url`: ',
      '`prompt-file`: ',
      '`timeout-minutes`: ',
      '`wait`: ',
      '`fail-on`: ',
    ],
  ],
  [
    'several at once in visitors mode',
    {
      ...{ mode: 'visitors', period: 'custom', 'date-from': '2026-02-30', 'time-zone': 'Mars/Olympus' },
      ...{ pages: '/[', charts: 'text', alerts: 'total < -30%\nhuman /guides/** < -50% min 50' },
      'report-dir': 'prompt.md/report',
    },
    [
      '`date-from`: got `2026-02-30`; takes a valid date',
      '`date-to`: `period: custom` needs a date here',
      '`time-zone`: got `Mars/Olympus`',
      '`pages`: got `/[`',
      'line 2: rules are no longer about pages. The report names pages that stand out without a rule',
      '`charts`: got `text`; takes one of mermaid, none',
      '`report-dir`: got `prompt.md/report`; takes a writable directory (`EEXIST',
    ],
  ],
  [
    'a missing prompt among others',
    { prompt: ' \n\t ', 'timeout-minutes': '0', 'project-id': '' },
    ['`prompt`: missing.', '`timeout-minutes`: got `0`', '`project-id`: '],
  ],
];

/** Error messages must wrap, so they contain neither code blocks nor characters with a special meaning in Markdown. */
function expectProse(markdown: string): void {
  const ours = new Set(['root', 'heading', 'paragraph', 'list', 'listItem', 'text', 'inlineCode']);
  for (const node of nodesOf(parseGfm(markdown))) {
    expect(ours).toContain(node.type);
    if (node.type === 'text') expect(node.value).not.toMatch(/[*<>[\]`_{}|]|:\/\//);
  }
}

test.each(wrong)('%s', async (_, inputs, problems) => {
  const run = await stage.play(inputs);
  expect(run.exitCode).toBe(1);
  expect(run.outputs).toEqual({ outcome: 'failed', reason: 'bad-input', result: expect.any(String) });
  const { level, title, message } = lastAnnotation(run);
  expect(level).toBe('error');
  expect(title).toMatch(
    problems.length === 1 ? /One input is wrong/ : new RegExp(`${problems.length} inputs are wrong`),
  );
  const lines = message.split('\n');
  expect(lines).toHaveLength(problems.length);
  for (const problem of problems) expect(lines).toContainEqual(expect.stringContaining(problem));
  for (const line of lines) expect(run.summary).toContain(line);
  expectProse(run.summary);
  expect(stage.simulator.requests).toEqual([]);
});

test.each([
  ['https://user:hunter2@api.example.com', 'https://***@api.example.com'],
  ['https://api.example.com/?key=mint_fake_0000simulated0000', 'https://api.example.com/?key=***'],
])('the secret in base-url %s is not shown', async (url, shown) => {
  const run = await stage.play({ prompt: 'x', 'base-url': url });
  expect(run.outputs.reason).toBe('bad-input');
  expect(lastAnnotation(run).message).toContain(`\`base-url\`: got \`${shown}\`; takes`);
  expect(JSON.stringify([run.outputs, run.summary, run.annotations, run.stdout])).not.toContain('hunter2');
  expect(stage.simulator.requests).toEqual([]);
});

test('only the beginning of a long bad value is shown', async () => {
  const run = await stage.play({ prompt: 'x', 'timeout-minutes': '1'.repeat(50_000) });
  expect(lastAnnotation(run).message.length).toBeLessThan(250);
});

test('only the first of a thousand mistakes are shown', async () => {
  const alerts = `${'total under 30%'.repeat(5)}\n`.repeat(1_000);
  const run = await stage.play({ mode: 'visitors', alerts });
  expect(lastAnnotation(run).message).toMatch(/ lines 1, 2, 3, 4, 5, and 995 more: after `total`, write /);
  expect(lastAnnotation(run).message.length).toBeLessThan(1_500);
});

test('the longest prompt is sent in full and shown in part, but a dry run’s log has all of it', async () => {
  const whole = '`é` '.repeat(52_000).trimEnd();
  const dry = await stage.play({ 'prompt-file': 'largest.md', 'dry-run': 'true' });
  expect(dry).toMatchObject({ outputs: { reason: 'dry-run' }, annotations: [{ level: 'notice' }] });
  expect(dry.log).toContain(whole);
  expect(dry.summary).toMatch(/\([\d,]+ more characters\)/);
  const run = await stage.play({ 'prompt-file': 'largest.md' });
  expect(run.outputs.outcome).toBe('pr-created');
  expect(stage.simulator.service.jobs[0]?.prompts).toEqual([whole]);
  expect(run.summary.length).toBeLessThan(10_000);
  expect(run.summary).toMatch(/\([\d,]+ more characters\)/);
  expect(JSON.stringify(run.state).length).toBeLessThan(20_000);
});

test('a prompt file is read from the workspace', async () => {
  await stage.play({ 'prompt-file': 'prompt.md', wait: 'false' });
  expect(stage.simulator.service.jobs[0]?.prompts).toEqual(['From a file with a mark.\r\nTwo lines.']);
});

test('an ID with special characters stays one segment of the path', async () => {
  const { service } = stage.simulator;
  const [id, encoded] = ['../a?b#c%2e%2e', '..%2Fa%3Fb%23c%252e%252e'];
  service.addProject({ id, apiKey: 'mint_fake_of_project', organization: 'org' });
  const run = await stage.play({ prompt: 'x', 'project-id': id, 'api-key': 'mint_fake_of_project' });
  expect(run.outputs.outcome).toBe('pr-created');
  expect(requestLines(stage.simulator.requests)[0]).toBe(`POST /v2/agent/${encoded}/job`);
  await stage.play({ 'job-id': id });
  expect(requestLines(stage.simulator.requests).at(-1)).toBe(
    `GET /v2/agent/prj_simulated_docs/job/${encoded}`,
  );
});

test.each(['/', '///'])('a base-url that ends in %s means the same', async (end) => {
  await stage.play({ prompt: 'x', wait: 'false', 'base-url': `${stage.simulator.url}${end}` });
  expect(requestLines(stage.simulator.requests)).toEqual(['POST /v2/agent/prj_simulated_docs/job']);
});
