import { describe, expect, test } from '@jest/globals';
import { type About, chooseAbout, whyNoChange } from '../../src/agent/about.ts';
import { type GitHubEvent, parseEvent } from '../../src/github/event.ts';
import { context } from '../support/samples/cards.ts';
import { agentConfig } from '../support/samples/config.ts';

const [issue, pullRequest] = [
  { number: 7, title: 'A question', body: 'Why?' },
  { number: 9, title: 'A change', body: null, head: { sha: 'h'.repeat(40) } },
];
const comment = { id: 40, body: '/docs add it', user: { login: 'maintainer' } };
const commented = (issue: object) =>
  parseEvent('issue_comment', { action: 'created', comment, issue });
const events = {
  'a comment on an issue': commented(issue),
  'a comment on a pull request': commented({ ...pullRequest, pull_request: {} }),
  'an issue': parseEvent('issues', { action: 'opened', issue }),
  'a pull request': parseEvent('pull_request', { action: 'opened', pull_request: pullRequest }),
  'a push': parseEvent('push', {
    ref: 'refs/heads/main',
    before: 'a',
    after: 'b',
    head_commit: null,
  }),
  'a release': parseEvent('release', { action: 'published', release: { tag_name: 'v2' } }),
  'a schedule': parseEvent('schedule', {}),
} satisfies Record<string, GitHubEvent>;
type EventName = keyof typeof events;

const read = async (name: EventName, inputs: Record<string, string>, isCommand = false) => {
  const config = await agentConfig({ prompt: 'x', ...inputs }, { needsPrompt: false });
  return chooseAbout(events[name], config, context.sha, isCommand);
};

const ofNine: About['change'] = { kind: 'pull-request', number: 9 };
const sinceV1: About['change'] = { kind: 'since', since: 'v1', head: context.sha };

test.each<[string, EventName, object | undefined]>([
  [
    '',
    'a comment on an issue',
    { thread: { number: 7, written: { body: 'Why?' } }, change: undefined },
  ],
  ['', 'a comment on a pull request', { thread: { number: 9 }, sendsThread: true, change: ofNine }],
  ['none', 'a comment on a pull request', undefined],
  ['thread', 'a comment on a pull request', { thread: { number: 9 }, change: undefined }],
  ['changes', 'a comment on a pull request', { sendsThread: false, change: ofNine }],
  ['changes', 'a comment on an issue', undefined],
  ['thread\nchanges', 'a comment on an issue', { thread: { number: 7 }, change: undefined }],
])('a command with `context` %j, in %s', async (choice, name, expected) => {
  const about = await read(name, { context: choice }, true);
  if (expected === undefined) expect(about).toBeUndefined();
  else expect(about).toMatchObject({ maySkip: false, ...expected });
});

describe('a prompt from the inputs', () => {
  test('is sent without context by default', async () => {
    for (const name of Object.keys(events) as EventName[])
      expect(await read(name, {})).toBeUndefined();
  });

  test.each<[string, EventName, object]>([
    ['changes', 'a pull request', { change: ofNine, sendsThread: false, thread: undefined }],
    [
      'thread\nchanges',
      'a pull request',
      { change: ofNine, sendsThread: true, thread: { number: 9 } },
    ],
    ['changes', 'a push', { change: { kind: 'push', push: { after: 'b' } } }],
    ['thread\nchanges', 'a push', { sendsThread: true, thread: undefined }],
    ['changes', 'a release', { change: { kind: 'release', tag: 'v2' } }],
    ['thread', 'an issue', { thread: { number: 7 }, change: undefined }],
  ])('with `context` %j, on %s', async (choice, name, expected) => {
    const about = await read(name, { context: choice });
    expect(about).toMatchObject({ maySkip: true, ...expected });
  });

  test('with `changes-since`, is about everything since then, but a command on a pull request isn’t', async () => {
    const inputs = { context: 'changes', 'changes-since': 'v1' };
    for (const name of ['a schedule', 'a push', 'a pull request'] as const)
      expect(await read(name, inputs)).toMatchObject({ change: sinceV1 });
    expect(await read('a comment on a pull request', inputs, true)).toMatchObject({
      change: ofNine,
    });
  });

  test('is sent with the thread from the inputs, but a run that only follows a job sends nothing', async () => {
    const about = await read('a schedule', { context: 'thread', thread: '12' });
    expect(about).toMatchObject({ thread: { number: 12, written: undefined } });
    expect(
      await read('a push', { prompt: '', 'job-id': 'job_1', context: 'changes' }),
    ).toBeUndefined();
  });

  test.each<[Record<string, string>, EventName, string]>([
    [{ context: 'changes' }, 'a schedule', 'changes-since'],
    [{ context: 'changes' }, 'an issue', 'changes-since'],
    [{ context: 'thread' }, 'a schedule', 'context'],
    [{ paths: 'src/**' }, 'a push', 'paths'],
    [{ 'changes-since': 'v1' }, 'a push', 'changes-since'],
  ])('%j on %s is an error about `%s`', async (inputs, name, input) => {
    expect(await read(name, inputs)).toMatchObject({ name: 'InputError', problems: [{ input }] });
  });
});

test('a release that is edited has no change to document, unless `changes-since` is set', async () => {
  const event = parseEvent('release', { action: 'edited', release: { tag_name: 'v2' } });
  const whyNot = async (inputs: Record<string, string>) =>
    whyNoChange(event, await agentConfig({ prompt: 'x', ...inputs }));
  expect(await whyNot({ context: 'changes' })).toEqual(expect.any(String));
  expect(await whyNot({ context: 'changes', 'changes-since': '7 days' })).toBeUndefined();
  expect(await whyNot({})).toBeUndefined();
});
