import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { toString as wordsIn } from 'mdast-util-to-string';
import { resultOf } from '../../../src/agent/summary.ts';
import type { CollectConfig } from '../../../src/collect/inputs.ts';
import { buildCollectResult } from '../../../src/collect/result.ts';
import { ActionError, explain, InputError } from '../../../src/core/errors.ts';
import type { Project } from '../../../src/core/projects.ts';
import { type Card, jobOf, pullRequestOf } from '../../../src/requests/card/card.ts';
import { factsOf, writeStatusComment } from '../../../src/requests/card/comment.ts';
import { situationOf, situations } from '../../../src/requests/card/situation.ts';
import { addRemark, shortenPrompt, stopRun } from '../../../src/requests/card/transitions.ts';
import type { Settled } from '../../../src/requests/follow/pull.ts';
import type { Run } from '../../../src/requests/run/run.ts';
import { commentOf } from '../../../src/requests/thread/store.ts';
import { nodesOf, parseGfm } from '../../support/gfm.ts';
import { calm } from '../../support/in-process/service.ts';
import { plain } from '../../support/plain.ts';
import {
  active,
  card,
  completed,
  context,
  found,
  is,
  jobIn,
  pullIn,
  shown,
  signer,
} from '../../support/samples/cards.ts';
import { hostileCard } from '../../support/samples/hostile.ts';

describe('comments', () => {
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
    { inputs: ['wait'], got: 'maybe', problem: 'must be true or false' },
    { inputs: ['a', 'b', 'c'], problem: 'work only with `d`', hint: 'Set it.' },
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
    draft: { ...ready, pull: pullIn('open', { shown, isDraft: true }), ...took(155_000) },
    'one file': { ...ready, pull: inOneFile, isCommand: false },
    'merged, unseen': { state: is.ended('unseen', completed), pull: pullIn('merged') },
    'a link that cannot be used': { state: is.ended('pr', { ...completed, prLink: 'x' }) },
    archived: { state: is.ended('archived', archived) },
    'archived with a pull request': storedWithPull,
    'archived, and merged': { ...storedWithPull, pull: pullIn('merged', { shown }) },
    'stopped waiting': {
      state: is.working(),
      ...stop('timed-out', 'deadline'),
      ...took(1_802_000),
    },
    'a different key': { state: is.sending, ...stop('failed', 'key-changed') },
    'an error of an attach': { ...stop('failed', 'not-found'), prompt: undefined },
    'the hourly limit': failedWith(limit),
    'a wrong key, again': failedWith(wrongKey, { attempt: 2 }),
    'a wrong key while it works': failedWith(wrongKey, { state: is.working() }),
    'unconfirmed, with the cause': failedWith(limit, { state: is.ended('unconfirmed') }),
    'unconfirmed, without a thread': { state: is.ended('unconfirmed'), thread: undefined },
    'a bad input with a glob': failedWith(
      new InputError([{ inputs: ['x'], problem: 'has `a/**`', hint: 'Fix it.' }]),
    ),
    'bad inputs': failedWith(badInputs),
    'a bug': failedWith(new TypeError('x is not a function')),
    asking: { state: is.claimed },
    working: { state: is.working(), ...took(0) },
    'follow-up done': { ...ready, ...followUp },
    'not waited': { state: is.working(), ...stop('detached', 'not-waited') },
    'not reported': { state: is.working(), ...stop('detached', 'not-waited'), thread: undefined },
    canceled: { state: is.working(), ...stop('detached', 'cancelled') },
    'lost unsent': stop('failed', 'interrupted'),
    'lost unsent, without a command': { ...stop('failed', 'interrupted'), isCommand: false },
    'stopped early': stop('failed', 'cancelled'),
    'out of reach': {
      state: is.working(),
      stop: {
        outcome: 'timed-out',
        reason: 'deadline',
        error: { title: 'The service can’t be reached', text: '', markdown: '' },
      },
    },
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
      expect(writeStatusComment(card(patch))).toMatchSnapshot();
    });

    test('has been seen in every situation', () => {
      const seen = new Set(Object.values(cards).map((patch) => situationOf(card(patch))));
      expect([...seen].sort()).toEqual(Object.keys(situations).sort());
    });

    test('has its request collapsed, and mentions no command if the workflow accepts none', () => {
      for (const patch of Object.values(cards).filter(({ answer }) => answer === undefined)) {
        const { open, folded } = read(writeStatusComment(card({ ...patch, isCommand: false })));
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
      expect(read(writeStatusComment(withNote)).folded).toMatchSnapshot();
      expect(factsOf(card({ requester: undefined, run: '' }))).toEqual([]);
    });

    test.each([
      ['https://github.com/octo-org/docs/pull/101', 'Pull request #101'],
      ['https://example.com/change?a=1&copy=2&lt;=3', 'The pull request'],
      ['https://example.com/?q=\\', 'The pull request'],
    ])('starts with the link %s, whose text matches its URL', (prLink, name) => {
      const body = writeStatusComment(card({ state: is.ended('pr', { ...completed, prLink }) }));
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
      const { open } = read(writeStatusComment(card({ ...about, pull: unbuilt })));
      expect(open[2]?.split('\n').at(-1)).toBe(end);
      const isHere = end === inIt;
      expect(open[1]?.includes('on the pull request')).toBe(isHere);
      const ready = read(writeStatusComment(card(about))).open.join('\n');
      expect(ready.includes('here or on the pull request')).toBe(isHere);
    });
  });

  test('a long prompt is cut between characters', () => {
    expect(shortenPrompt(plain('👩'.repeat(3_000)))).toBe(`${'👩'.repeat(1_024)}…`);
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
            writeStatusComment(card({ prompt: plain(`${one}\n${two}`), state: is.working() })),
          );
          expect(children.find(({ type }) => type === 'code')).toMatchObject({
            value: `${one}\n${two}`,
          });
        }),
      );
    });
  });
});

