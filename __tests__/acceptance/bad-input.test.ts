import { symlinkSync, writeFileSync } from 'node:fs';
import { beforeEach, expect, test } from '@jest/globals';
import { lastAnnotation, requestLines, Stage } from '../support/bundle/stage.ts';
import { nodesOf, parseGfm } from '../support/gfm.ts';

const stage = new Stage();

const files: Readonly<Record<string, string>> = {
  'prompt.md': '\ufeffFrom a file with a mark.\r\nTwo lines.\n\n',
  'largest.md': '`é` '.repeat(52_000),
};
beforeEach(() => {
  for (const [name, text] of Object.entries(files)) writeFileSync(stage.path(name), text);
  symlinkSync('/proc/self/environ', stage.path('linked.md'));
});

/**
 * One mistake each. `unit/messages` has most messages; these depend on the event, on files, on the time, on several inputs at
 * once, or on GitHub.
 */
const mistakes: [name: string, inputs: Record<string, string>][] = [
  ['no prompt at all', {}],
  [
    'a symbolic link to the step’s environment, which contains the key',
    { 'prompt-file': 'linked.md' },
  ],
  ['an unknown mode with its inputs', { mode: 'visitor', alerts: 'total > 1%' }],
  [
    'a forgotten mode, with an input and a value that others have, too',
    { alerts: 'total > 1%', 'max-requests': '20', 'fail-on': 'alert, incomplete' },
  ],
  ['paths without changes', { prompt: 'x', paths: 'src/**' }],
  ['no thread to send', { prompt: 'x', context: 'thread' }],
  ['no beginning of the changes', { prompt: 'x', context: 'changes' }],
  [
    'a period in the future',
    { mode: 'visitors', period: 'custom', 'date-from': '2025-11-01', 'date-to': '2027-01-01' },
  ],
  ['a thread that does not exist', { prompt: 'x', thread: '999' }],
  ['a beginning that does not exist', { prompt: 'x', context: 'changes', 'changes-since': 'v9' }],
];

/** Seven mistakes. */
const several = {
  'api-key': 'mint_us_fake2',
  'project-id': '..',
  'base-url': 'http://api.example.com',
  'prompt-file': 'none.md',
  'timeout-minutes': 'soon',
  wait: 'maybe',
  'fail-on': 'never',
};

