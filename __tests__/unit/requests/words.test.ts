import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { toString as wordsIn } from 'mdast-util-to-string';
import { ActionError, explain, InputError } from '../../../src/core/errors.ts';
import { type Card, jobOf, pullRequestOf } from '../../../src/requests/card/card.ts';
import { factsOf, statusComment } from '../../../src/requests/card/comment.ts';
import { situationOf, situations } from '../../../src/requests/card/situation.ts';
import { addRemark, shortenPrompt } from '../../../src/requests/card/transitions.ts';
import { commentOf } from '../../../src/requests/thread/store.ts';
import { nodesOf, parseGfm } from '../../support/gfm.ts';
import {
  active,
  card,
  completed,
  context,
  is,
  jobIn,
  pullIn,
  shown,
  signer,
} from '../../support/samples/cards.ts';
import { hostileCard } from '../../support/samples/hostile.ts';

const archived = jobIn('archived');
const followUp = { ask: 'message' } as const;
/** The start and end time of a request that took this long. */
const took = (ms: number) => ({ askedAt: 0, endedAt: ms });
const stop = (
  outcome: 'failed' | 'timed-out' | 'detached',
  reason: NonNullable<Card['stop']>['reason'],
) => ({
  stop: { outcome, reason },
});
const limit = new ActionError('rate-limited', 'The service’s hourly limit has been reached', {
  doing: 'Creating the job: the service returned 429',
  said: 'Too *many* requests',
  hint: 'Try again in 1 h.',
});
const failedWith = (error: unknown, more: Partial<Card> = {}): Partial<Card> => {
  const { reason, ...words } = explain(error);
  return { stop: { outcome: 'failed', reason, error: words }, ...more };
};
const wrongKey = new ActionError('unauthorized', 'The API key is wrong or has expired', {
  doing: 'Reading the job: the service returned 401',
  hint: 'Create an admin key.',
});
const badInputs = new InputError([
  { input: 'wait', got: 'maybe', problem: 'must be true or false' },
  { input: ['a', 'b', 'c'], problem: 'work only with `d`', hint: 'Set it.' },
]);
const ready = { state: is.ended('pr', completed) };
const ofAnother = { ...completed, prLink: 'https://github.com/octo-org/handbook/pull/101' };
const storedWithPull = { state: is.ended('archived', { ...archived, prLink: completed.prLink }) };
const updated = pullIn('open', { shown, isUpdated: true });
const inOneFile = pullIn('open', { shown: { ...shown, changedFiles: 1 } });

const merge = { isCommand: false, series: 'octo-org/docs/.github/workflows/docs.yml' } as const;
const capped = { text: 'Wait.', markdown: 'Wait.' };
const checked = (checks: 'built' | 'not-built' | 'published' | 'not-published') => ({
  ...{ is: checks, sha: 'b', name: 'Mintlify Deployment', url: 'https://dashboard.example/1' },
});

