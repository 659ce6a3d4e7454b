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

const visitors = { mode: 'visitors' };
const noThread = 'Thread 999 in `octo-org/docs` doesn’t exist, or the token can’t read it';

/**
 * One mistake each: what the message begins with, and what it says to do. `unit/messages` has the whole text of most messages;
 * these depend on the event, on files, on the time, on several inputs at once, or on GitHub.
 */
const mistakes: [name: string, inputs: Record<string, string>, problem: string, remedy?: string][] = [
  [
    'no prompt at all',
    {},
    '`prompt` is missing: this event has no comment to read a command from',
    'Set `prompt`, `prompt-file`, or `job-id`.',
  ],
  [
    'a symbolic link to the step’s environment, which contains the key',
    { 'prompt-file': 'linked.md' },
    '`prompt-file` (`linked.md`) can’t be used: it is outside the workspace',
  ],
  [
    'no thread to send',
    { prompt: 'x', context: 'thread' },
    '`context` can’t include `thread`: a `workflow_dispatch` event has no issue or pull request',
    'Remove `thread`.',
  ],
  [
    'no beginning of the changes',
    { prompt: 'x', context: 'changes' },
    '`changes-since` is missing: a `workflow_dispatch` event doesn’t come with a change',
    'Set it to where the changes begin:',
  ],
  [
    'a period in the future',
    { ...visitors, period: 'custom', 'date-from': '2025-11-01', 'date-to': '2027-01-01' },
    '`date-to` is in the future',
    'Use 2026-01-05 (today in UTC) or earlier.',
  ],
  [
    'a thread that does not exist',
    { prompt: 'x', thread: '999' },
    noThread,
    'Check `thread`, and the `permissions` of this job.',
  ],
  [
    'a beginning that does not exist',
    { prompt: 'x', context: 'changes', 'changes-since': 'v9' },
    '`changes-since` must be a tag, branch, or commit that shares history with the run’s commit; it is `v9`',
  ],
];

/** Several mistakes, and what each line of the list begins with. */
const several = {
  'api-key': 'mint_us_fake2',
  'project-id': '..',
  'base-url': 'http://api.example.com',
  'prompt-file': 'none.md',
  'timeout-minutes': 'soon',
  wait: 'maybe',
  'fail-on': 'never',
};
const severalProblems = [
  '`api-key` is an index key',
  '`project-id` has an invalid project, `..` (line 1): ',
  '`base-url` must be an https URL',
  '`prompt-file` (`none.md`) can’t be used: there is no such file. Is there',
  '`timeout-minutes` must be a whole number',
  '`wait` must be true or false; it is `maybe`.',
  '`fail-on` must be one or more of failed, ',
];

/** A summary without its last line, which must link the row about this reason. */
function withoutHelp(summary: string): string {
  const help = /\n\[More about this\]\(<https:\S+troubleshooting\.md#(?:bad-input|github-error)>\)\s+$/;
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

test.each(mistakes)('one mistake is one message: %s', async (_, inputs, problem, remedy = '') => {
  const run = await stage.play(inputs);
  expect(run).toMatchObject({ exitCode: 1, outputs: { outcome: 'failed' }, service: [] });
  expect(run.outputs.reason).toBe(problem.startsWith('Thread') ? 'github-error' : 'bad-input');
  expect(run.annotations).toMatchObject([{ level: 'error', title: 'Docs Agent' }]);
  const { message } = lastAnnotation(run);
  expect(message.slice(0, problem.length)).toBe(problem);
  expect(message).toContain(remedy);
  expect(message.split(problem)).toHaveLength(2);
  expect(message).not.toMatch(/\.\.(?!\.)|\n\n|\n- |undefined/);
  // The summary has the same: the problem is its heading.
  const [heading = '', rest = ''] = run.summary.split(/\n\n([\s\S]*)/);
  expect(heading).toContain(`### ❌ ${problem}`);
  expect(rest).toContain(remedy);
  expectProse(withoutHelp(run.summary).replace(/<details>[\s\S]*<\/details>/, ''));
});

test('each of several mistakes is named', async () => {
  const run = await stage.play(several);
  expect(run.exitCode).toBe(1);
  expect(run.outputs).toEqual({ outcome: 'failed', reason: 'bad-input', result: expect.any(String) });
  expect(run.annotations).toMatchObject([{ level: 'error', title: 'Docs Agent' }]);
  const [first, ...lines] = lastAnnotation(run).message.split('\n');
  expect(first).toBe(`${severalProblems.length} inputs are invalid.`);
  expect(lines).toHaveLength(severalProblems.length);
  for (const problem of severalProblems)
    expect(lines).toContainEqual(expect.stringContaining(`- ${problem}`));
  expect(withoutHelp(run.summary)).toBe(
    `### ❌ ${severalProblems.length} inputs are invalid\n\n${lines.join('\n')}`,
  );
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
  expect(JSON.stringify([run.outputs, run.summary, run.annotations, printed])).not.toContain('hunter2');
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

test('slashes at the end of base-url mean nothing', async () => {
  await stage.play({ prompt: 'x', wait: 'false', 'base-url': `${stage.simulator.url}///` });
  expect(requestLines(stage.simulator.requests)).toEqual(['POST /v2/agent/prj_simulated_docs/job']);
});
