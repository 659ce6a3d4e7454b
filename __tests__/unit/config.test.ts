import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readAction } from '../../simulator/runner/action.ts';
import { readConfig } from '../../src/config.ts';
import type { RawInputs, Surroundings } from '../../src/core/common-inputs.ts';
import { InputError } from '../../src/core/errors.ts';
import { type ModeName, modeNames, modes } from '../../src/modes.ts';
import { agentConfig, inputProblems, outside } from '../support/samples/config.ts';

const read = (inputs: RawInputs, over?: Partial<Surroundings>) =>
  agentConfig({ prompt: 'x', ...inputs }, over);

/** The defaults in action.yml, which every mode gets. The two required inputs have none. */
const { 'api-key': _, 'project-id': __, ...defaults } = Object.fromEntries(readAction().inputs);
const needed: Partial<Record<ModeName, RawInputs>> = { agent: { prompt: 'x' } };

/** The problems reported for these inputs. All other inputs are valid. */
const problemsOf = (inputs: RawInputs, mode: ModeName = 'agent') =>
  inputProblems({ ...defaults, ...needed[mode], mode, ...inputs });

test('an input of another mode hides what only seems to be missing, and nothing that is set', async () => {
  const foreign = { inputs: ['period'], problem: expect.stringMatching(/^works only with/) };
  const given = { period: 'last-month', prompt: '' };
  expect(await problemsOf(given)).toMatchObject([foreign]);
  expect(await problemsOf({ ...given, 'project-id': 'a\nb' })).toMatchObject([foreign]);
  expect(await problemsOf({ ...given, 'prompt-file': 'missing.md' })).toMatchObject([
    foreign,
    { inputs: ['prompt-file'], problem: '(`missing.md`) is blank' },
  ]);
});

test('a reminder must be due while collect mode still reads its comment', async () => {
  const dueAfter = (days: string) =>
    problemsOf({ 'collect-since': '2 days', 'remind-after': days }, 'collect');
  expect(await dueAfter('3 days')).toEqual([]);
  const problem =
    'must be shorter than 4 days (twice `collect-since`)\nOlder comments aren’t read.';
  expect(await dueAfter('4 days')).toEqual([{ inputs: ['remind-after'], got: '4 days', problem }]);
});

test.each(['collect-since', 'remind-after'])('%s takes a number of days', async (input) => {
  const problem = 'must be 1 to 3650 days, such as `14 days`';
  for (const got of ['14', '0 days', '3651 days', '1.5 days'])
    expect(await problemsOf({ [input]: got }, 'collect')).toEqual([
      { inputs: [input], got, problem },
    ]);
});

test.each([
  ...['12', '#12', 'http://github.com/acme/docs/pull/12', 'https://github.com/acme/docs/issues/12'],
  ...[
    'https://github.com/acme/docs/pull/12files',
    'https://u:p@github.com/acme/docs/pull/1',
    'x https://a',
  ],
])('pull-request rejects %j', async (got) => {
  const problem =
    'must be the URL of a pull request, such as `https://github.com/acme/docs/pull/12`';
  expect(await problemsOf({ 'pull-request': got }, 'collect')).toMatchObject([
    { inputs: ['pull-request'], problem },
  ]);
});

test.each(['/', '/files', '/files/a1b2..c3d4#diff-1', '?w=1', '#issuecomment-1', ''])(
  'pull-request takes the URL of a pull request, also with %j after it',
  async (rest) => {
    const url = 'https://github.com/acme/docs/pull/12';
    const inputs = {
      'api-key': 'x',
      'project-id': 'y',
      mode: 'collect',
      'pull-request': `${url}${rest}`,
    };
    expect((await readConfig(inputs, outside)).config).toMatchObject({ pullRequest: url });
  },
);

test('with an unknown mode, only the mode and the inputs of every mode are judged', async () => {
  const problems = await problemsOf({
    mode: 'agnet',
    'project-id': 'a\nb',
    'base-url': 'x',
    allow: 'all',
  });
  expect(problems).toMatchObject([{ inputs: ['mode'] }, { inputs: ['base-url'] }]);
});