describe('summaries', () => {
  const clock = { now: () => 0, monotonic: () => 0, sleep: async () => undefined };
  const runOf = (card: Card) =>
    ({ deps: { signal: calm(), clock }, beganAtMs: 0, card }) as unknown as Run;

  const [project, other] = ['prj_1', 'prj_2'].map((id) => ({ id, name: `${id} | docs` })) as [
    Project,
    Project,
  ];
  const config = { projects: [project], failOn: new Set<string>() } as unknown as CollectConfig;
  const all = {
    comments: 0,
    isWhole: true,
    reminders: 0,
    whyPostponed: [],
    notes: [],
    ledger: undefined,
  };

  /** A comment with a job after collect mode has checked it. `after` changes its card. */
  function settled(id: string, kind: Settled['is'], after = (card: Card) => card): Settled {
    const one = found(41, { askedAt: 41_000, state: is.working({ ...completed, id }) });
    return {
      posted: { ...one, owner: { ...one.owner, project } },
      card: after(one.card),
      is: kind,
    };
  }
  const toEnd = (card: Card): Card => ({ ...card, state: is.ended('pr', completed) });
  const done = settled('job_1', 'saved', toEnd);
  const working = settled('job_2', 'working');
  const postponed = [settled('job_3', 'postponed'), settled('job_4', 'postponed', toEnd)];
  const elsewhere = settled('job_5', 'changed', toEnd);

  function shapeOf(markdown = '') {
    const nodes = nodesOf(parseGfm(markdown));
    const count = (kind: string) => nodes.filter(({ type }) => type === kind).length;
    const columns = new Set(
      nodes.flatMap((node) => (node.type === 'tableRow' ? [node.children.length] : [])),
    );
    return {
      heading: count('heading') + count('image'),
      columns: [...columns],
      html: count('html'),
    };
  }

  test('every job summary has one heading and one table, even with hostile text', () => {
    fc.assert(
      fc.property(hostileCard, (hostile) => {
        const one = resultOf({ failOn: new Set() }, runOf(hostile));
        const several = buildCollectResult(
          { ...all, settled: [settled('job_1', 'saved', () => hostile), working] },
          config,
        );
        expect(shapeOf(one.summary)).toEqual({ heading: 1, columns: [2], html: 2 });
        expect(shapeOf(several.summary)).toEqual({ heading: 1, columns: [2], html: 0 });
      }),
      { numRuns: 100 },
    );
  });

  test.each([
    ['Fix it.', ['Fix it.']],
    ['', []],
  ])(
    'an error is named once in the log, the summary, and the result, and keeps its globs (%j)',
    (text, rest) => {
      const title = '`paths` has `a/**`';
      const stop = {
        outcome: 'failed',
        reason: 'bad-input',
        error: { title, text, markdown: text },
      } as const;
      const { message, summary, result } = resultOf({ failOn: new Set() }, runOf(card({ stop })));
      const headline = `${title}. Nothing was sent.`;
      expect(message.text.split('\n')).toEqual([headline, ...rest]);
      expect(summary?.split('\n\n').slice(0, 1 + rest.length)).toEqual([
        `### ❌ ${headline}`,
        ...rest,
      ]);
      expect(result.error).toBe([`${title}.`, ...rest].join('\n'));
    },
  );

  test('the summary of a request says at the top what it led to, for whom, and where to ask for more', () => {
    const url = 'https://github.com/octo-org/docs/issues/12#issuecomment-7';
    const ready = card({
      ...{
        requester: 'maintainer',
        thread: 12,
        comment: { id: 7, url },
        askedAt: 0,
        endedAt: 5_000,
      },
      ...{ state: is.ended('pr', completed), pull: pullIn('open', { shown }) },
    });
    const { summary } = resultOf({ failOn: new Set() }, runOf(ready));
    expect(summary?.split('\n\n<details>')[0]).toMatchSnapshot();
  });

  test('the summary links the status comment even if it couldn’t be edited at the end', () => {
    const url = 'https://github.com/octo-org/docs/issues/12#issuecomment-7';
    const ready = card({
      thread: undefined,
      comment: { id: 7, url },
      state: is.ended('pr', completed),
    });
    const { summary } = resultOf({ failOn: new Set() }, runOf(ready));
    expect(summary).toContain(`| Status comment | [Open it](<${url}>) |`);
  });

  test('the summary of collect mode lists every job, those that are left first', () => {
    const stop = { outcome: 'timed-out', reason: 'given-up' } as const;
    const givenUp = settled('job_6', 'saved', (card) => stopRun(card, stop));
    const ofOther = {
      ...givenUp,
      posted: { ...givenUp.posted, owner: { ...givenUp.posted.owner, project: other } },
    };
    const whyPostponed = Array.from({ length: 7 }, (_, index) => `Reason ${index}.`);
    const { result, outputs, summary, red } = buildCollectResult(
      {
        ...all,
        settled: [done, ofOther, working, ...postponed, elsewhere],
        whyPostponed,
        notes: ['Signed with a different key: 3.'],
      },
      { ...config, projects: [project, other] },
    );
    expect([outputs, red]).toEqual([{ finished: '2', 'still-active': '1' }, false]);
    expect(result).toMatchObject({ reason: 'incomplete', finished: 2, stillActive: 1, left: 2 });
    expect(result.jobs).toMatchObject([
      {
        project: 'prj_1',
        jobId: 'job_0001',
        outcome: 'pr-created',
        askedAt: '1970-01-01T00:00:41.000Z',
      },
      { project: 'prj_2', jobId: 'job_6', outcome: 'timed-out' },
      { project: 'prj_1', jobId: 'job_2', outcome: null, reason: null, pullRequest: null },
    ]);
    expect(summary).toContain(
      '### 2 requests couldn’t be checked or updated; updated 2 comments and gave up on 1 job; 1 job still running\n\n> [!WARNING]\n> ' +
        'Reason 0. Reason 1. Reason 2. Reason 3. Reason 4. The next run tries again.\n> Signed',
    );
    expect(summary).toContain('| `prj_2 \\| docs` | [#7](');
    expect(summary).toMatch(/(?:\| ⚠️ Left for the next run\. \|\n.*){2}\| ✅ /);
    expect(summary).not.toMatch(/job_[345]/);
  });
});
