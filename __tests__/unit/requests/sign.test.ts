import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { ThreadComment } from '../../../src/github/changes.ts';
import type { Card } from '../../../src/requests/card.ts';
import { statusCommentOf } from '../../../src/requests/claims.ts';
import { createSigner, looksLikeOurs, type SignerScope } from '../../../src/requests/sign.ts';
import { cardsIn, commentOf, openStore, unverifiedKeyOf } from '../../../src/requests/store.ts';
import { calm } from '../../support/in-process/service.ts';
import { card, completed, found, is, scope, signer } from '../../support/samples/cards.ts';
import { memoryGitHub } from '../github/memory-github.ts';

const bound = found(41, { state: is.ended('pr', completed) });
const { comment } = bound;
const [line = ''] = comment.body.split('\n', 1);
const unbound = signer.sign(card());
const rotated = { ...scope, service: { ...scope.service, apiKey: 'mint_fake_rotated' } };
const otherProject = { ...rotated, service: { ...rotated.service, projectId: 'prj_2' } };

/** The state of the card in a comment with that text. */
const stateIn = (body: string, about: Partial<ThreadComment> = {}, from = signer) =>
  cardsIn([{ ...comment, body, ...about }], from)[0]?.card.state.is;

test('a card is read as it was written, also with text below, or above if it names its comment', () => {
  expect(cardsIn([comment], signer)).toEqual([bound]);
  for (const tail of [
    '',
    '\n',
    '\r\nText\r\n',
    '\n<!-- docs-agent:v1 x.y -->',
    `\n\n${signer.sign(found(41).card)}`,
  ])
    expect(stateIn(line + tail)).toBe('ended');
  for (const above of ['\n', 'Done by hand.\n', 'One\r\n\r\nTwo\r\n', `${unbound.slice(0, -9)}AAAAA -->\n`]) {
    expect(stateIn(`${above}${line}\nText`)).toBe('ended');
    expect(stateIn(`${above}${unbound}\nText`)).toBeUndefined();
  }
  expect(stateIn(unbound)).toBe('freed');
});

describe('no card is', () => {
  test('one with a character changed, left out or added', () => {
    for (let at = 0; at < line.length; at += 1) {
      const [before, after] = [line.slice(0, at), line.slice(at + 1)];
      const flipped = String.fromCharCode(line.charCodeAt(at) ^ (1 << (at % 7)));
      for (const body of [before + flipped + after, before + after, `${before}A${line.slice(at)}`])
        expect(stateIn(`${body}\nText`)).toBeUndefined();
    }
  });

  const { service } = scope;
  test.each<[string, Partial<SignerScope>]>([
    ['another thread', { thread: 8 }],
    ['another repository', { repositoryId: '790000002' }],
    ['a repository and thread that read the same in a row', { repositoryId: `${scope.repositoryId}\n7` }],
    ['another project', { service: { ...service, projectId: 'prj_2' } }],
    ['another service', { service: { ...service, baseUrl: 'https://api.example.org' } }],
    ['a different key', rotated],
  ])('one from %s', (_, other) => {
    const theirs = createSigner({ ...scope, ...other });
    expect(stateIn(theirs.sign(bound.card))).toBeUndefined();
    expect(stateIn(line, {}, theirs)).toBeUndefined();
  });

  test('one that names another comment', () => expect(stateIn(line, { id: 42 })).toBeUndefined());

  test.each(['{} and more', '{}{}', ' {}', '\ufeff{}', '> {}', '<!-- -->{}', 'Look: {}'])(
    'one in %j',
    (around) => {
      expect(stateIn(around.replaceAll('{}', line))).toBeUndefined();
    },
  );

  test('the payload of one with the signature of another', () => {
    const [payload, mac] = [line.split('.')[0], signer.sign(found(41).card).split('.')[1]];
    expect(stateIn(`${payload}.${mac}`)).toBeUndefined();
  });

  test('anything that nobody signed', () => {
    const mac = fc.string({ unit: fc.constantFrom(...'AZaz09-_'), minLength: 43, maxLength: 43 });
    fc.assert(
      fc.property(fc.base64String(), mac, (payload, signature) => {
        const body = `<!-- docs-agent:v1 ${payload.replaceAll('=', '')}.${signature} -->`;
        expect(stateIn(body)).toBeUndefined();
        expect(looksLikeOurs(body)).toBe(true);
      }),
    );
  });
});

test('a long prompt is shortened until the card fits', () => {
  const body = commentOf(card({ prompt: '\0'.repeat(4_096) }), signer);
  expect(body.indexOf('\n')).toBeLessThanOrEqual(12 * 1024);
  expect(stateIn(body)).toBe('freed');
});

test('nothing in the signed line ends its HTML comment, and the key is not in it', () => {
  expect(line).toMatch(/^<!-- docs-agent:v1 [\w-]+\.[\w-]+ -->$/);
  expect(line.slice(4, -3)).not.toMatch(/^-?>|--!?>/);
  const payload = Buffer.from(line.slice(19).split('.')[0] ?? '', 'base64url').toString();
  expect(payload).not.toContain('mint_fake_key');
});

describe('the key of a comment that another API key signed', () => {
  const keyOf = (patch: Partial<Card>, about: Partial<ThreadComment> = {}, other: SignerScope = rotated) => {
    const body = createSigner(other).sign(found(41, patch).card);
    return unverifiedKeyOf({ ...comment, body, ...about }, signer);
  };
  const rows: [string, ReturnType<typeof keyOf>, string | undefined][] = [
    ['is known, if something may have been asked', keyOf({ state: is.claimed(5) }), 'comment:40'],
    ['also of an end', keyOf({ state: is.ended('pr', completed) }), 'comment:40'],
    ['not if nothing was asked', keyOf({ state: is.freed }), undefined],
    ['nor of an answer', keyOf({ ask: 'reply', state: is.ended('answered') }), undefined],
    ['nor by a person', keyOf({ state: is.claimed(5) }, { login: 'stranger' }), undefined],
    ['nor in another comment', keyOf({ state: is.claimed(5) }, { id: 42 }), undefined],
    ['nor of another project', keyOf({ state: is.claimed(5) }, {}, otherProject), undefined],
    ['nor of our own', keyOf({ state: is.claimed(5) }, {}, scope), undefined],
  ];
  test.each(rows)('%s', (_, key, expected) => expect(key).toBe(expected));
});

test('a claim looks twice, 1 s apart: one with a lower id may show late', async () => {
  const { simulator, github } = memoryGitHub();
  const store = openStore(7, github, signer, simulator.clock);
  const claim = (nonce: string) => card({ nonce, state: is.claimed(simulator.clock.now() + 600_000) });
  simulator.github.listLagMs = () => 500;
  const late = simulator.github.comment('github-actions[bot]', 7, commentOf(claim('other'), signer));
  simulator.github.listLagMs = () => 0;
  const { around } = await store.claim(claim('me'), simulator.clock.now(), calm());
  expect(around.map(({ card: { nonce } }) => nonce)).toEqual(['other', 'me']);
  expect(statusCommentOf(around, 'comment:40', 'github-actions[bot]')?.comment.id).toBe(late.id);
});
