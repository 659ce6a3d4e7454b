import type * as z from 'zod/mini';
import { version } from '../../core/version.ts';
import type { Job } from '../../service/schemas.ts';
import { storedCard } from './stored.ts';

/* The card is the request (CONTRIBUTING, "The card"). `stored.ts` has its form and the meaning of each field. */

const shownPromptBytes = 4 * 1024;

type Stored = z.output<typeof storedCard>;

/** One request to the agent. */
export interface Card extends Readonly<Omit<Stored, 'version' | 'project' | 'asker'>> {
  /** The login of the person who made the request. In the stored form, it is `asker`. */
  readonly requester?: string | undefined;
  /** The stored form from which the card was read. Fields of it that this version doesn't know are stored again. */
  readonly origin?: unknown;
}

export type CardState = Readonly<Card['state']>;

/** How a request ended. */
export type How = Extract<CardState, { is: 'ended' }>['how'];

/** The fields that show whether a job has picked up a follow-up. */
export type JobState = Readonly<Pick<Job, 'status' | 'prLink'>>;

/** How a run ended. */
export type Ending = Readonly<NonNullable<Card['stop']>>;

/** A card from its stored form; `undefined` if this version can't read it. */
export function fromStored(origin: unknown): Card | undefined {
  const { data } = storedCard.safeParse(origin);
  if (data === undefined) return undefined;
  const { version: _, project: __, asker: requester, ...card } = data;
  return { ...card, requester, origin };
}

/** The stored form of a card, with the fields that another version stored there. */
export function toStored({ origin, requester, ...card }: Card): object {
  const { data: known } = storedCard.safeParse(origin);
  return { ...withUnknown({ ...card, asker: requester }, origin, known), version };
}

/** Adds the fields of `origin` that this version doesn't know, but none to a new job, state, or pull request. */
function withUnknown<T>(now: T, origin: unknown, known: unknown, isOfSame = true): T {
  if (!isRecord(now) || !isRecord(origin) || !isRecord(known)) return now;
  const isSame = identityOf(known) === '' ? isOfSame : identityOf(known) === identityOf(now);
  const fields = Object.entries(origin).flatMap(([name, value]) => {
    if (!(name in known)) return isSame ? [[name, value]] : [];
    return isRecord(now[name]) ? [[name, withUnknown(now[name], value, known[name], isSame)]] : [];
  });
  return { ...now, ...Object.fromEntries(fields) };
}

/** What an object is about; `''` if it is a part of the enclosing object. */
function identityOf({ is, id, url, outcome, reason, job }: Readonly<Record<string, unknown>>): string {
  return [is, id, url, outcome, reason, isRecord(job) ? job.id : undefined].join(' ').trim();
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Shortens a prompt to the part that people see. */
export function shownPrompt(prompt: string): string {
  const bytes = Buffer.from(prompt);
  if (bytes.length <= shownPromptBytes) return prompt;
  const shown = bytes.toString('utf8', 0, shownPromptBytes).replace(/\uFFFD+$/, '');
  const more = Array.from(prompt).length - Array.from(shown).length;
  return `${shown}… (${more.toLocaleString('en')} more characters)`;
}

/** The request's job, as last reported by the service. */
export function jobOf({ state }: Pick<Card, 'state'>): Job | undefined {
  return 'job' in state ? state.job : undefined;
}

/** Whether the prompt goes to an existing job. */
export function isFollowUp({ ask }: Pick<Card, 'ask'>): boolean {
  return ask === 'message';
}

/** How the request ended; `undefined` if it hasn't ended. */
export function howEnded({ state }: Pick<Card, 'state'>): How | undefined {
  return state.is === 'ended' ? state.how : undefined;
}

/** Whether the thread accepts commands. Only a run that was started by a command knows this. */
export function hasCommands({ isCommand, thread }: Card): boolean {
  return isCommand && thread !== undefined;
}