/** Cards in every situation, and in some with other words, sizes, times, or errors. */
const cards: Record<string, Partial<Card>> = {
  ready: { ...ready, ...took(155_000) },
  'a follow-up has changed it': { ...ready, pull: updated, ...followUp, ...took(70_000) },
  'ready, in another repository': { state: is.ended('pr', ofAnother) },
  'ready, seen': { ...ready, pull: pullIn('open', { shown }), ...took(155_000) },
  'one file': { ...ready, pull: inOneFile, isCommand: false },
  'merged, unseen': { state: is.ended('unseen', completed), pull: pullIn('merged') },
  'a link that cannot be used': { state: is.ended('pr', { ...completed, prLink: 'x' }) },
  archived: { state: is.ended('archived', archived) },
  'archived with a pull request': storedWithPull,
  'archived, and merged': { ...storedWithPull, pull: pullIn('merged', { shown }) },
  'stopped waiting': { state: is.working(), ...stop('timed-out', 'deadline'), ...took(1_802_000) },
  'a different key': { state: is.sent(5), ...stop('failed', 'key-changed') },
  'an error of an attach': { ...stop('failed', 'not-found'), prompt: undefined },
  'the hourly limit': failedWith(limit),
  'a wrong key, again': failedWith(wrongKey, { attempt: 2 }),
  'a wrong key while it works': failedWith(wrongKey, { state: is.working() }),
  'unconfirmed, with the cause': failedWith(limit, { state: is.ended('unconfirmed') }),
  'unconfirmed, without a thread': { state: is.ended('unconfirmed'), thread: undefined },
  'a bad input with a glob': failedWith(
    new InputError([{ input: 'x', problem: 'has `a/**`', hint: 'Fix it.' }]),
  ),
  'bad inputs': failedWith(badInputs),
  'a bug': failedWith(new TypeError('x is not a function')),
  asking: { state: is.claimed(0) },
  working: { state: is.working(), ...took(0) },
  'follow-up done': { ...ready, ...followUp },
  'not waited': { state: is.working(), ...stop('detached', 'not-waited') },
  'not reported': { state: is.working(), ...stop('detached', 'not-waited'), thread: undefined },
  canceled: { state: is.working(), ...stop('detached', 'cancelled') },
  'stopped early': stop('failed', 'cancelled'),
  'never seen': { state: is.working(), ...stop('timed-out', 'never-seen') },
  'given up': { state: is.working(), ...stop('timed-out', 'given-up') },
  gone: { state: is.ended('gone', active) },
  'follow-up unseen': { state: is.ended('unseen', jobIn('completed')), ...followUp },
  'no pull request': { state: is.ended('none', jobIn('completed')) },
  failed: { state: is.ended('failed', jobIn('failed')) },
  added: { ...ready, pull: updated, ...followUp, ...merge },
  'nothing added': {
    ...ready,
    pull: pullIn('open', { shown, isUpdated: false }),
    ...followUp,
    ...merge,
  },
  built: { ...ready, pull: pullIn('open', { shown, checks: checked('built') }) },
  'not built': { ...ready, pull: pullIn('open', { shown, checks: checked('not-built') }) },
  merged: { ...ready, pull: pullIn('merged', { shown }) },
  published: { ...ready, pull: pullIn('merged', { shown, checks: checked('published') }) },
  'not published': {
    ...ready,
    pull: pullIn('merged', { shown, checks: checked('not-published') }),
  },
  closed: { ...ready, pull: pullIn('closed', { shown }) },
  'new job': {
    ...ready,
    remarks: [
      {
        place: 'comment',
        text: 'The thread’s job `job_0000` is archived; this is a new job.',
      },
    ],
  },
  capped: {
    stop: {
      outcome: 'denied',
      reason: 'max-jobs',
      error: { title: 'The cap is reached', ...capped },
    },
  },
  'newer version': stop('failed', 'newer-version'),
  skipped: { stop: { outcome: 'skipped', reason: 'another-run' } },
  denied: {
    stop: { outcome: 'denied', reason: 'permission' },
    answer: '**`x` can’t use `/docs` here:** no.',
  },
  answered: { stop: { outcome: 'answered', reason: 'help' }, answer: 'ℹ️ **`/docs …`** asks.' },
};

/** The visible paragraphs of a status comment as plain text, and the collapsed part as Markdown. */
function read(markdown: string): { open: string[]; folded: string } {
  const { children } = parseGfm(markdown);
  const at = children.findIndex((node) => node.type === 'html');
  return {
    open: children.slice(0, at).map((node) => wordsIn(node)),
    folded: markdown.slice(children[at]?.position?.start.offset),
  };
}

describe('a status comment', () => {
  test.each(Object.entries(cards))('%s', (_, patch) => {
    expect(statusComment(card(patch))).toMatchSnapshot();
  });

  test('has been seen in every situation', () => {
    const seen = new Set(Object.values(cards).map((patch) => situationOf(card(patch))));
    expect([...seen].sort()).toEqual(Object.keys(situations).sort());
  });

  test('has its request collapsed, and mentions no command if the workflow accepts none', () => {
    for (const patch of Object.values(cards).filter(({ answer }) => answer === undefined)) {
      const { open, folded } = read(statusComment(card({ ...patch, isCommand: false })));
      expect(folded).toMatch(/^<details><summary>Request and details<\/summary>\n/);
      expect(open.join('\n')).not.toMatch(
        /\/docs(?!.*, if this repository has a \/docs workflow| workflow)/,
      );
    }
  });

  test('has the details of the request collapsed', () => {
    const withNote = addRemark(
      card({ removed: 2, state: is.working(completed) }),
      'fold',
      'A note.',
    );
    expect(read(statusComment(withNote)).folded).toMatchSnapshot();
    expect(factsOf(card({ requester: undefined, run: '' }))).toEqual([]);
  });

  test.each([
    ['https://github.com/octo-org/docs/pull/101', 'Pull request #101'],
    ['https://example.com/change?a=1&copy=2&lt;=3', 'The pull request'],
    ['https://example.com/?q=\\', 'The pull request'],
  ])('starts with the link %s, whose text matches its URL', (prLink, name) => {
    const body = statusComment(card({ state: is.ended('pr', { ...completed, prLink }) }));
    const [first] = nodesOf(parseGfm(body)).filter(({ type }) => type === 'link');
    expect(first).toMatchObject({
      url: prLink.replaceAll('\\', '%5C'),
      children: [{ value: name }],
    });
  });
});

