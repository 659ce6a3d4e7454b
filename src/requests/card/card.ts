import type * as z from 'zod/mini';
import { version } from '../../core/version.ts';
import type { PullRequestRef } from '../../github/pull-requests.ts';
import type { RunContext } from '../../runner/context.ts';
import { type Job, maxLink } from '../../service/schemas.ts';
import { storedCard } from './stored.ts';

/* The card is the request (CONTRIBUTING, "The card"). `stored.ts` has its form and the meaning of each field. */

const shownPromptBytes = 4 * 1024;
/** How long a job may look unchanged after a follow-up. The service documents no limit, so we allow plenty of time. */
const takeUpMs = 120_000;

type Stored = z.output<typeof storedCard>;

/** Something that users are told, as Markdown. A remark for the job `summary` is about one run, so it isn't stored. */
export interface Remark {
  readonly place: 'comment' | 'fold' | 'summary';
  readonly text: string;
}

export interface Card extends Readonly<Omit<Stored, 'version' | 'project' | 'asker' | 'remarks'>> {
  readonly remarks: readonly Remark[];
  /** The login of the person who made the request. In the stored form, it is `asker`. */
  readonly requester?: string | undefined;
  /** The stored form from which the card was read. Fields of it that this version doesn't know are stored again. */
  readonly origin?: unknown;
}

export type How = Extract<Card['state'], { is: 'ended' }>['how'];

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
  const remarks = card.remarks.filter(({ place }) => place !== 'summary');
  return { ...withUnknown({ ...card, remarks, asker: requester }, origin, known), version };
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
function identityOf({
  is,
  id,
  url,
  outcome,
  reason,
  job,
}: Readonly<Record<string, unknown>>): string {
  return [is, id, url, outcome, reason, isRecord(job) ? job.id : undefined].join(' ').trim();
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function shownPrompt(prompt: string): string {
  const bytes = Buffer.from(prompt);
  if (bytes.length <= shownPromptBytes) return prompt;
  return `${bytes.toString('utf8', 0, shownPromptBytes).replace(/\uFFFD+$/, '')}…`;
}

/** The request's job, as last reported by the service. */
export function jobOf({ state }: Pick<Card, 'state'>): Job | undefined {
  return 'job' in state ? state.job : undefined;
}

/** How the request ended; `undefined` if it hasn't ended. */
export function howEnded({ state }: Pick<Card, 'state'>): How | undefined {
  return state.is === 'ended' ? state.how : undefined;
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
  if (status === 'completed') return prLink === null ? 'none' : 'pr';
  return status === 'archived' ? 'archived' : 'failed';
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
} as const satisfies Record<Exclude<How, 'unseen'>, Ending>;

/** How the run ended, if it has. A failed or archived job may show a pull request, but an earlier request created that one. */
export function endingOf({ stop, state }: Pick<Card, 'stop' | 'state'>): Ending | undefined {
  if (stop !== undefined || state.is !== 'ended') return stop;
  const { how, job } = state;
  const ending = endings[how === 'unseen' ? (job === undefined ? 'failed' : endOf(job)) : how];
  if (how === 'unseen' && ending.outcome !== 'failed')
    return { ...ending, reason: 'follow-up-unseen' };
  const isUnusable = ending.outcome === 'pr-created' && pullRequestOf(job) === undefined;
  return isUnusable ? { ...ending, reason: 'unusable-pr-link' } : ending;
}

/** The cause of the error that ended the run, without a period. Earlier versions stored `The run failed` instead. */
export function causeOf(card: Pick<Card, 'stop' | 'state'>): string | undefined {
  const title = endingOf(card)?.error?.title;
  return title === 'The run failed' ? undefined : title;
}

/** A URL that people may be sent to: https, without credentials, and not too long for a comment. */
export function safeUrl(text: string | null | undefined): URL | undefined {
  const url = URL.parse(text ?? '');
  if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '') return undefined;
  return url.href.length > maxLink ? undefined : url;
}

/** The job's pull request, if its link is safe. `number` is `''` if the URL contains none. */
export function pullRequestOf(job: Job | undefined): { url: string; number: string } | undefined {
  const url = safeUrl(job?.prLink);
  if (url === undefined) return undefined;
  const number = url.pathname.match(
    /\/(?:pull|pulls|-\/merge_requests|merge_requests|pull-requests)\/([1-9]\d{0,14})(?:\/|$)/,
  );
  return { url: url.href, number: number?.[1] ?? '' };
}

/** Whether two URLs lead to the same pull request. GitHub ignores upper and lower case in owner and repository names. */
export function isSameUrl(url: string | undefined, other: string): boolean {
  return url?.toLowerCase() === other.toLowerCase();
}

type Here = Pick<RunContext, 'repositoryUrl'>;

/** Where the pull request of a card's job is now. The repository may have had another name when the run named it in `runUrl`. */
export function pullUrlOf(
  card: Card,
  { repositoryUrl }: Here,
  job = jobOf(card),
): string | undefined {
  const url = pullRequestOf(job)?.url;
  const then = card.runUrl.replace(/actions\/.*/, '');
  const isOurs = url?.toLowerCase().startsWith(then.toLowerCase());
  return isOurs ? `${repositoryUrl}/${url?.slice(then.length)}` : url;
}

/** The pull request at a URL; `undefined` if it isn't on the same server as this repository. */
export function pullRequestRef(url = '', { repositoryUrl }: Here): PullRequestRef | undefined {
  const { origin, pathname = '' } = URL.parse(url) ?? {};
  const [, owner, repo, number] =
    pathname.match(/^\/([^/]+)\/([^/]+)\/pull\/(\d{1,15})(?:\/|$)/) ?? [];
  if (owner === undefined || repo === undefined || new URL(repositoryUrl).origin !== origin)
    return undefined;
  return { owner, repo, number: Number(number) };
}
