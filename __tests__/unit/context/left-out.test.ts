import { expect, test } from '@jest/globals';
import { describeLeftOut, type LeftOut } from '../../../src/agent/context/block/left-out.ts';

const nothing: LeftOut = {
  editedBody: false,
  bodyBytes: 0,
  notesBytes: 0,
  labels: 0,
  pullRequests: 0,
  commits: 0,
  fileNames: 0,
  namedOnly: { excluded: 0, 'lock-file': 0, minified: 0, snapshot: 0, 'no-patch': 0 },
  hunks: { missing: 0, of: 12 },
  patchesRefused: false,
  listedOfMore: undefined,
};

test('nothing was left out', () => {
  expect(describeLeftOut(nothing)).toBeUndefined();
});

test('everything was, and the words still fit into the room that is kept for them', () => {
  const many = 999_999_999;
  const words = describeLeftOut({
    editedBody: true,
    bodyBytes: many,
    notesBytes: many,
    labels: many,
    pullRequests: many,
    commits: many,
    fileNames: many,
    namedOnly: { excluded: many, 'lock-file': many, minified: many, snapshot: many, 'no-patch': many },
    hunks: { missing: many, of: many },
    patchesRefused: true,
    listedOfMore: many,
  });
  expect(Buffer.byteLength(`\n${words}\n`)).toBeLessThanOrEqual(1024);
  expect(words?.match(/999,999,999/g)).toHaveLength(14);
});

test.each<[Partial<LeftOut>, string]>([
  [{ labels: 1 }, 'Left out: 1 label.'],
  [{ pullRequests: 2, commits: 1 }, 'Left out: the titles of 2 pull requests; the subjects of 1 commit.'],
  [{ fileNames: 1_200 }, 'Left out: the names of 1,200 files.'],
  [
    { fileNames: 3, listedOfMore: 3_000 },
    'Left out: the names of at least 3 files; any file that GitHub’s list of 3,000 lacks.',
  ],
  [
    { namedOnly: { ...nothing.namedOnly, excluded: 2, minified: 1, snapshot: 3 } },
    'Left out: the patches of 2 files that `paths` leaves out, 1 minified file, 3 test snapshots.',
  ],
  [{ hunks: { missing: 1, of: 1 } }, 'Left out: 1 of 1 hunk of the patches.'],
])('%j', (over, words) => {
  expect(describeLeftOut({ ...nothing, ...over })).toBe(words);
});
