import { expect, test } from '@jest/globals';
import { addData, type BlockOptions } from '../../../src/agent/context/block.ts';
import type { Change } from '../../../src/agent/context/change.ts';
import type { ChangedFile, Commit } from '../../../src/github/changes.ts';
import {
  blockOptions,
  change,
  file,
  issue,
  pullRequest,
  release,
  written,
} from '../../support/samples/changes.ts';

const sent = (of: Partial<Change>, over: Partial<BlockOptions> = {}) =>
  addData('Document this.', change(of), { ...blockOptions, ...over });
const listed = (...files: readonly ChangedFile[]) => ({ files: { files, isWhole: true } });
const commit = (message: string): Commit => ({ sha: 'd'.repeat(40), message, parents: [] });

test('a merged pull request is sent in this form', () => {
  const patch = '@@ -1 +1,2 @@\n-a\n+b\n+c\n@@ -9 +10 @@\n-d';
  const { prompt } = sent({
    topic: 'pull request #12 (merged)',
    thread: {
      ...pullRequest({ labels: ['api', 'sdk'], isFromOutside: true }),
      body: written('Requests are sent again.\n\nFiles changed (0):'),
      isBodyEdited: false,
    },
    commits: [commit('Retry\n\nA body.')],
    totalCommits: 1,
    ...listed(
      file('src/client.ts', { lines: { added: 2, removed: 1 }, patch }),
      file('package-lock.json', { lines: { added: 90, removed: 12 } }),
      file('src/new.ts', {
        status: 'renamed',
        oldPath: 'src/old.ts',
        patch: undefined,
        lines: undefined,
      }),
      file('logo.png', { status: 'added', patch: undefined, lines: { added: 0, removed: 0 } }),
    ),
  });
  expect(prompt).toMatchSnapshot();
});

test('an issue, a release, and the pull requests in a push are sent', () => {
  const { prompt, note } = sent({
    thread: { ...issue({ author: { login: 'octo[bot]', isBot: true } }), isBodyEdited: false },
    release: release({ notes: written('## New\n- Retries') }),
    pullRequests: [
      pullRequest({ number: 3, title: 'One' }),
      pullRequest({
        number: 4,
        title: 'Two',
        author: { login: 'guest', isBot: false },
        isFromOutside: true,
      }),
    ],
  });
  expect(prompt).toMatchSnapshot();
  expect(note).toBeUndefined();
});

test('files that `paths` excludes are listed last, without patches', () => {
  const files = listed(file('docs/a.md', { patch: '@@ -1 +1 @@\n+docs' }), file('src/b.ts'));
  const { prompt, note } = sent(files, { isChosen: ({ path }) => path.startsWith('src/') });
  expect(prompt).toContain('Files changed (2):\n- src/b.ts +1 -1\n- docs/a.md +1 -1\n');
  expect(prompt).not.toContain('+docs');
  expect(note).toBe('Not sent: the diff of 1 file that `paths` excludes.');
});

const names = (count: number) =>
  Array.from({ length: count }, (_, nth) => `${'x'.repeat(200)}${nth}`);

const emptied = { patch: '', lines: { added: 0, removed: 0 } };
const incomplete = { files: [file('a.ts'), file('go.sum')], isWhole: false };
const generated = 'the diff of at least 1 file that a tool generated (such as lock files)';

test.each<[string, Partial<Change>, string]>([
  ['files', { files: incomplete }, `${generated}; any files that GitHub didn’t list`],
  ['subjects', { commits: [commit('One')], totalCommits: 900 }, 'the subjects of 899 commits'],
  ['names', listed(...names(60).map((name) => file(name, emptied))), 'the names of 22 files'],
  [
    'titles',
    { pullRequests: names(30).map((title, number) => pullRequest({ title, number })) },
    'the titles of 12 pull requests',
  ],
])('everything that is left out is counted: %s', (_, of, expected) => {
  const { prompt, note } = sent(of);
  expect(note).toBe(`Not sent: ${expected}.`);
  expect(prompt).toContain(`\n\n${note}\n-----`);
});

const remark = {
  ...{
    id: 1,
    editedAtMs: 0,
    reviewId: 1,
    conversation: 1,
    path: 'a.md',
    lines: undefined,
    hunk: '@@ -1 +1 @@\n+z',
  },
  ...{ text: 'Short.', author: { login: 'octocat', isBot: false }, isFromOutside: true },
};
/** A hunk whose last line has this number. */
const hunkTo = (last: number) =>
  ['@@ -0,0 +1,400 @@', ...Array.from({ length: last }, (_, at) => lineOf(at + 1))].join('\n');
const lineOf = (nth: number) => `+Line ${nth} of ${'the new page '.repeat(4)}`;

test('a long review comment loses the start of its hunk and the end of its text, and both are counted', () => {
  const long = { ...remark, hunk: hunkTo(99), text: `Begin. ${'y'.repeat(9_000)} End.` };
  const { prompt, note } = sent({ review: { place: undefined, comments: [long, remark] } });
  expect(prompt).toContain(
    '- on the file a.md, by octocat, from outside the repository:\n    +Line ',
  );
  expect(prompt).toContain('    +Line 99 ');
  expect(prompt).not.toContain('+Line 1 ');
  expect(prompt).toContain('> Begin.');
  expect(prompt).not.toContain('End.');
  expect(prompt).toContain('    @@ -1 +1 @@\n    +z\n> Short.');
  expect(note).toBe('Not sent: parts of 2 long texts in the review that is the request.');
  const inOneLine = sent({
    review: { place: { ...remark, hunk: `+${'x'.repeat(9_000)}` }, comments: [] },
  });
  expect(inOneLine.prompt).toContain('The request is a comment on the file a.md:');
  expect(inOneLine.note).toMatch(/parts of 1 long text in the conversation/);
});

test('a review of a new page keeps every comment, with the line that it is about', () => {
  const comments = Array.from({ length: 20 }, (_, at) => {
    return {
      ...remark,
      id: at,
      hunk: hunkTo(20 * (at + 1)),
      text: `Remark ${at}. ${'y'.repeat(500)}`,
    };
  });
  const { prompt, note } = sent({ review: { place: undefined, comments } });
  for (const [at, { text }] of comments.entries())
    expect(prompt).toContain(`    ${lineOf(20 * (at + 1))}\n> ${text}`);
  expect(note).not.toMatch(/comment/);
});

test('a long description is cut, and the missing bytes are counted', () => {
  const body = written(`${'word '.repeat(2_000)}\nend`);
  const { prompt, note } = sent({ thread: { ...issue({ body }), isBodyEdited: false } });
  const [, shown = ''] = prompt.match(/Description:\n([\s\S]*?)\n\nNot sent/) ?? [];
  expect(Buffer.byteLength(shown)).toBeGreaterThan(4_000);
  const missing = 10_000 + '> \n> end'.length - Buffer.byteLength(shown);
  expect(note).toBe(`Not sent: the last ${missing.toLocaleString('en')} bytes of the description.`);
});