test('while the permission of a person is checked, bad inputs count as omitted', async () => {
  const good = { 'api-key': 'mint_fake_key', 'project-id': 'prj_1', prompt: 'x', thread: '7' };
  const { config } = await readConfig(
    { ...good, mode: 'agnet', allow: 'all', wait: 'maybe' },
    outside,
  );
  expect(config).toMatchObject({
    mode: 'agent',
    allow: 'write',
    wait: true,
    thread: 7,
    prompt: 'x',
  });
  const leaking = { ...good, prompt: 'a mint_fake_key', allow: 'admin', thread: 'mint_fake_key' };
  const gate = await readConfig(leaking, outside);
  expect(gate.config).toMatchObject({ allow: 'admin', thread: 'auto', prompt: '' });
  const { config: none } = await readConfig({ ...good, mode: 'collect' }, outside);
  expect(none).toBe(undefined);
});

test('a blank input counts as omitted', async () => {
  const isOptional = (name: string) => !['api-key', 'project-id', 'prompt'].includes(name);
  const names = Object.keys(modes.agent.inputs).filter(isOptional);
  expect(await read(Object.fromEntries(names.map((name) => [name, ' '])))).toEqual(await read({}));
});

test.each<[RawInputs, object]>([
  [{ 'timeout-minutes': ' 1 ' }, { timeoutMinutes: 1 }],
  [{ wait: 'False' }, { wait: false }],
  [{ 'dry-run': 'TRUE' }, { dryRun: true }],
  [{ 'fail-on': 'none' }, { failOn: new Set() }],
  [
    { 'fail-on': ' archived \n\nfailed,timed-out' },
    { failOn: new Set(['archived', 'failed', 'timed-out']) },
  ],
  [{ 'allow-users': '@Octocat\nrenovate[bot]' }, { allowUsers: ['octocat', 'renovate[bot]'] }],
  [{ context: 'none' }, { context: ['none'] }],
  [{ context: '\n changes\n\nthread \n' }, { context: ['changes', 'thread'] }],
  [{ 'context-limit': '256' }, { contextLimit: 262_144 }],
  [{ 'changes-since': ' 1 day ' }, { changesSince: 1 }],
  [{ 'changes-since': '3650 days' }, { changesSince: 3_650 }],
  [{ 'changes-since': 'release/v1.2.0-rc.1+b' }, { changesSince: 'release/v1.2.0-rc.1+b' }],
  [
    { paths: ' src/** \n\n!src/**/*.test.ts\nweb/[+]page.{ts,svelte}\nc\\+\\+/*,a/**\n' },
    { paths: ['src/**', '!src/**/*.test.ts', 'web/[+]page.{ts,svelte}', 'c\\+\\+/*,a/**'] },
  ],
  [{ thread: '12' }, { thread: 12 }],
  [{ thread: 'none' }, { thread: 'none' }],
  [{ prompt: '  indented\n  twice\n\n' }, { prompt: '  indented\n  twice' }],
  [{ 'api-key': ' mint_fake_key\n' }, { apiKey: 'mint_fake_key' }],
  [{ 'base-url': 'https://docs.example.com' }, { baseUrl: 'https://docs.example.com' }],
  [
    { 'base-url': 'https://docs.example.com:8443/a/b' },
    { baseUrl: 'https://docs.example.com:8443/a/b' },
  ],
  [{ 'base-url': 'HTTPS://DOCS.example.com' }, { baseUrl: 'https://docs.example.com' }],
  [{ 'base-url': 'http://localhost:3000' }, { baseUrl: 'http://localhost:3000' }],
  [{ 'base-url': 'http://127.8.9.1' }, { baseUrl: 'http://127.8.9.1' }],
  [{ 'base-url': 'http://[::1]:8080/x' }, { baseUrl: 'http://[::1]:8080/x' }],
])('reads %j', async (inputs, expected) => {
  expect(await read(inputs)).toMatchObject(expected);
});

