import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { messageList } from '../../scripts/list-messages.ts';
import { errorReasons } from '../../src/core/reasons.ts';

const read = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
const list = read('__tests__/fixtures/messages.md');
const shown = (markdown: string) =>
  markdown.replace(/\*\*/g, '').replace(/\[(.*?)\]\(<.*?>\)/g, '$1');

/** The messages in the tables of docs/troubleshooting.md. `…` stands for any text. */
const rows = read('docs/troubleshooting.md')
  .split(/(?=^\| (?:Message|What you see) \|)/m)
  .filter((part) => part.startsWith('| Message |'))
  .flatMap((part) =>
    Array.from(part.matchAll(/^\| (?!Message|:--)(.*?) \|/gm), ([, cell = '']) =>
      cell.split('<br>'),
    ),
  )
  .flat();
const patternOf = (row: string) => new RegExp(row.split('…').map(RegExp.escape).join('.*'));

/** Where a message says what to do, or what to know before you do it. A text that begins there is only the end of a message. */
const action =
  /(?:[.:;,] |or |then |⏎ )(?:Add|Ask|Check|Comment|Give|Lower|Raise|Re-?run|Remove|Replace|Run|Set|Start|To follow|Try|Update|Use)\b|start over|starts a new job\. ?$|shows its/i;

/** The messages that ask for action: every wrong input and error, and others that say what to do, except good news and help. */
function asking(messages: string): string[] {
  const [, ...parts] = messages.split(/^## /m);
  return parts.flatMap((part, index) => {
    const lines = Array.from(
      part.matchAll(/^- (?:\[.*?\] (?=\S))?(.*)$/gm),
      ([, line = '']) => line,
    );
    return index < 3
      ? lines
      : lines.map(shown).filter((line) => action.test(line) && !/^(?:✅|- )/.test(line));
  });
}

const missing = (messages: string) =>
  asking(messages).filter((line) => !rows.some((row) => patternOf(row).test(line)));

test('the list of messages is up to date; if it isn’t, run `npm run docs`, and read what changed', async () => {
  expect(await messageList(list)).toBe(list);
});

test('docs/troubleshooting.md has every message that asks for action, and none that no longer exists', () => {
  expect(missing(list)).toEqual([]);
  const all = `${list}\n${shown(list)}`;
  expect(rows.filter((row) => !patternOf(row).test(all))).toEqual([]);
});

test('docs/troubleshooting.md has one place for each reason that a failure links to', () => {
  const places = Array.from(
    read('docs/troubleshooting.md').matchAll(/<a id="(.*?)"><\/a>/g),
    ([, id]) => id,
  );
  const ofErrors = errorReasons.filter((reason) => reason !== 'cancelled');
  expect(places.sort()).toEqual([...ofErrors, 'interrupted', 'job-failed', 'key-changed'].sort());
});

test('no message has a status code in the open', () => {
  const lines = list.replace(/^- \[.*?\] /gm, '- ').split('\n');
  // The report asks about a page that no one reads anymore: “Is it a 404?”
  const hasCode = (line: string) => /\b[3-5]\d\d\b(?!s?\?)/.test(line);
  expect(lines.filter(hasCode)).toEqual([]);
});

test('a message without a row is found', () => {
  const parts =
    '## One\n\n## Two\n\n## Three\n\n- [503 GET x] The moon is full.\n\n## Four\n\n- ⚠️ **A lie.** Set `moon`.\n- Fine.';
  expect(missing(parts)).toEqual(['The moon is full.', '⚠️ A lie. Set `moon`.']);
});
