import { version } from '../../core/version.ts';
import type { Card } from './card.ts';
import { storedCard } from './stored.ts';

/* A thread may contain cards of other versions (CONTRIBUTING, "Cards outlive versions"). */

type Fields = Readonly<Record<string, unknown>>;

/** The fields by which an object says what it is about, besides the ID of its job. */
const identifying = ['is', 'id', 'url', 'outcome', 'reason'];

/** A card from its stored form; `undefined` if this version can't read it. */
export function fromStored(origin: unknown): Card | undefined {
  const { data } = storedCard.safeParse(origin);
  if (data === undefined) return undefined;
  const { version: _, project: __, ...card } = data;
  return { ...card, origin };
}

/** The stored form of a card, with the fields that another version stored there. */
export function toStored({ origin, ...card }: Card): object {
  const remarks = card.remarks.filter(({ place }) => place !== 'summary');
  const stored = { ...card, remarks, version };
  const { data: known } = storedCard.safeParse(origin);
  if (!isRecord(origin) || known === undefined) return stored;
  return addUnknown(stored, origin, known);
}

/**
 * Adds the fields of `origin` that this version doesn't know, because they aren't in `known`. A new
 * job, state, or pull request gets none: they were about the last one.
 * @param isPartOfSame whether the object around this one is about the same as in `origin`.
 */
function addUnknown(now: Fields, origin: Fields, known: Fields, isPartOfSame = true): Fields {
  const identity = identityOf(known);
  const isSame = identity === '' ? isPartOfSame : identity === identityOf(now);
  const fields: Record<string, unknown> = { ...now };
  for (const [name, value] of Object.entries(origin)) {
    const part = now[name];
    const knownPart = known[name];
    if (isSame && !(name in known)) fields[name] = value;
    if (isRecord(part) && isRecord(value) && isRecord(knownPart))
      fields[name] = addUnknown(part, value, knownPart, isSame);
  }
  return fields;
}

/** What an object is about; `''` if it is only a part of the object around it. */
function identityOf(object: Fields): string {
  const jobId = isRecord(object.job) ? object.job.id : undefined;
  const values = identifying.map((name) => object[name]);
  return [...values, jobId].join(' ').trim();
}

function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
