import { expect, test } from '@jest/globals';
import { openCardsIn } from '../../../src/requests/thread/repository-cards.ts';
import { found, is, jobIn, signer } from '../../support/samples/cards.ts';

const hourMs = 3_600_000;
const claim = { state: is.claimed(0) };
const owner = { project: { id: 'prj_1', name: 'prj_1' }, signerOf: () => signer };

/** The IDs of the comments that collect mode finds `ms` after comment 41 was written. */
function openAt(ms: number, ...cards: ReturnType<typeof found>[]) {
  const comments = cards.map(({ comment }) => comment);
  const all = openCardsIn(comments, owner, 41_000 + ms);
  const ids = (old: boolean) => all.flatMap((open) => (open.isOutdated === old ? open.comment.id : []));
  return { open: ids(false), outdated: ids(true) };
}

test('collect mode finds each trigger’s comment, and after an hour, the ones that it replaced', () => {
  const [first, second] = [found(41, claim), found(43, { state: is.working(), generation: 2 })];
  const other = found(42, { key: 'comment:39', state: is.working() });
  const copy = found(41, claim, { unbound: true });
  expect(openAt(hourMs, second, other, first)).toEqual({ open: [42, 43], outdated: [41] });
  expect(openAt(hourMs - 1, second, other, first)).toEqual({ open: [42, 43], outdated: [] });
  expect(openAt(hourMs, second, copy)).toEqual({ open: [43], outdated: [] });
});

test('collect mode ignores a claim that was edited, or that is not from our login', () => {
  const unbound = (about: object) => found(41, claim, { unbound: true, ...about });
  const ours = found(30, { key: 'comment:29', state: is.ended('none', jobIn('completed')) });
  for (const about of [{ unedited: false }, { login: 'stranger' }, { login: 'other[bot]' }])
    expect(openAt(hourMs, ours, unbound(about))).toEqual({ open: [], outdated: [] });
  expect(openAt(hourMs, ours, unbound({}))).toEqual({ open: [41], outdated: [] });
});
