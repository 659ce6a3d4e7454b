import type { SkipReason } from '../../core/reasons.ts';
import type { Commit, FileList, Issue, ListedPull, Person, Release } from '../../github/changes.ts';
import type { Ending } from '../../requests/card/card.ts';
import type { PromptContext } from '../../requests/run/plan.ts';
import type { ReviewWords } from '../about.ts';
import { isChangeAllowed } from '../allowed.ts';
import type { AgentConfig } from '../inputs.ts';
import type { Discussion } from './discussion.ts';
import type { FileFilter } from './files.ts';
import type { Rejected } from './rejected.ts';

export type SentThread = Issue & { readonly isBodyEdited: boolean };

/**
 * What a request is about, as read from GitHub. Some fields are sent to the agent; others decide
 * whether anything is sent.
 */
export interface Change extends Partial<Pick<PromptContext, 'head' | 'pull'>> {
  /** What the request is about, as a noun phrase. */
  readonly topic: string;
  /** Whether commits were pushed after the review that is the request. */
  readonly hasNewCommits?: boolean;
  /**
   * The issue or pull request to send. A body that was edited after the command isn't sent: the
   * commenter hasn't read it.
   */
  readonly thread?: SentThread | undefined;
  readonly discussion?: Discussion | undefined;
  readonly rejected?: Rejected;
  readonly release?: Release;
  readonly review?: ReviewWords | undefined;
  readonly failedChecks?: string | undefined;
  /** What couldn't be read, as Markdown sentences for the status comment. */
  readonly unread?: string;
  readonly pullRequests?: readonly Pick<
    ListedPull,
    'number' | 'title' | 'author' | 'isFromOutside'
  >[];
  /** The pull requests that make up the whole change; empty if there is, or may be, more in it. */
  readonly consistsOf?: readonly PartOfChange[];
  /**
   * What became of the pull requests that would be skipped alone, or why a release has no changes,
   * as a sentence.
   */
  readonly leftOut?: string;
  readonly commits?: readonly Commit[];
  readonly totalCommits?: number;
  readonly files?: FileList;
  /**
   * `false` for the first push to a branch and after a force push, because there is nothing to
   * compare with.
   */
  readonly hasBase?: boolean;
  /**
   * The person who pushed the change; `undefined` if it wasn't pushed, or if the push merged pull
   * requests.
   */
  readonly pusher?: Person | undefined;
  /** The full message of the newest commit, which may contain `[skip docs]`. */
  readonly headMessage?: string | undefined;
}

/**
 * `isOwn`: one of our status comments says that a job opened this pull request. `message`: that of
 * its merge commit, if it is one of several.
 */
export type PartOfChange = Pick<ListedPull, 'title' | 'body' | 'labels' | 'author'> & {
  readonly isOwn: boolean;
  readonly message?: string | undefined;
};
export type RelevanceOptions = Pick<AgentConfig, 'allowUsers' | 'checks'> & {
  readonly isChosen: FileFilter;
};

type SkipEnding = Ending & { readonly reason: SkipReason };

/**
 * Why a change is skipped; `undefined` if it isn't. Several pull requests are skipped only if there
 * is a reason for each one.
 */
export function whyIrrelevant(change: Change, options: RelevanceOptions): Ending | undefined {
  const { consistsOf = [], headMessage = '' } = change;
  const reasons = consistsOf.map((pull) => whySkipPull(pull, options));
  const newestReason = reasons.at(-1);
  if (newestReason && !reasons.includes(undefined)) return newestReason;
  const pusherReason = whySkipBot(change.pusher, options);
  if (pusherReason) return pusherReason;

  // If there are several pull requests, the newest commit's message is about only one of them.
  if (consistsOf.length <= 1 && messageAsksToSkip(headMessage))
    return skipOnRequest('The newest commit’s message');

  // A release's notes are enough to ask.
  const hasNotes = Boolean(change.release?.notes.rendered.trim());
  if (change.hasBase === false && !hasNotes) return skip('no-base', whyNoBase(change));
  // Only a complete list proves that no relevant file changed.
  if (!change.files?.isWhole) return undefined;
  const { files } = change.files;
  if (files.length === 0) {
    if (hasNotes) return undefined;
    return skip('no-relevant-changes', 'The change has no files.');
  }
  if (files.some(options.isChosen)) return undefined;
  return skip('no-relevant-changes', 'No changed file matches `paths`.');
}

function whyNoBase({ release }: Change) {
  if (release) return 'There is no earlier release to compare with, and this one has no notes.';
  return 'There is nothing to compare the change with: the preceding commit is missing.';
}

/** Why a pull request would be skipped alone, whatever its files. */
export function whySkipPull(
  pull: PartOfChange,
  options: Pick<RelevanceOptions, 'allowUsers' | 'checks'>,
): SkipEnding | undefined {
  if (pull.isOwn)
    return skip('own-change', 'The change is one of the writing agent’s own pull requests.');
  const authorReason = whySkipBot(pull.author, options);
  if (authorReason) return authorReason;
  if (pull.labels.some((label) => label.toLowerCase() === 'skip-docs'))
    return skipOnRequest('The label `skip-docs`');
  if (asksToSkip(pull.title)) return skipOnRequest('The pull request’s title');
  if (asksToSkip(pull.body.rendered)) return skipOnRequest('The pull request’s description');
  if (messageAsksToSkip(pull.message ?? '')) return skipOnRequest('The merge commit’s message');
  return undefined;
}

function whySkipBot(
  person: Person | undefined,
  options: Pick<RelevanceOptions, 'allowUsers' | 'checks'>,
) {
  if (!person?.isBot || isChangeAllowed(person, options)) return undefined;
  const cause = `The change is by ${person.login}, a bot that \`allow-users\` does not list.`;
  return skip('bot-change', cause);
}

function skipOnRequest(where: string) {
  return skip('skip-docs', `${where} says to skip the docs.`);
}

function skip(reason: SkipReason, because: string): SkipEnding {
  return { outcome: 'skipped', reason, because };
}

/**
 * The message of a squash merge may contain the description of the pull request, with the HTML
 * comments of a template.
 */
function messageAsksToSkip(message: string) {
  return asksToSkip(message.replace(/<!--[\s\S]*?(?:-->|$)/g, ''));
}

function asksToSkip(text: string) {
  return /\[skip docs\]/i.test(text);
}
