import { expect, test } from '@jest/globals';
import { createClean } from '../../../src/agent/context/clean.ts';
import { createScrub } from '../../../src/text/scrub.ts';

const clean = createClean(createScrub(['mint_fake_key']));

test.each([
  ['two\r\nlines', 'two\nlines', 'two⏎lines'],
  ['end\r', 'end', 'end'],
  ['old\rMac', 'old⏎Mac', 'old⏎Mac'],
  ['a\u2028b\u2029c\x85d\ve\ff', 'a⏎b⏎c⏎d⏎e⏎f', 'a⏎b⏎c⏎d⏎e⏎f'],
])('%j is sent as several lines or as one', (text, lines, line) => {
  expect(clean.lines(text)).toBe(lines);
  expect(clean.line(text)).toBe(line);
});

test.each([
  ['\x1b[31mred\x07\0', '[31mred'],
  ['a\u202eb\u200bc\u{e0041}', 'abc'],
  ['lone \ud83d half', 'lone \ufffd half'],
  ['👩‍💻 naïve 1️⃣', '👩‍💻 naïve 1️⃣'],
  ['mint_\u200bfake_key x\u200dmint_fake_key', '*** x***'],
  ['https://x:y@host', 'https://***@host'],
  ['<!-- {/* kept */} -->', '<!-- {/* kept */} -->'],
])('%j is sent as %j', (text, expected) => {
  for (const as of [clean.lines, clean.line]) expect(as(text)).toBe(expected);
});