const bad: Readonly<Record<string, readonly string[]>> = {
  'base-url': [
    ...[
      'http://docs.example.com',
      'http://127.0.0.1.example.com',
      'http://0.0.0.0',
      'docs.example.com',
    ],
    ...[
      'https://docs.example.com/?a=b',
      'https://docs.example.com/#a',
      'https://docs.example.com/docs/v2/',
    ],
  ],
  'timeout-minutes': ['soon', '-1', '0', '1441', '1e3', '7.5', '٣'],
  'project-id': ['.', '..'],
  'job-id': ['.', '..'],
  wait: ['yes', 'tRUE'],
  'dry-run': ['on'],
  'fail-on': ['never', 'failed, never', 'none, failed', 'none\nnone'],
  command: ['docs', '/', '/two words', '/1', `/${'a'.repeat(40)}`],
  allow: ['none', 'Write'],
  'allow-users': ['a b', '-a', 'renovate[bots]'],
  context: ['all', 'auto\nthread', 'none\nchanges', 'thread, changes', 'auto\nauto'],
  'context-limit': ['7', '257', '48 KiB'],
  'changes-since': ['0 days', '3651 days', 'a..b', 'HEAD~3', 'main@{7.days}', '/main'],
  paths: ['src/?.ts', '+(a|b)/**', '!', '! docs/**', '!docs/', '- src/**', 'src/[ab', 'src/(a'],
  continue: ['always', 'Auto'],
  'publish-branch': ['a b', 'refs/heads/main', '-x'],
  'max-open': ['0', '51', '2 per day'],
  thread: ['0', '-3', '#3', 'all', '1.5'],
  mode: ['agnet', 'Agent'],
};

test.each(
  Object.entries(bad).flatMap(([name, values]) => values.map((value) => [name, value] as const)),
)('%s rejects %j', async (name, value) => {
  const problems = await problemsOf({ [name]: value });
  expect(problems).toMatchObject([{ inputs: [name], got: value }]);
  expect(problems[0]?.problem).toMatch(/\w{2}/);
});

test.each(['mint_dsc_fake', 'mint_us_fake', 'mint_fäke', 'mint_fake\nmore'])(
  'the key %j is rejected but not shown',
  async (apiKey) => {
    const problems = await problemsOf({ 'api-key': apiKey });
    const problem = expect.stringMatching(/^(is an|contains) .*\nC.* admin key \(`mint_…`\)/);
    expect(problems).toMatchObject([{ inputs: ['api-key'], problem }]);
    expect(JSON.stringify(problems)).not.toContain(apiKey);
  },
);

test('a key and a project ID that were swapped are not shown', async () => {
  const swapped = { 'api-key': 'prj_of_the_docs', 'project-id': 'mint_fake_swapped' };
  const problems = await problemsOf({ ...swapped, 'project-id': 'mint_fake_key twice' });
  expect(JSON.stringify(problems)).not.toMatch(/prj_of|mint_fake/);
});

test.each<[string, string]>([
  ['https://user:secret@docs.example.com', 'https://***@docs.example.com'],
  ['https://secret@docs.example.com/a@b', 'https://***@docs.example.com/a@b'],
  ['https://a:b@c:secret@docs.example.com', 'https://***@docs.example.com'],
  ['http:\\\\user:secret@docs.example.com', 'http:\\\\***@docs.example.com'],
])('base-url %s is shown as %s', async (value, got) => {
  expect(await problemsOf({ 'base-url': value })).toMatchObject([{ got }]);
});

test('a prompt is optional if a comment started the run or `job-id` is set', async () => {
  expect(await problemsOf({ prompt: '\n' })).toMatchObject([{ inputs: ['prompt'] }]);
  expect(await read({ prompt: '' }, { needsPrompt: false })).toMatchObject({ prompt: undefined });
  expect(await read({ prompt: '', 'job-id': 'job_1' })).toMatchObject({
    prompt: undefined,
    jobId: 'job_1',
  });
});

