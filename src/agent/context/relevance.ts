import type { FileList, Person, PullRequest } from '../../github/changes.ts';
import type { FileFilter } from './paths.ts';

/** What is known of a change before anything is asked of the agent. */
export interface ChangeSeen {
  /** The pull requests that the change is, and nothing besides; none where it holds anything else. */
  readonly pullRequests: readonly SeenPullRequest[];
  /** Who pushed it; `undefined` where the event was no push, or the push only merges. */
  readonly pusher: Person | undefined;
  /** The whole message of the newest commit. */
  readonly headMessage: string | undefined;
  /** Whether there is something to compare with: none before a branch's first push, or after a force push. */
  readonly hasBase: boolean;
  /** `undefined` while the files are not read yet, or cannot be. */
  readonly files: FileList | undefined;
}

export interface SeenPullRequest extends Pick<PullRequest, 'title' | 'body' | 'labels' | 'author'> {
  /** Whether one of our own markers names it as a job's. */
  readonly isOwn: boolean;
}

/** Why a change is not for the agent. */
export interface Irrelevance {
  readonly reason: 'own-change' | 'bot-change' | 'skip-docs' | 'no-base' | 'no-relevant-changes';
  /** A sentence for the log. */
  readonly text: string;
}

export interface RelevanceOptions {
  /** Lower-case logins. */
  readonly allowUsers: readonly string[];
  readonly isChosen: FileFilter;
}

/**
 * Why a change is skipped before it costs anything; `undefined` where the agent is to be asked. Not for commands: somebody asked.
 * Tried in this order: `own-change`, `bot-change`, `skip-docs` (what the people and programs behind it say, known from one or
 * two requests), `no-base`, and last `no-relevant-changes`, for which all files have to be read. So it may be asked before the
 * files are read, and again with them. Of several pull requests at once each needs a reason of its own.
 */
export function whyIrrelevant(change: ChangeSeen, options: RelevanceOptions): Irrelevance | undefined {
  const { pullRequests, pusher, headMessage } = change;
  const reasons = pullRequests.map(
    (one) => ownChange(one) ?? botChange(one.author, options) ?? skipDocs(one),
  );
  const ofAll = reasons.includes(undefined) ? undefined : reasons[0];
  // Of several, the newest commit is that of the last one alone.
  const ofCommit = pullRequests.length > 1 ? undefined : skipDocsIn(headMessage);
  return ofAll ?? botChange(pusher, options) ?? ofCommit ?? noBase(change) ?? noFiles(change, options);
}

function ownChange({ isOwn }: SeenPullRequest): Irrelevance | undefined {
  if (!isOwn) return undefined;
  return { reason: 'own-change', text: 'The change is a pull request of the writing agent’s own.' };
}

function botChange(person: Person | undefined, { allowUsers }: RelevanceOptions): Irrelevance | undefined {
  if (person?.isBot !== true || allowUsers.includes(person.login.toLowerCase())) return undefined;
  return {
    reason: 'bot-change',
    text: `The change is by ${person.login}, a bot that \`allow-users\` does not list.`,
  };
}

function skipDocs({ title, body, labels }: SeenPullRequest): Irrelevance | undefined {
  if (labels.some((label) => label.toLowerCase() === 'skip-docs')) return skippedBy('The label `skip-docs`');
  if (asksToSkip(title)) return skippedBy('The pull request’s title');
  return asksToSkip(body.rendered) ? skippedBy('The pull request’s description') : undefined;
}

function skipDocsIn(headMessage: string | undefined): Irrelevance | undefined {
  // A squash may carry the description into the message as it was written, the template's comments and all.
  const asks = asksToSkip(headMessage?.replace(/<!--[\s\S]*?(?:-->|$)/g, ''));
  return asks ? skippedBy('The newest commit’s message') : undefined;
}

function skippedBy(where: string): Irrelevance {
  return { reason: 'skip-docs', text: `${where} says to skip the docs.` };
}

function asksToSkip(text: string | undefined): boolean {
  return text !== undefined && /\[skip docs\]/i.test(text);
}

function noBase({ hasBase }: ChangeSeen): Irrelevance | undefined {
  if (hasBase) return undefined;
  return {
    reason: 'no-base',
    text: 'There is nothing to compare the change with: the commit before it is not there.',
  };
}

/** Only a list that is whole can show that something did not change; one without any file shows that nothing did. */
function noFiles({ files }: ChangeSeen, { isChosen }: RelevanceOptions): Irrelevance | undefined {
  if (files === undefined || !files.isWhole || files.files.some(isChosen)) return undefined;
  const text =
    files.files.length === 0
      ? 'The change changes no file.'
      : 'The change changes no file that `paths` chooses.';
  return { reason: 'no-relevant-changes', text };
}