/** A summary without its last line, which must link the row about this reason. */
function withoutHelp(summary: string): string {
  const help =
    /\n\[More about this\]\(<https:\S+troubleshooting\.md#(?:bad-input|github-error)>\)\s+$/;
  expect(summary).toMatch(help);
  return summary.replace(help, '').trimEnd();
}

/** Error messages must wrap, so they contain neither code blocks nor characters with a special meaning in Markdown. */
function expectProse(markdown: string): void {
  const ours = new Set(['root', 'heading', 'paragraph', 'list', 'listItem', 'text', 'inlineCode']);
  for (const node of nodesOf(parseGfm(markdown))) {
    expect(ours).toContain(node.type);
    if (node.type === 'text') expect(node.value).not.toMatch(/[*<>[\]`_{}|]|:\/\//);
  }
}

test.each(mistakes)('one mistake is one message: %s', async (_, inputs) => {
  const run = await stage.play(inputs);
  expect(run).toMatchObject({ exitCode: 1, outputs: { outcome: 'failed' }, service: [] });
  expect(run.annotations).toMatchObject([{ level: 'error', title: 'Docs Agent' }]);
  const { message } = lastAnnotation(run);
  expect(`${run.outputs.reason}: ${message}`).toMatchSnapshot();
  expect(message).not.toMatch(/\.\.(?!\.)|\n\n|\n- |undefined/);
  // The summary has the same: the problem is its heading.
  const [heading = '', rest = ''] = run.summary.split(/\n\n([\s\S]*)/);
  const [problem = '', remedy = ''] = message.split('\n');
  expect(heading).toContain(`### ❌ ${problem.replace(/\.$/, '')}`);
  expect(rest).toContain(remedy);
  expectProse(withoutHelp(run.summary).replace(/<details>[\s\S]*<\/details>/, ''));
});

test('each of several mistakes is named', async () => {
  const run = await stage.play(several);
  expect(run.exitCode).toBe(1);
  expect(run.outputs).toEqual({
    outcome: 'failed',
    reason: 'bad-input',
    result: expect.any(String),
  });
  expect(run.annotations).toMatchObject([{ level: 'error', title: 'Docs Agent' }]);
  const { message } = lastAnnotation(run);
  expect(message).toMatchSnapshot();
  const [first, ...lines] = message.split('\n');
  expect(withoutHelp(run.summary)).toBe(`### ❌ 7 inputs are invalid\n\n${lines.join('\n')}`);
  expect(JSON.parse(run.outputs.result ?? '').error).toBe([first, ...lines].join('\n'));
  expectProse(withoutHelp(run.summary));
  expect(stage.simulator.requests).toEqual([]);
});

test.each<[string, Record<string, string>, RegExp]>([
  [
    'credentials in a URL',
    { 'base-url': 'https://user:hunter2@api.example.com' },
    /^`base-url` must be an https URL .*; it is `https:\/\/\*\*\*@api\.example\.com`\./,
  ],
  [
    'the key in other inputs',
    {
      'api-key': 'mint_hunter2',
      'base-url': 'https://a.example/?key=mint_hunter2',
      'changes-since': 'mint_hunter2',
    },
    /^`base-url` and `changes-since` contain the API key\.\nRemove it; /,
  ],
])('%s is not shown, and nothing is requested', async (_, inputs, says) => {
  const run = await stage.play({ prompt: 'x', context: 'changes', ...inputs });
  expect(run.outputs.reason).toBe('bad-input');
  expect(lastAnnotation(run).message).toMatch(says);
  const printed = run.stdout.replace('::add-mask::mint_hunter2', '');
  expect(JSON.stringify([run.outputs, run.summary, run.annotations, printed])).not.toContain(
    'hunter2',
  );
  expect(stage.simulator.requests).toEqual([]);
});

test('only the beginning of a long bad value is shown', async () => {
  const run = await stage.play({ prompt: 'x', 'timeout-minutes': '1'.repeat(50_000) });
  expect(lastAnnotation(run).message.length).toBeLessThan(250);
});

test('the longest prompt is sent in full and shown in part, but a dry run’s log has all of it', async () => {
  const whole = '`é` '.repeat(52_000).trimEnd();
  const dry = await stage.play({ 'prompt-file': 'largest.md', 'dry-run': 'true' });
  expect(dry).toMatchObject({ outputs: { reason: 'dry-run' }, annotations: [{ level: 'notice' }] });
  expect(dry.log).toContain(whole);
  expect(dry.summary).toMatch(/…`?\n```/);
  const run = await stage.play({ 'prompt-file': 'largest.md' });
  expect(run.outputs.outcome).toBe('pr-created');
  expect(stage.simulator.service.jobs[0]?.prompts).toEqual([whole]);
  expect(run.summary.length).toBeLessThan(10_000);
  expect(run.summary).toMatch(/…`?\n```/);
  expect(JSON.stringify(run.state).length).toBeLessThan(20_000);
});

test('a prompt file is read from the workspace', async () => {
  await stage.play({ 'prompt-file': 'prompt.md', wait: 'false' });
  expect(stage.simulator.service.jobs[0]?.prompts).toEqual([
    'From a file with a mark.\r\nTwo lines.',
  ]);
});

test('an ID with special characters stays one segment of the path', async () => {
  const { service } = stage.simulator;
  const [id, encoded] = ['../a?b#c%2e%2e', '..%2Fa%3Fb%23c%252e%252e'];
  service.addProject({ id, apiKey: 'mint_fake_of_project', organization: 'org' });
  const run = await stage.play({
    prompt: 'x',
    'project-id': id,
    'api-key': 'mint_fake_of_project',
  });
  expect(run.outputs.outcome).toBe('pr-created');
  expect(requestLines(stage.simulator.requests)[0]).toBe(`POST /v2/agent/${encoded}/job`);
  await stage.play({ 'job-id': id });
  expect(requestLines(stage.simulator.requests).at(-1)).toBe(
    `GET /v2/agent/prj_simulated_docs/job/${encoded}`,
  );
});

test('slashes at the end of base-url mean nothing', async () => {
  await stage.play({ prompt: 'x', wait: 'false', 'base-url': `${stage.simulator.url}///` });
  expect(requestLines(stage.simulator.requests)).toEqual(['POST /v2/agent/prj_simulated_docs/job']);
});