test('any text as a number or URL is either understood or rejected with the name of its input', async () => {
  const name = fc.constantFrom('timeout-minutes', 'base-url');
  const value = fc.oneof(fc.string({ unit: 'binary' }), fc.integer().map(String), fc.webUrl());
  await fc.assert(
    fc.asyncProperty(name, value, async (input, text) => {
      try {
        const { timeoutMinutes, baseUrl } = await read({ [input]: text });
        expect(timeoutMinutes).toBeGreaterThanOrEqual(1);
        expect(timeoutMinutes).toBeLessThanOrEqual(1440);
        expect(baseUrl).toMatch(/^https:\/\/[^/@?#]+(\/[^?#]*[^/?#])?$/);
      } catch (error) {
        if (!(error instanceof InputError)) throw error;
        expect(error.problems).toMatchObject([{ inputs: [input] }]);
      }
    }),
  );
});

const inputNames = modeNames.flatMap((mode) => Object.keys(modes[mode].inputs));

test.each(modeNames)('%s mode accepts the defaults of all inputs in action.yml', async (mode) => {
  for (const raw of [{}, { 'fail-on': 'none' }, { 'dry-run': 'False' }])
    expect(await problemsOf(raw, mode)).toEqual([]);
});

test('a key that is a part of a default is fine', async () => {
  expect(await problemsOf({ 'api-key': 'mintlify' })).toEqual([]);
});

test.each(modeNames)(
  'in %s mode, an input that contains the key is an error that doesn’t show it',
  async (mode) => {
    for (const input of Object.keys(modes[mode].inputs).filter((name) => name !== 'api-key')) {
      const [first, ...more] = await problemsOf(
        { 'api-key': 'mint_fake_key', [input]: 'a/mint_fake_key' },
        mode,
      );
      expect(first).toMatchObject({
        inputs: [input],
        problem: expect.stringMatching(/^contains the API key\n/),
      });
      expect(JSON.stringify([first, more])).not.toContain('fake_key');
    }
  },
);

test('in every mode, an input that only other modes have is an error that names those modes', async () => {
  const values = fc.constantFrom('x', '7', 'total < -30%', 'thread');
  const all = [fc.constantFrom(...modeNames), fc.constantFrom(...inputNames), values] as const;
  await fc.assert(
    fc.asyncProperty(...all, async (mode, input, value) => {
      const owners = modeNames.filter((name) => input in modes[name].inputs);
      const problems = await problemsOf({ [input]: value }, mode);
      const whose = owners.map((owner) => `\`mode: ${owner}\``).join(' or ');
      const problem = `works only with ${whose}\nSet that mode, or remove \`${input}\`.`;
      if (owners.includes(mode))
        expect(problems).not.toContainEqual(expect.objectContaining({ problem }));
      else expect(problems).toEqual([{ inputs: [input], got: undefined, problem }]);
    }),
  );
});

test('an input of another mode doesn’t hide one that is invalid', async () => {
  const problems = await problemsOf({ 'collect-since': '1 day', wait: 'maybe' });
  expect(problems).toMatchObject([
    { inputs: ['collect-since'], problem: expect.stringMatching(/^works only with/) },
    { inputs: ['wait'], got: 'maybe' },
  ]);
});

const ofVisitors = { alerts: 'total > 1%', 'max-requests': '7', 'fail-on': 'alert\nincomplete' };

test.each<[RawInputs, ModeName]>([
  [{ ...ofVisitors, 'collect-since': '1 day' }, 'agent'],
  [{ 'fail-on': 'incomplete' }, 'agent'],
  [{ 'fail-on': 'detached, alert' }, 'visitors'],
])('%j in %s mode is one problem, unless no mode has them all', async (inputs, mode) => {
  expect(await problemsOf(inputs, mode)).toMatchSnapshot();
});
