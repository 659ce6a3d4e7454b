import type { Commit, FileList, Issue, Person, PullRequest, Release } from '../../github/changes.ts';
import type { ReviewWords } from '../about.ts';
import type { FileFilter } from './files.ts';

/** What a request is about, as read from GitHub: the data for the agent, and what decides whether it is sent. */
export interface Change {
  /** What happened, as the rest of a sentence. */
  readonly happened: string;
  /** The version that was read: a pull request's head, or a digest of an issue's text. Missing if part of it is. */
  readonly head?: string;
  /**
   * The issue or pull request to send. If its body was edited after the event, the author of the request hasn't read the new
   * one, so the body isn't sent.
   */
  readonly thread?: (Issue & { readonly isBodyEdited: boolean }) | undefined;
  readonly release?: Release;
  readonly review?: ReviewWords | undefined;
  /** The pull requests found in a push or a range. */
  readonly pullRequests?: readonly Pick<PullRequest, 'number' | 'title' | 'author' | 'isFromOutside'>[];
  /** The pull requests that the change consists of; none if it contains anything else. */
  readonly consistsOf?: readonly JudgedPullRequest[];
  /** The commits that GitHub lists, oldest first. */
  readonly commits?: readonly Commit[];
  readonly totalCommits?: number;
  /** Missing if the files weren't read, or aren't sent. */
  readonly files?: FileList;
  /** `false` at a branch's first push and after a force push: there is nothing to compare with. */
  readonly hasBase?: boolean;
  /** Who pushed it; `undefined` if it wasn't pushed, or the push only merged pull requests. */
  readonly pusher?: Person | undefined;
  /** The whole message of the newest commit, which may ask to skip the docs. */
  readonly headMessage?: string | undefined;
}

export interface JudgedPullRequest extends Pick<PullRequest, 'title' | 'body' | 'labels' | 'author'> {
  /** Whether one of our own cards names it as a job's. */
  readonly isOwn: boolean;
}

/** Why a change doesn't need docs. */
interface Irrelevance {
  readonly reason: 'own-change' | 'bot-change' | 'skip-docs' | 'no-base' | 'no-relevant-changes';
  /** A sentence for the log. */
  readonly because: string;
}

interface RelevanceOptions {
  /** Lower-case logins. */
  readonly allowUsers: readonly string[];
  readonly isChosen: FileFilter;
}

/**
 * Why a change is skipped before it costs anything; `undefined` if it is sent to the agent. Not for commands.
 *
 * Checked in this order: `own-change`, `bot-change`, `skip-docs`, `no-base`, `no-relevant-changes`. Several pull requests are
 * skipped only if each has a reason.
 */
export function whyIrrelevant(change: Change, options: RelevanceOptions): Irrelevance | undefined {
  const { consistsOf = [], pusher, headMessage = '', hasBase = true, files } = change;
  const reasons = consistsOf.map((pull) => ofPullRequest(pull, options));
  const ofAll = reasons.includes(undefined) ? undefined : reasons[0];
  const earlier = ofAll ?? botChange(pusher, options);
  if (earlier !== undefined) return earlier;
  // A squash merge may copy the description's source into the commit message, with a template's HTML comments.
  const shown = headMessage.replace(/<!--[\s\S]*?(?:-->|$)/g, '');
  // The newest of several merges is only about its own pull request.
  if (consistsOf.length <= 1 && asksToSkip(shown)) return skippedBy('The newest commit’s message');
  if (!hasBase) {
    const because = 'There is nothing to compare the change with: the commit before it is missing.';
    return { reason: 'no-base', because };
  }
  // Only a complete list can show that something didn't change.
  if (files === undefined || !files.isWhole || files.files.some(options.isChosen)) return undefined;
  const chosen = files.files.length === 0 ? '' : ' that `paths` chooses';
  return { reason: 'no-relevant-changes', because: `The change doesn’t touch any files${chosen}.` };
}

function ofPullRequest(pull: JudgedPullRequest, options: RelevanceOptions): Irrelevance | undefined {
  const { title, body, labels, author, isOwn } = pull;
  if (isOwn)
    return { reason: 'own-change', because: 'The change is one of the writing agent’s own pull requests.' };
  const ofBot = botChange(author, options);
  if (ofBot !== undefined) return ofBot;
  if (labels.some((label) => label.toLowerCase() === 'skip-docs')) return skippedBy('The label `skip-docs`');
  if (asksToSkip(title)) return skippedBy('The pull request’s title');
  return asksToSkip(body.rendered) ? skippedBy('The pull request’s description') : undefined;
}

function botChange(person: Person | undefined, { allowUsers }: RelevanceOptions): Irrelevance | undefined {
  if (person?.isBot !== true || allowUsers.includes(person.login.toLowerCase())) return undefined;
  const because = `The change is by ${person.login}, a bot that \`allow-users\` does not list.`;
  return { reason: 'bot-change', because };
}

function skippedBy(where: string): Irrelevance {
  return { reason: 'skip-docs', because: `${where} says to skip the docs.` };
}

function asksToSkip(text: string): boolean {
  return /\[skip docs\]/i.test(text);
}
