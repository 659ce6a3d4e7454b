import { expect, test } from '@jest/globals';
import { type Change, whyIrrelevant } from '../../../src/agent/context/change.ts';
import { createFileFilter } from '../../../src/agent/context/files.ts';
import type { PullRequest } from '../../../src/github/changes.ts';
import { change, file, pullRequest } from '../../support/samples/changes.ts';

const person = { login: 'octocat', isBot: false };
const bot = { login: 'Renovate[bot]', isBot: true };
const judged = (over: Partial<PullRequest> = {}, isOwn = false) => ({
  ...pullRequest(over),
  isOwn,
});
const of = (over: Partial<PullRequest>) => ({ consistsOf: [judged(over)] });
const relevant = change({
  consistsOf: [judged()],
  pusher: person,
  headMessage: 'Retry after a timeout',
  files: { files: [file('src/a.ts'), file('docs/b.md')], isWhole: true },
});
const reasonOf = (over: Partial<Change>, globs = ['src/**'], allowUsers: string[] = []) =>
  whyIrrelevant({ ...relevant, ...over }, { isChosen: createFileFilter(globs), allowUsers })
    ?.reason;

test('a change is relevant if it changes a chosen file, or if its files have not been read yet', () => {
  expect(reasonOf({})).toBeUndefined();
  expect(whyIrrelevant({ topic: '' }, { isChosen: () => true, allowUsers: [] })).toBeUndefined();
  expect(reasonOf({ consistsOf: [], pusher: undefined, headMessage: undefined })).toBeUndefined();
});

test('a change without a chosen file is skipped only if all its files are known', () => {
  expect(reasonOf({}, ['api/**'])).toBe('no-relevant-changes');
  expect(reasonOf({ files: { files: [file('docs/b.md')], isWhole: true } })).toBe(
    'no-relevant-changes',
  );
  expect(reasonOf({ files: { files: [file('docs/b.md')], isWhole: false } })).toBeUndefined();
  const moved = file('lib/a.ts', { oldPath: 'src/a.ts', status: 'renamed' });
  expect(reasonOf({ files: { files: [moved], isWhole: true } })).toBeUndefined();
});

test.each([[[]], [['!docs/**']]])(
  'a change without any file is skipped, with `paths` %j',
  (globs) => {
    expect(reasonOf({ files: { files: [], isWhole: true } }, globs)).toBe('no-relevant-changes');
  },
);

test('a bot’s pull request or push is skipped, unless the bot is allowed', () => {
  for (const over of [{ pusher: bot }, of({ author: bot })]) {
    expect(reasonOf(over)).toBe('bot-change');
    expect(reasonOf(over, [], ['renovate[bot]'])).toBeUndefined();
    expect(reasonOf(over, [], ['renovate'])).toBe('bot-change');
  }
});

const template = 'x (#3)\n\n<!-- write\n[skip docs] to skip -->\nDone.';

test.each<[string, 'skip-docs' | undefined, Partial<Change>]>([
  ['its title, in capitals', 'skip-docs', of({ title: '[Skip Docs] x' })],
  [
    'its description, as shown',
    'skip-docs',
    of({ body: { source: '', rendered: 'x\n[skip docs]\ny' } }),
  ],
  ['a label', 'skip-docs', of({ labels: ['bug', 'Skip-Docs'] })],
  ['another label', undefined, of({ labels: ['skip-docs-check'] })],
  ['its newest commit', 'skip-docs', { headMessage: 'x\n<!-- a -->[skip docs]<!-- b' }],
  ['an HTML comment in a squashed commit', undefined, { headMessage: template }],
  [
    'an HTML comment without an end',
    undefined,
    { headMessage: 'x\n\n<!-- write [skip docs] to skip' },
  ],
  ['other words', undefined, { headMessage: '[skip ci] skip docs [skip  docs]' }],
])('a change is checked for a reason to skip it in %s: %s', (_, reason, over) => {
  expect(reasonOf(over)).toBe(reason);
});

test('the first reason in a fixed order is reported', () => {
  const rest: Partial<Change>[] = [
    { consistsOf: [judged({}, true)] },
    { pusher: bot },
    { headMessage: '[skip docs]' },
    { hasBase: false },
    { files: { files: [], isWhole: true } },
  ];
  const reasons = rest.map((_, first) => reasonOf(Object.assign({}, ...rest.slice(first))));
  expect(reasons).toEqual([
    'own-change',
    'bot-change',
    'skip-docs',
    'no-base',
    'no-relevant-changes',
  ]);
});

test('several pull requests are skipped only if there is a reason for each', () => {
  const [own, ofBot] = [judged({}, true), judged({ author: bot })];
  const labeled = judged({ labels: ['skip-docs'] });
  expect(reasonOf({ consistsOf: [own, own] })).toBe('own-change');
  expect(reasonOf({ consistsOf: [ofBot, own, labeled] })).toBe('bot-change');
  expect(reasonOf({ consistsOf: [own, judged()] })).toBeUndefined();
  expect(
    reasonOf({ consistsOf: [judged(), judged()], headMessage: 'x [skip docs]' }),
  ).toBeUndefined();
});
