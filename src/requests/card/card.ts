import type * as z from 'zod/mini';
import { isPullRequestNumber } from '../../core/address.ts';
import { version } from '../../core/version.ts';
import { type Job, maxLink } from '../../service/schemas.ts';
import { storedCard } from './stored.ts';

/*
 * The card is the request (CONTRIBUTING, "The card"). `stored.ts` has its form and the meaning of
 * each field. This file has what a card says about its job and its end.
 */

/** How long a job may look unchanged after a follow-up: plenty, as no limit is documented. */
const takeUpMs = 120_000;
/** How the services that host repositories name pull requests in their URLs. */
const pullRequestKinds = ['pull', 'pulls', 'merge_requests', 'pull-requests'];

type Stored = z.output<typeof storedCard>;

/**
 * Something that users are told, as Markdown. A remark for the job `summary` is about one run, so
 * it isn't stored.
 */
export interface Remark {
  readonly place: 'comment' | 'fold' | 'summary';
  readonly text: string;
}

export interface Card extends Readonly<Omit<Stored, 'version' | 'project' | 'remarks'>> {
  readonly remarks: readonly Remark[];
}

/**
 * A card from its stored form, as it is: a newer version may have more fields, and the schema adds
 * none. `undefined` if this version can't read it.
 */
export function fromStored(stored: unknown): Card | undefined {
  return storedCard.safeParse(stored).success ? (stored as Card) : undefined;
}

export function toStored(card: Card): object {
  const remarks = card.remarks.filter(({ place }) => place !== 'summary');
  return { ...card, remarks, version };
}

export type EndedHow = Extract<Card['state'], { is: 'ended' }>['how'];

/** How a run ended. */
export type Ending = Readonly<NonNullable<Card['stop']>>;

/** The request's job, as last reported by the service. */
export function jobOf({ state }: Pick<Card, 'state'>): Job | undefined {
  return 'job' in state ? state.job : undefined;
}

/** How the request ended; `undefined` if it hasn't ended. */
export function howEnded({ state }: Pick<Card, 'state'>): EndedHow | undefined {
  return state.is === 'ended' ? state.how : undefined;
}

/** Whether the service's response to the request is missing, if the request was sent at all. */
export function isUnanswered({ state }: Pick<Card, 'state'>): boolean {
  return state.is === 'claimed' || state.is === 'sending';
}

/** Whether the thread accepts commands. Only a run that was started by a command knows this. */
export function hasCommands({ isCommand, thread }: Card): boolean {
  return isCommand && thread !== undefined;
}

/** Whether a status means that the job has ended. An undocumented status doesn't. */
export function isTerminal(status: string): boolean {
  return ['completed', 'archived', 'failed'].includes(status);
}

/** Whether a follow-up was sent so recently that the job may not have picked it up yet. */
export function isTooEarly(askedAt: number | undefined, nowMs: number): boolean {
  return askedAt !== undefined && nowMs - askedAt < takeUpMs;
}

/** Whether a completed job has no pull request link, which may still be added. */
export function lacksLink({ status, prLink }: Job): boolean {
  return status === 'completed' && prLink === null;
}

/** How an ended job ended. A status that isn't documented counts as a failure. */
export function endOf({ status, prLink }: Job): 'pr' | 'none' | 'archived' | 'failed' {
  if (status === 'archived') return 'archived';
  if (status !== 'completed') return 'failed';
  return prLink === null ? 'none' : 'pr';
}

const endings = {
  pr: { outcome: 'pr-created', reason: 'pull-request' },
  none: { outcome: 'no-changes', reason: 'no-pull-request' },
  archived: { outcome: 'archived', reason: 'job-archived' },
  failed: { outcome: 'failed', reason: 'job-failed' },
  gone: { outcome: 'failed', reason: 'not-found' },
  unconfirmed: { outcome: 'failed', reason: 'unconfirmed' },
  answered: { outcome: 'answered', reason: 'help' },
  denied: { outcome: 'denied', reason: 'permission' },
} as const satisfies Record<Exclude<EndedHow, 'unseen'>, Ending>;

/**
 * How the run ended, if it has. A failed or archived job may show a pull request, but an earlier
 * request created that one.
 */
export function endingOf({ stop, state }: Pick<Card, 'stop' | 'state'>): Ending | undefined {
  if (stop !== undefined || state.is !== 'ended') return stop;
  const { how, job } = state;
  if (how === 'unseen') return endingOfUnseen(job);
  if (how === 'pr' && pullRequestOf(job) === undefined)
    return { ...endings.pr, reason: 'unusable-pr-link' };
  return endings[how];
}

/** The ending of a job that may have ended before the follow-up. A failure is one in any case. */
function endingOfUnseen(job: Job | undefined): Ending {
  if (job === undefined || endOf(job) === 'failed') return endings.failed;
  return { ...endings[endOf(job)], reason: 'follow-up-unseen' };
}

/** The cause of the error that ended the run, without a period. */
export function causeOf(card: Pick<Card, 'stop' | 'state'>): string | undefined {
  return endingOf(card)?.error?.title;
}

/** A URL that people may be sent to: https, without credentials, not too long for a comment. */
export function safeUrl(text: string | null | undefined): URL | undefined {
  const url = URL.parse(text ?? '');
  if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '') return undefined;
  if (url.href.length > maxLink) return undefined;
  return url;
}

/** The job's pull request, if its link is safe. `number` is `''` if the URL contains none. */
export function pullRequestOf(job: Job | undefined): { url: string; number: string } | undefined {
  const url = safeUrl(job?.prLink);
  if (url === undefined) return undefined;
  const segments = url.pathname.split('/');
  // An owner and a repository, which come first, may be named `pull` and `7`.
  const number = segments.findLast(
    (segment, index) =>
      isPullRequestNumber(segment) && pullRequestKinds.includes(segments[index - 1] ?? ''),
  );
  return { url: url.href, number: number ?? '' };
}
