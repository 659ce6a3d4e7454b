import { expect, test } from '@jest/globals';
import { type Change, whyIrrelevant } from '../../../src/agent/context/change.ts';
import { fileFilter } from '../../../src/agent/context/files.ts';
import type { PullRequest } from '../../../src/github/changes.ts';
import { change, file, pullRequest } from '../../support/samples/changes.ts';

const person = { login: 'octocat', isBot: false };
const bot = { login: 'Renovate[bot]', isBot: true };
const judged = (over: Partial<PullRequest> = {}, isOwn = false) => ({ ...pullRequest(over), isOwn });
const of = (over: Partial<PullRequest>) => ({ consistsOf: [judged(over)] });
const relevant = change({
  consistsOf: [judged()],
  pusher: person,
  headMessage: 'Retry after a timeout',
  files: { files: [file('src/a.ts'), file('docs/b.md')], isWhole: true },
});
const reasonOf = (over: Partial<Change>, globs = ['src/**'], allowUsers: string[] = []) =>
  whyIrrelevant({ ...relevant, ...over }, { isChosen: fileFilter(globs), allowUsers })?.reason;

test('a change of a file that matters is for the agent, and so is one whose files are not read yet', () => {
  expect(reasonOf({})).toBeUndefined();
  expect(whyIrrelevant({ happened: '' }, { isChosen: () => true, allowUsers: [] })).toBeUndefined();
  expect(reasonOf({ consistsOf: [], pusher: undefined, headMessage: undefined })).toBeUndefined();
});

test('no file matters: only where all files are known', () => {
  expect(reasonOf({}, ['api/**'])).toBe('no-relevant-changes');
  expect(reasonOf({ files: { files: [file('docs/b.md')], isWhole: true } })).toBe('no-relevant-changes');
  expect(reasonOf({ files: { files: [file('docs/b.md')], isWhole: false } })).toBeUndefined();
  const moved = file('lib/a.ts', { oldPath: 'src/a.ts', status: 'renamed' });
  expect(reasonOf({ files: { files: [moved], isWhole: true } })).toBeUndefined();
});

test.each([[[]], [['!docs/**']]])('a change without any file is for nobody, with `paths` %j', (globs) => {
  expect(reasonOf({ files: { files: [], isWhole: true } }, globs)).toBe('no-relevant-changes');
});

test('a bot that opened or pushed it, unless it is let in', () => {
  for (const over of [{ pusher: bot }, of({ author: bot })]) {
    expect(reasonOf(over)).toBe('bot-change');
    expect(reasonOf(over, [], ['renovate[bot]'])).toBeUndefined();
    expect(reasonOf(over, [], ['renovate'])).toBe('bot-change');
  }
});

test.each<[string, Partial<Change>]>([
  ['the title, in capitals', of({ title: '[Skip Docs] x' })],
  ['the description as it is shown', of({ body: { source: '', rendered: 'x\n[skip docs]\ny' } })],
  ['a label', of({ labels: ['bug', 'Skip-Docs'] })],
  ['the newest commit, behind a comment', { headMessage: 'x\n<!-- a -->[skip docs]<!-- b' }],
])('asked to be skipped by %s', (_, over) => {
  expect(reasonOf(over)).toBe('skip-docs');
});

test.each<[string, Partial<Change>]>([
  [
    'the same, squashed into the commit',
    { headMessage: 'x (#3)\n\n<!-- write\n[skip docs] to skip -->\nDone.' },
  ],
  ['a comment that is never closed', { headMessage: 'x\n\n<!-- write [skip docs] to skip' }],
  ['other words', { headMessage: '[skip ci] skip docs [skip  docs]' }],
  ['another label', of({ labels: ['skip-docs-check'] })],
])('not skipped for %s', (_, over) => {
  expect(reasonOf(over)).toBeUndefined();
});

test('the reasons have an order', () => {
  const rest: Partial<Change>[] = [
    { consistsOf: [judged({}, true)] },
    { pusher: bot },
    { headMessage: '[skip docs]' },
    { hasBase: false },
    { files: { files: [], isWhole: true } },
  ];
  const reasons = rest.map((_, first) => reasonOf(Object.assign({}, ...rest.slice(first))));
  expect(reasons).toEqual(['own-change', 'bot-change', 'skip-docs', 'no-base', 'no-relevant-changes']);
});

test('of several pull requests at once each needs a reason of its own', () => {
  const [own, ofBot, labeled] = [
    judged({}, true),
    judged({ author: bot }),
    judged({ labels: ['skip-docs'] }),
  ];
  expect(reasonOf({ consistsOf: [own, own] })).toBe('own-change');
  expect(reasonOf({ consistsOf: [ofBot, own, labeled] })).toBe('bot-change');
  expect(reasonOf({ consistsOf: [own, judged()] })).toBeUndefined();
  expect(reasonOf({ consistsOf: [judged(), judged()], headMessage: 'x [skip docs]' })).toBeUndefined();
});
