import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createSigner, type SignerScope, startsWithMarker } from '../../src/core/sign.ts';
import type { ThreadComment } from '../../src/github/changes.ts';
import type { Card } from '../../src/requests/card/card.ts';
import { cardsIn } from '../../src/requests/thread/find.ts';
import { createScrub } from '../../src/text/scrub.ts';
import { card, completed, found, is, owner, scope, signer } from '../support/samples/cards.ts';

const bound = found(41, { state: is.ended('pr', completed) });
const { comment } = bound;
const [line = ''] = comment.body.split('\n', 1);
const unbound = signer.sign(card());
const rotated = { ...scope, service: { ...scope.service, apiKey: 'mint_fake_rotated' } };
const otherProject = { ...rotated, service: { ...rotated.service, projectId: 'prj_2' } };

const foundBy = (from: typeof signer, inComment: ThreadComment) =>
  cardsIn([inComment], [{ ...owner, signerOf: () => from }]);
/** The state of the card in an unedited comment with this text; `undefined` if there is no valid card. */
const stateIn = (body: string, about: Partial<ThreadComment> = {}, from = signer) =>
  foundBy(from, { ...comment, unedited: true, body, ...about }).ours[0]?.card.state.is;

test('a card is valid with text below it, and with text above it only if it contains its comment’s ID', () => {
  expect(foundBy(signer, comment).ours).toMatchObject([{ ...bound, owner: {} }]);
  for (const tail of [
    '',
    '\n',
    '\r\nText\r\n',
    '\n<!-- docs-agent:v1 x.y -->',
    `\n\n${signer.sign(found(41).card)}`,
  ])
    expect(stateIn(line + tail)).toBe('ended');
  for (const above of [
    '\n',
    'Done by hand.\n',
    'One\r\n\r\nTwo\r\n',
    `${unbound.slice(0, -9)}AAAAA -->\n`,
  ]) {
    expect(stateIn(`${above}${line}\nText`)).toBe('ended');
    expect(stateIn(`${above}${unbound}\nText`)).toBeUndefined();
  }
  expect(stateIn(unbound)).toBe('freed');
  expect(stateIn(unbound, { unedited: false })).toBeUndefined();
});

describe('a card is invalid', () => {
  test('if any character is changed, removed, or added', () => {
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
    [
      'a repository and thread that look the same when joined',
      { repositoryId: `${scope.repositoryId}\n7` },
    ],
    ['another project', { service: { ...service, projectId: 'prj_2' } }],
    ['another service', { service: { ...service, baseUrl: 'https://api.example.org' } }],
    ['a different key', rotated],
  ])('if it is from %s', (_, other) => {
    const theirs = createSigner({ ...scope, ...other });
    expect(stateIn(theirs.sign(bound.card))).toBeUndefined();
    expect(stateIn(line, {}, theirs)).toBeUndefined();
  });

  test('if it contains the ID of another comment', () =>
    expect(stateIn(line, { id: 42 })).toBeUndefined());

  test.each(['{} and more', '{}{}', ' {}', '\ufeff{}', '> {}', '<!-- -->{}', 'Look: {}'])(
    'if it is in %j',
    (around) => {
      expect(stateIn(around.replaceAll('{}', line))).toBeUndefined();
    },
  );

  test('if it has the signature of another card', () => {
    const [payload, mac] = [line.split('.')[0], signer.sign(found(41).card).split('.')[1]];
    expect(stateIn(`${payload}.${mac}`)).toBeUndefined();
  });

  test('if it was never signed', () => {
    const mac = fc.string({ unit: fc.constantFrom(...'AZaz09-_'), minLength: 43, maxLength: 43 });
    fc.assert(
      fc.property(fc.base64String(), mac, (payload, signature) => {
        const body = `<!-- docs-agent:v1 ${payload.replaceAll('=', '')}.${signature} -->`;
        expect(stateIn(body)).toBeUndefined();
        expect(startsWithMarker(body)).toBe(true);
      }),
    );
  });
});

test('the signed line never ends its HTML comment early, and doesn’t contain the key', () => {
  expect(line).toMatch(/^<!-- docs-agent:v1 [\w-]+\.[\w-]+ -->$/);
  expect(line.slice(4, -3)).not.toMatch(/^-?>|--!?>/);
  const payload = Buffer.from(line.slice(19).split('.')[0] ?? '', 'base64url').toString();
  expect(payload).not.toContain('mint_fake_key');
});

test('the card in a signed line is scrubbed, so it can’t contain the key', () => {
  const scrubbing = createSigner({ ...scope, scrub: createScrub(['mint_fake_key']) });
  const signed = scrubbing.sign(
    card({
      prompt: 'Use mint_fake_key here.',
      remarks: [{ place: 'fold', text: 'mint_fake_key' }],
    }),
  );
  const payload = Buffer.from(signed.slice(19).split('.')[0] ?? '', 'base64url').toString();
  expect(payload).toContain('Use *** here.');
  expect(payload).not.toContain('mint_fake_key');
});

describe('the trigger in a comment signed with a different API key', () => {
  const keyOf = (
    patch: Partial<Card>,
    about: Partial<ThreadComment> = {},
    other: SignerScope = rotated,
  ) => {
    const body = createSigner(other).sign(found(41, patch).card);
    return foundBy(signer, { ...comment, body, ...about }).ofOtherKeys[0]?.card.key;
  };
  const rows: [string, ReturnType<typeof keyOf>, string | undefined][] = [
    ['is known if a request may have been sent', keyOf({ state: is.claimed(5) }), 'comment:40'],
    [
      'is known if the request has ended',
      keyOf({ state: is.ended('pr', completed) }),
      'comment:40',
    ],
    ['is unknown if nothing was sent', keyOf({ state: is.freed }), undefined],
    ['is unknown in an answer', keyOf({ ask: 'reply', state: is.ended('answered') }), undefined],
    [
      'is unknown in a comment from a stranger',
      keyOf({ state: is.claimed(5) }, { isByInsider: false }),
      undefined,
    ],
    ['is unknown in a copy', keyOf({ state: is.claimed(5) }, { id: 42 }), undefined],
    ['is unknown in another project', keyOf({ state: is.claimed(5) }, {}, otherProject), undefined],
    ['is unknown if our own key signed it', keyOf({ state: is.claimed(5) }, {}, scope), undefined],
  ];
  test.each(rows)('%s', (_, key, expected) => expect(key).toBe(expected));
});
