import type { FileList, Person, PullRequest } from '../../github/changes.ts';
import type { FileFilter } from './paths.ts';

/** What is known of a change before anything is asked of the agent. */
export interface ChangeSeen {
  /** The pull request that the change is, or was. */
  readonly pullRequest: Pick<PullRequest, 'title' | 'body' | 'labels' | 'author'> | undefined;
  /** Who pushed it; `undefined` where the event was no push. */
  readonly pusher: Person | undefined;
  /** The whole message of the newest commit. */
  readonly headMessage: string | undefined;
  /** Whether one of our own markers names this pull request as a job's. */
  readonly isOwn: boolean;
  /** Whether there is something to compare with: none before a branch's first push, or after a force push. */
  readonly hasBase: boolean;
  /** `undefined` while the files are not read yet, or cannot be. */
  readonly files: FileList | undefined;
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
 * files are read, and again with them.
 */
export function whyIrrelevant(change: ChangeSeen, options: RelevanceOptions): Irrelevance | undefined {
  return (
    ownChange(change) ??
    botChange(change, options) ??
    skipDocs(change) ??
    noBase(change) ??
    noFiles(change, options)
  );
}

function ownChange({ isOwn }: ChangeSeen): Irrelevance | undefined {
  if (!isOwn) return undefined;
  return { reason: 'own-change', text: 'The change is a pull request of the writing agent’s own.' };
}

function botChange(
  { pullRequest, pusher }: ChangeSeen,
  { allowUsers }: RelevanceOptions,
): Irrelevance | undefined {
  const bot = [pullRequest?.author, pusher].find(
    (person) => person?.isBot === true && !allowUsers.includes(person.login.toLowerCase()),
  );
  if (bot === undefined) return undefined;
  return {
    reason: 'bot-change',
    text: `The change is by ${bot.login}, a bot that \`allow-users\` does not list.`,
  };
}

function skipDocs({ pullRequest, headMessage }: ChangeSeen): Irrelevance | undefined {
  const because = (where: string): Irrelevance => ({
    reason: 'skip-docs',
    text: `${where} says to skip the docs.`,
  });
  if (pullRequest?.labels.some((label) => label.toLowerCase() === 'skip-docs'))
    return because('The label `skip-docs`');
  if (asksToSkip(pullRequest?.title)) return because('The pull request’s title');
  if (asksToSkip(pullRequest?.body.rendered)) return because('The pull request’s description');
  // A squash may carry the description into the message as it was written, the template's comments and all.
  if (asksToSkip(headMessage?.replace(/<!--[\s\S]*?(?:-->|$)/g, '')))
    return because('The newest commit’s message');
  return undefined;
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
