import fc from 'fast-check';
import { ActionError, explain } from '../../../src/core/errors.ts';
import { type Card, jobOf, pullRequestOf } from '../../../src/requests/card/card.ts';
import { addRemark, shortenPrompt } from '../../../src/requests/card/transitions.ts';
import { jobSchema } from '../../../src/service/schemas.ts';
import { shortCode } from '../../../src/text/markdown.ts';
import { card, is } from './cards.ts';
import { hostileOf } from './hostile-text.ts';

const hostile = hostileOf('\ud83d');
const huge = fc
  .constantFrom('`', '\n', '@octocat ', '\u{e0041}', '\0', '\\', '<b>', '👩')
  .map((unit) => unit.repeat(70_000));
/** Hostile text, sometimes very long. */
export const hostileText = fc.oneof(
  { weight: 9, arbitrary: hostile },
  { weight: 1, arbitrary: huge },
);
const optional = fc.option(hostileText, { nil: undefined });
const few = fc.option(hostile, { nil: undefined });
const starts = [
  '',
  'https://github.com/octo-org/docs/pull/7',
  'https://x.example/?',
  'https://x.example/#',
];

const job = fc
  .record({
    id: hostile.map((text) => `job${text.toWellFormed()}`),
    status: fc.oneof(fc.constantFrom('active', 'completed', 'failed', 'archived'), hostile),
    prLink: fc.option(fc.tuple(fc.constantFrom(...starts), hostile).map((parts) => parts.join(''))),
    model: few,
    source: fc.record({ repository: few, ref: few }),
  })
  .map((answer) => jobSchema.parse({ ...answer, status: answer.status || 'active' }));

const ends = ['pr', 'none', 'unseen', 'failed', 'archived', 'gone', 'unconfirmed'] as const;
const states: fc.Arbitrary<Card['state']> = fc.oneof(
  fc.constantFrom(is.freed, is.claimed, is.sending),
  job.map((it) => is.working(it)),
  fc.tuple(fc.constantFrom(...ends), job).map(([how, it]) => is.ended(how, it)),
);
const stops = fc
  .record({
    outcome: fc.constantFrom(...(['failed', 'timed-out', 'detached', 'archived'] as const)),
    reason: fc.constantFrom(
      ...(['bad-request', 'cancelled', 'deadline', 'not-waited', 'key-changed'] as const),
    ),
    said: hostileText,
  })
  .map(({ said, ...stop }): Card['stop'] => {
    const { reason: _, ...error } = explain(new ActionError('internal', 'It broke', { said }));
    return { ...stop, error };
  });

/** A card in any state, with hostile text in every field from outside. */
export const hostileCard: fc.Arbitrary<Card> = fc
  .record({
    state: states,
    stop: fc.option(stops, { nil: undefined }),
    prompt: optional,
    requester: few,
    note: optional,
    isCommand: fc.boolean(),
    thread: fc.constantFrom(undefined, 7),
    ask: fc.constantFrom('create', 'message', 'attach'),
    removed: fc.nat(),
    endedAt: fc.option(fc.nat(), { nil: undefined }),
    pull: fc.record({
      state: fc.constantFrom('open', 'merged', 'closed', 'unseen'),
      title: hostile,
    }),
  })
  .map(({ note, prompt, pull, ...about }) => {
    const url = pullRequestOf(jobOf(about))?.url ?? '';
    const seen = { title: pull.title, additions: 1, deletions: 2, changedFiles: 3 };
    const patch = { ...about, pull: { url, state: pull.state, shown: seen } };
    const shown = prompt === undefined ? undefined : shortenPrompt(prompt);
    const begun = card({ ...patch, askedAt: 0, prompt: shown });
    return addRemark(
      begun,
      'fold',
      note === undefined ? undefined : `A note on ${shortCode(note)}.`,
    );
  })
  .map((hostile) => JSON.parse(JSON.stringify(hostile)) as Card);
