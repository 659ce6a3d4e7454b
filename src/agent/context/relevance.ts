import type { Person } from '../../github/changes.ts';
import type { Change, JudgedPullRequest } from './change.ts';
import type { FileFilter } from './files.ts';

/** Why a change needs no docs. */
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
 * Why a change is skipped before it costs anything; `undefined` if the agent is to be asked. Not for commands.
 *
 * Tried in this order: `own-change`, `bot-change`, `skip-docs` (known after one or two requests), `no-base`, and last
 * `no-relevant-changes`, which takes all files. So call it before the files are read, and again with them. Of several pull
 * requests each needs a reason of its own.
 */
export function whyIrrelevant(change: Change, options: RelevanceOptions): Irrelevance | undefined {
  const { consistsOf = [], pusher, headMessage = '', hasBase = true, files } = change;
  const reasons = consistsOf.map((pull) => ofPullRequest(pull, options));
  const ofAll = reasons.includes(undefined) ? undefined : reasons[0];
  const earlier = ofAll ?? botChange(pusher, options);
  if (earlier !== undefined) return earlier;
  // A squash may copy the description's source into the message, with the comments of a template.
  const shown = headMessage.replace(/<!--[\s\S]*?(?:-->|$)/g, '');
  // The newest of several merges speaks only for its own pull request.
  if (consistsOf.length <= 1 && asksToSkip(shown)) return skippedBy('The newest commit’s message');
  if (!hasBase) {
    const because = 'There is nothing to compare the change with: the commit before it is missing.';
    return { reason: 'no-base', because };
  }
  // Only a complete list can show that something did not change.
  if (files === undefined || !files.isWhole || files.files.some(options.isChosen)) return undefined;
  const chosen = files.files.length === 0 ? '' : ' that `paths` chooses';
  return { reason: 'no-relevant-changes', because: `The change changes no file${chosen}.` };
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
