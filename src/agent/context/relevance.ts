import type { Person } from '../../github/changes.ts';
import type { Change, JudgedPullRequest } from './change.ts';
import type { FileFilter } from './files.ts';

/** Why a change needs no docs. */
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
 * Why a change is skipped before it costs anything; `undefined` if the agent is to be asked. Not for commands.
 *
 * Tried in this order: `own-change`, `bot-change`, `skip-docs` (known after one or two requests), `no-base`, and last
 * `no-relevant-changes`, which takes all files. So call it before the files are read, and again with them. Of several pull
 * requests each needs a reason of its own.
 */
export function whyIrrelevant(change: Change, options: RelevanceOptions): Irrelevance | undefined {
  const { consistsOf, pusher, headMessage } = change;
  const reasons = consistsOf.map((pull) => whyIrrelevantPull(pull, options));
  const ofAll = reasons.includes(undefined) ? undefined : reasons[0];
  // The newest of several merges speaks only for its own pull request.
  const ofCommit = consistsOf.length > 1 ? undefined : skipDocsIn(headMessage);
  return ofAll ?? botChange(pusher, options) ?? ofCommit ?? noBase(change) ?? noFiles(change, options);
}

function whyIrrelevantPull(pull: JudgedPullRequest, options: RelevanceOptions): Irrelevance | undefined {
  if (pull.isOwn)
    return { reason: 'own-change', text: 'The change is one of the writing agent’s own pull requests.' };
  return botChange(pull.author, options) ?? skipDocs(pull);
}

function botChange(person: Person | undefined, { allowUsers }: RelevanceOptions): Irrelevance | undefined {
  if (person?.isBot !== true || allowUsers.includes(person.login.toLowerCase())) return undefined;
  const text = `The change is by ${person.login}, a bot that \`allow-users\` does not list.`;
  return { reason: 'bot-change', text };
}

function skipDocs({ title, body, labels }: JudgedPullRequest): Irrelevance | undefined {
  if (labels.some((label) => label.toLowerCase() === 'skip-docs')) return skippedBy('The label `skip-docs`');
  if (asksToSkip(title)) return skippedBy('The pull request’s title');
  return asksToSkip(body.rendered) ? skippedBy('The pull request’s description') : undefined;
}

function skipDocsIn(headMessage = ''): Irrelevance | undefined {
  // A squash may copy the description's source into the message, with the comments of a template.
  const shown = headMessage.replace(/<!--[\s\S]*?(?:-->|$)/g, '');
  return asksToSkip(shown) ? skippedBy('The newest commit’s message') : undefined;
}

function skippedBy(where: string): Irrelevance {
  return { reason: 'skip-docs', text: `${where} says to skip the docs.` };
}

function asksToSkip(text: string): boolean {
  return /\[skip docs\]/i.test(text);
}

function noBase({ hasBase }: Change): Irrelevance | undefined {
  if (hasBase) return undefined;
  return {
    reason: 'no-base',
    text: 'There is nothing to compare the change with: the commit before it is missing.',
  };
}

/** Only a complete list can show that something did not change. */
function noFiles({ files }: Change, { isChosen }: RelevanceOptions): Irrelevance | undefined {
  if (files === undefined || !files.isWhole || files.files.some(isChosen)) return undefined;
  const chosen = files.files.length === 0 ? '' : ' that `paths` chooses';
  return { reason: 'no-relevant-changes', text: `The change changes no file${chosen}.` };
}