describe('words about a pull request that is', () => {
  const [inIt, elsewhere] = ['/docs fix the failed build', 'The check: Mintlify Deployment'];
  test.each([
    ['in the run’s repository', 'octo-org/docs', 'octo-org/docs', inIt],
    ['in the run’s repository, whatever its name', 'acme/actions', 'acme/actions', inIt],
    ['in the run’s repository, in other letters', 'octo-org/docs', 'Octo-Org/Docs', inIt],
    ['in one whose name is longer', 'octo-org/docs', 'octo-org/docs-site', elsewhere],
    ['in one whose name is shorter', 'acme/transactions', 'acme/trans', elsewhere],
  ])('%s', (_, ofRun, ofPull, end) => {
    const prLink = `https://github.com/${ofPull}/pull/101`;
    const about = {
      runUrl: `https://github.com/${ofRun}/actions/runs/1`,
      state: is.ended('pr', { ...completed, prLink }),
    };
    const unbuilt = { ...pullIn('open', { shown, checks: checked('not-built') }), url: prLink };
    const { open } = read(statusComment(card({ ...about, pull: unbuilt })));
    expect(open[2]?.split('\n').at(-1)).toBe(end);
    const isHere = end === inIt;
    expect(open[1]?.includes('on the pull request')).toBe(isHere);
    const ready = read(statusComment(card(about))).open.join('\n');
    expect(ready.includes('here or on the pull request')).toBe(isHere);
  });
});

test('a long prompt is cut between characters', () => {
  expect(shortenPrompt('👩'.repeat(3_000))).toBe(`${'👩'.repeat(1_024)}…`);
});

describe('hostile text', () => {
  const kinds = new Set([
    'root',
    'paragraph',
    'strong',
    'text',
    'inlineCode',
    'code',
    'link',
    'html',
  ]);

  /** Expects text without mentions, references, or URLs, because GitHub would turn them into links. */
  function expectPlainWords(markdown: string): void {
    const nodes = nodesOf(parseGfm(markdown));
    // GitHub doesn't turn anything inside a link's text into another link.
    const linked = nodes.flatMap((node) => (node.type === 'link' ? node.children : []));
    for (const node of nodes)
      if (node.type === 'text' && !linked.some((one) => one === node))
        expect(node.value).not.toMatch(/[@#<>[\]`]|:\/\/|www\./);
  }

  test('adds no Markdown to a status comment, whose only links are the pull request, the run, and the dashboard', () => {
    fc.assert(
      fc.property(hostileCard, (hostile) => {
        const body = commentOf(hostile, signer);
        expectPlainWords(body);
        const nodes = nodesOf(parseGfm(body));
        expect(nodes.map(({ type }) => type).filter((type) => !kinds.has(type))).toEqual([]);
        const html = nodes.flatMap((node) => (node.type === 'html' ? [node.value] : []));
        expect(html.slice(1)).toEqual([
          '<details><summary>Request and details</summary>',
          '</details>',
        ]);
        const link = pullRequestOf(jobOf(hostile))?.url.replaceAll('\\', '%5C');
        for (const node of nodes)
          if (node.type === 'link')
            expect([context.runUrl, 'https://dashboard.mintlify.com', link]).toContain(node.url);
      }),
      { numRuns: 100 },
    );
  });

  test('is shown unchanged as a prompt', () => {
    const letters = fc
      .string({ unit: 'grapheme' })
      .filter((it) => !/[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2028\u2029]/u.test(it));
    fc.assert(
      fc.property(letters, letters, (one, two) => {
        const { children } = parseGfm(
          statusComment(card({ prompt: `${one}\n${two}`, state: is.working() })),
        );
        expect(children.find(({ type }) => type === 'code')).toMatchObject({
          value: `${one}\n${two}`,
        });
      }),
    );
  });
});
