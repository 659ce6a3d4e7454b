import { expect, test } from '@jest/globals';
import { createClean } from '../../../src/agent/context/clean.ts';
import { createScrub } from '../../../src/text/scrub.ts';

const clean = createClean(createScrub(['mint_fake_key']));

test.each([
  ['two\r\nlines', 'two\nlines', 'two⏎lines', 'two\nlines'],
  ['end\r', 'end\n', 'end⏎', 'end'],
  ['old\rMac', 'old\nMac', 'old⏎Mac', 'old⏎Mac'],
  ['a\u2028b\u2029c\x85d\ve\ff', 'a\nb\nc\nd\ne\nf', 'a⏎b⏎c⏎d⏎e⏎f', 'a⏎b⏎c⏎d⏎e⏎f'],
  ['\ta', '\ta', ' a', '\ta'],
])('%j as paragraphs, in one line, and in a hunk', (text, paragraphs, oneLine, hunk) => {
  expect(clean.paragraphs(text)).toBe(paragraphs);
  expect(clean.oneLine(text)).toBe(oneLine);
  expect(clean.hunk(text)).toBe(hunk);
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
  for (const as of [clean.paragraphs, clean.oneLine, clean.hunk]) expect(as(text)).toBe(expected);
});
