import * as z from 'zod/mini';
import { type AgentReason, agentOutcomes } from '../../core/reasons.ts';
import { version } from '../../core/version.ts';
import type { Card } from './card.ts';

/*
 * The form in which a card is stored, in comments and for `post`. Cards outlive versions, so the form is a contract. Fields are only
 * added, and each new field is optional or has a default. No enum or union gets a new value, and no field changes its meaning.
 * `__tests__/fixtures/cards/` has cards of every form so far (CONTRIBUTING, "A field of a card").
 */

const text = z.optional(z.string());
const number = z.optional(z.number());

const job = z.object({
  id: z.string(),
  status: z.string(),
  prLink: z.nullable(z.string()),
  source: z.nullish(z.object({ repository: z.nullish(z.string()), ref: z.nullish(z.string()) })),
  model: z.nullish(z.string()),
  createdAt: z.nullish(z.string()),
});

const state = z.discriminatedUnion('is', [
  z.object({ is: z.literal('freed') }),
  z.object({ is: z.literal('claimed'), until: z.number() }),
  z.object({ is: z.literal('sent'), until: z.number() }),
  z.object({
    is: z.literal('working'),
    job,
    before: z.optional(z.object({ status: z.string(), prLink: z.nullable(z.string()) })),
    until: number,
  }),
  z.object({
    is: z.literal('ended'),
    how: z.enum(['pr', 'none', 'unseen', 'failed', 'archived', 'gone', 'unconfirmed', 'answered', 'denied']),
    job: z.optional(job),
  }),
]);

const pull = z.object({
  url: z.string(),
  state: z.enum(['open', 'merged', 'closed', 'unseen']),
  shown: z.optional(
    z.object({ title: z.string(), additions: z.number(), deletions: z.number(), changedFiles: z.number() }),
  ),
  head: text,
  isUpdated: z.optional(z.boolean()),
  remindedAt: number,
});

const stop = z.object({
  outcome: z.enum(agentOutcomes),
  // A newer version may have more reasons.
  reason: z.custom<AgentReason>((reason) => typeof reason === 'string'),
  because: text,
  error: z.optional(z.object({ title: z.string(), text: z.string(), markdown: z.string() })),
});

/** The stored form. The meaning of each field is in `card.ts`. */
export const storedCard = z.object({
  /** The version of the action that wrote the card. */
  version: text,
  /** A digest of the project that the card belongs to (`sign.ts`). */
  project: text,
  key: z.string(),
  nonce: z.string(),
  run: z.string(),
  runUrl: z.string(),
  attempt: z.number(),
  generation: z.number(),
  thread: number,
  comment: z.optional(z.object({ id: z.number(), url: z.string() })),
  login: text,
  source: z.optional(
    z.object({ kind: z.enum(['comment', 'review-comment', 'review']), id: z.number(), url: text }),
  ),
  isCommand: z.boolean(),
  command: z.string(),
  asker: text,
  prompt: text,
  removed: z.number(),
  notes: z.array(z.string()),
  ask: z.enum(['create', 'message', 'attach', 'reply']),
  series: text,
  head: text,
  askedAt: number,
  endedAt: number,
  checkedAt: number,
  state,
  pull: z.optional(pull),
  reviewer: text,
  stop: z.optional(stop),
  answer: text,
});

/** A card from its stored form; `undefined` if this version can't read it. */
export function fromStored(origin: unknown): Card | undefined {
  const { data } = storedCard.safeParse(origin);
  if (data === undefined) return undefined;
  const { version: _, project: __, ...card } = data;
  return { ...card, origin };
}

/** The stored form of a card, with the fields that another version stored there. */
export function toStored({ origin, ...card }: Card): object {
  const { data: known } = storedCard.safeParse(origin);
  return { ...withUnknown(card, origin, known), version };
}

/**
 * Adds the fields of `origin` that this version doesn't know. A new job, state, or pull request doesn't
 * get the fields of the old one (`isOfSame`: the object around is still the old one).
 */
function withUnknown<T>(now: T, origin: unknown, known: unknown, isOfSame = true): T {
  if (!isRecord(now) || !isRecord(origin) || !isRecord(known)) return now;
  const isSame = identityOf(known) === '' ? isOfSame : identityOf(known) === identityOf(now);
  const fields = Object.entries(origin).flatMap(([name, value]) => {
    if (!(name in known)) return isSame ? [[name, value]] : [];
    return isRecord(now[name]) ? [[name, withUnknown(now[name], value, known[name], isSame)]] : [];
  });
  return { ...now, ...Object.fromEntries(fields) };
}

/** What an object is about; `''` if it is a part of the object around it. */
function identityOf({ is, id, url, outcome, reason, job }: Readonly<Record<string, unknown>>): string {
  return [is, id, url, outcome, reason, isRecord(job) ? job.id : undefined].join(' ').trim();
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
