import { describe, expect, test } from '@jest/globals';
import type { CollectConfig } from '../../src/collect/inputs.ts';
import { makeLedger } from '../../src/collect/ledger.ts';
import type { Job } from '../../src/service/schemas.ts';
import { dayMs } from '../../src/text/duration.ts';
import { completed, found, is, pullIn } from '../support/samples/cards.ts';

describe('the ledger counts a pull request once', () => {
  const config = { collectSince: 14 * dayMs } as CollectConfig;

  /** A request whose job has ended with a pull request. */
  function request(id: number, state: 'open' | 'merged', job: Job = completed, openedAt?: number) {
    const pull = pullIn(state, { url: `${job.prLink}`, openedAt });
    return found(id, { key: `comment:${id - 1}`, askedAt: id, state: is.ended('pr', job), pull });
  }

  function ledgerOf(...cards: ReturnType<typeof request>[]) {
    return makeLedger(cards, [], config, 100_000);
  }

  test('as its newest card has it, if an older card is out of date', () => {
    expect(ledgerOf(request(41, 'open'), request(51, 'merged'))).toMatchObject({
      requests: 2,
      pullRequests: { all: 1, merged: 1, open: 0, closed: 0 },
    });
  });

  test('from the first request that led to it, even if it was opened after others', () => {
    const cards = [41, 51].map((id) => request(id, 'open', completed, 61));
    expect(ledgerOf(...cards)?.medianToReadyMs).toBe(20);
  });

  test('if its link is spelled in two ways', () => {
    const prLink = `${completed.prLink}`.replace('octo-org', 'Octo-Org');
    const cards = [request(41, 'open'), request(51, 'merged', { ...completed, prLink })];
    expect(ledgerOf(...cards)?.pullRequests).toMatchObject({ all: 1, merged: 1, open: 0 });
  });
});

test.each([is.claimed, is.sending])(
  'the ledger counts a request as running until its run is lost',
  (state) => {
    const config = { collectSince: 14 * dayMs } as CollectConfig;
    const request = found(41, { key: 'comment:40', askedAt: 41, state });
    const { results } = makeLedger([request], [], config, 100_000) ?? {};
    expect(results).toMatchObject({ running: 1, unconfirmed: 0 });
  },
);
