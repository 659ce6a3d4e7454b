import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { jobOf } from '../../src/agent/known.ts';
import { pullRequestOf } from '../../src/agent/tell/ending.ts';
import {
  deniedComment,
  helpComment,
  jobSummary,
  retold,
  statusComment,
} from '../../src/agent/tell/render.ts';
import type { State } from '../../src/agent/tell/words.ts';
import { ActionError, explain } from '../../src/core/errors.ts';
import { shortCode } from '../../src/text/markdown.ts';
import { nodesOf, parseGfm } from '../support/gfm.ts';
import { hostileText, hostileView } from '../support/samples/hostile.ts';
import { completed, context, knownOf, knownWith } from '../support/samples/known.ts';
import { marker, markers } from '../support/samples/markers.ts';

/** What a status comment is made of, and nothing else. */
const ours = new Set(['root', 'paragraph', 'strong', 'text', 'inlineCode', 'code', 'link', 'html']);

/** No mention, no reference to another thread, no address: nothing that GitHub makes something of in plain words. */
function expectPlainWords(markdown: string): void {
  for (const node of nodesOf(parseGfm(markdown))) {
    if (node.type === 'text')
      expect(node.value.replace(/^Pull request #\d+$/, '')).not.toMatch(/[@#<>[\]`]|:\/\/|www\./);
  }
}

describe('a status comment that is told anew', () => {
  const foldedOf = (body: string) => {
    const nodes = nodesOf(parseGfm(body)).filter(({ type }) => type === 'html');
    return body.slice(nodes.at(-2)?.position?.start.offset);
  };

  test('keeps what is folded away, byte for byte, whatever stands above it', () => {
    fc.assert(
      fc.property(hostileView, hostileView, hostileText, (before, after, error) => {
        const state: State = {
          ...before.state,
          error: explain(new ActionError('internal', 'A', { said: `${error}\n<details>\n${error}` })),
        };
        const body = `${markers.write(marker())}\n${statusComment({ ...before, state })}`;
        const again = retold(body, after.state, after.known);
        const fresh = statusComment(after);
        expect(foldedOf(again)).toBe(foldedOf(body));
        expect(again.slice(0, -foldedOf(again).length)).toBe(fresh.slice(0, -foldedOf(fresh).length));
      }),
      { numRuns: 300 },
    );
  });

  test('tells its state in the open, and what it said before nowhere', () => {
    const [state, known] = [{ outcome: 'working', reason: '' } as const, knownWith()];
    const body = statusComment({ state, known, context });
    const again = retold(body, { outcome: 'no-changes', reason: '' }, known);
    expect(again).toMatch(/^☑️ \*\*The agent finished without a pull request:\*\* .*\n\nAsk .*\n\n<details>/);
    expect(again).not.toContain('working');
  });
});

describe('a status comment, whatever comes from outside', () => {
  test('is made of our own words, the link of the pull request and that of the run', () => {
    fc.assert(
      fc.property(hostileView, (shown) => {
        const body = `${markers.write(marker())}\n${statusComment(shown)}`;
        const nodes = nodesOf(parseGfm(body));
        expect(nodes.map(({ type }) => type).filter((type) => !ours.has(type))).toEqual([]);
        const html = nodes.filter((node) => node.type === 'html').map(({ value }) => value);
        expect(html.slice(1)).toEqual(['<details><summary>Request</summary>', '</details>']);
        expectPlainWords(body);
        const link = pullRequestOf(jobOf(shown.known))?.url.replaceAll('\\', '%5C');
        for (const node of nodes) {
          if (node.type === 'link') expect([context.runUrl, link]).toContain(node.url);
        }
        expect(body.length).toBeLessThan(60_000);
      }),
      { numRuns: 300 },
    );
  });

  test('closes its fences: what stands behind the prompt and the error is read as prose', () => {
    fc.assert(
      fc.property(hostileText, hostileText, (prompt, error) => {
        const refused = new ActionError('bad-request', 'Creating the job', { said: error, hint: 'Try.' });
        const state: State = { outcome: 'failed', reason: 'bad-request', error: explain(refused) };
        const known = knownWith({ asked: { is: 'no' }, prompt });
        const { children } = parseGfm(statusComment({ state, known, context }));
        expect(children.map(({ type }) => type)).toEqual([
          'paragraph',
          'paragraph',
          'code',
          'html',
          'code',
          'paragraph',
          'html',
        ]);
      }),
    );
  });

  test('shows a prompt to the letter, as far as it is shown', () => {
    const letters = fc
      .string({ unit: 'grapheme' })
      .filter((it) => !/[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2028\u2029]/u.test(it));
    fc.assert(
      fc.property(letters, letters, (one, two) => {
        const prompt = `${one}\n${two}`;
        const state: State = { outcome: 'no-changes', reason: '' };
        const { children } = parseGfm(statusComment({ state, known: knownWith({ prompt }), context }));
        expect(children.find(({ type }) => type === 'code')).toMatchObject({ value: prompt });
      }),
    );
  });
});

test('a long prompt is cut between characters, and says how much is not shown', () => {
  const prompt = '👩'.repeat(3_000);
  const body = statusComment({
    state: { outcome: 'working', reason: '' },
    known: knownWith({ prompt }),
    context,
  });
  expect(body).toContain(`${'👩'.repeat(2_000)}… (1,000 more characters)`);
  expect(body).not.toContain('👩'.repeat(2_001));
  expect(body.isWellFormed()).toBe(true);
});

test.each([
  ['https://github.com/octo-org/docs/pull/101', 'Pull request #101'],
  ['https://gitlab.com/octo/docs/-/merge_requests/5', 'Pull request #5'],
  ['https://example.com/change?a=1&copy=2&lt;=3', 'The pull request'],
  ['https://example.com/?q=\\', 'The pull request'],
])('the link %s comes first, and leads where it says', (prLink, name) => {
  const known = knownOf({ ...completed, prLink });
  const body = statusComment({ state: { outcome: 'pr-created', reason: '' }, known, context });
  const [first] = nodesOf(parseGfm(body)).filter(({ type }) => type === 'link');
  expect(first).toMatchObject({
    url: prLink.replaceAll('\\', '%5C'),
    children: [{ type: 'text', value: name }],
  });
  expect(body.startsWith('✅ **[')).toBe(true);
});

test.each([
  'http://github.com/octo-org/docs/pull/1',
  'https://user:secret@github.com/octo-org/docs/pull/1',
  'javascript:alert(1)',
  'octo-org/docs#1',
  `https://github.com/${'x'.repeat(3_000)}`,
])('%j is no link', (prLink) => {
  const known = knownOf({ ...completed, prLink });
  const body = statusComment({ state: { outcome: 'pr-created', reason: '' }, known, context });
  expect(body).toContain('✅ **A pull request (the service gave no usable link to it) is ready.**');
  expect(body).not.toContain(prLink);
});

test('a refusal and the help for a flag are words, whoever asked', () => {
  fc.assert(
    fc.property(hostileText, (given) => {
      for (const body of [
        deniedComment({ reason: 'permission', headline: `${shortCode(given)} may not`, more: '' }),
        helpComment('/docs', `There is no flag ${shortCode(given)}.`),
      ]) {
        expectPlainWords(body);
        expect(
          nodesOf(parseGfm(body)).filter(({ type }) => ['link', 'image', 'html', 'heading'].includes(type)),
        ).toEqual([]);
        expect(body.length).toBeLessThan(60_000);
      }
    }),
  );
});

test('the summary is one heading, one table of two columns, and the prompt, whatever comes from outside', () => {
  fc.assert(
    fc.property(hostileView, (shown) => {
      const nodes = nodesOf(parseGfm(jobSummary(shown)));
      expect(nodes.filter(({ type }) => type === 'heading')).toHaveLength(1);
      const html = nodes.flatMap((node) => (node.type === 'html' ? [node.value] : []));
      expect(html).toEqual(
        shown.known.prompt === undefined ? [] : ['<details><summary>Prompt</summary>', '</details>'],
      );
      const rows = nodes.flatMap((node) => (node.type === 'tableRow' ? [node.children.length] : []));
      expect(rows.length).toBeGreaterThan(1);
      expect(new Set(rows)).toEqual(new Set([2]));
    }),
  );
});
