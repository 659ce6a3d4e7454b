import { expect, test } from '@jest/globals';
import { promptWithData } from '../../../src/agent/context/block/prompt.ts';
import { lighten } from '../../../src/agent/context/lighten.ts';
import type { ChangedFile } from '../../../src/github/changes.ts';
import { dataOptions, file, subject } from '../../support/samples/changes.ts';

const limitBytes = 8 * 1024;
const all = () => true;
/** Lines of code, so many bytes of them. */
const linesOf = (bytes: number) => `@@ -1 +1 @@\n${`+${'x'.repeat(78)}\n`.repeat(bytes / 80)}+`;

/** What is sent of these files, and what is said of the rest. */
function told(files: readonly ChangedFile[]) {
  const about = subject({ files: { files, isWhole: true } });
  return promptWithData('Do it.', about, { ...dataOptions, limitBytes, makeToken: () => '7f3a9c0de1' });
}

test('few patches stay as they are, whatever they are', () => {
  const files = [file('a.ts', { patch: linesOf(16_000) }), file('b.ts', { patch: linesOf(8_000) })];
  expect(lighten(files, limitBytes, all)).toBe(files);
});

test('of many the largest are let go, and their hunks stay counted', () => {
  const files = [
    file('large.ts', { patch: linesOf(40_000) }),
    file('small.ts'),
    file('two.ts', { patch: `${linesOf(20_000)}\n${linesOf(20_000)}` }),
  ];
  const light = lighten(files, limitBytes, all);
  expect(light.map(({ path, patch, hunksLetGo }) => [path, patch !== undefined, hunksLetGo])).toEqual([
    ['large.ts', false, 1],
    ['small.ts', true, undefined],
    ['two.ts', false, 2],
  ]);
  expect(told(light)).toEqual(told(files));
});

test('what is not sent anyhow takes no room from what is', () => {
  const others = Array.from({ length: 100 }, (_, nth) => file(`docs/${nth}.md`, { patch: linesOf(800) }));
  const light = lighten([...others, file('src/a.ts', { patch: linesOf(4_000) })], limitBytes, ({ path }) =>
    path.startsWith('src/'),
  );
  expect(light.filter(({ patch }) => patch !== undefined).map(({ path }) => path)).toEqual(['src/a.ts']);
});

test('page by page comes to the same as all at once', () => {
  const files = Array.from({ length: 60 }, (_, nth) =>
    file(`${nth}.ts`, { patch: linesOf(80 * (1 + (nth % 40))) }),
  );
  let paged: readonly ChangedFile[] = [];
  for (const end of [20, 40, 60]) paged = lighten(paged.concat(files.slice(end - 20, end)), limitBytes, all);
  expect(told(paged)).toEqual(told(files));
  expect(paged.filter(({ patch }) => patch !== undefined).length).toBeLessThan(files.length);
});
