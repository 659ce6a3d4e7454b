import { usualCheck } from '../core/common-inputs.ts';
import type { Person } from '../github/changes.ts';
import type { GitHubEvent } from '../github/event.ts';
import { isOfApp } from '../requests/card/checks.ts';
import type { AgentConfig } from './inputs.ts';

/** In `allow-users`, stands for every bot whose changes people review before they are merged. */
const anyBot = '*[bot]';
/** Their changes seldom need docs. */
const botsOfDependencies = ['dependabot[bot]', 'renovate[bot]'];

type Allowing = Pick<AgentConfig, 'allowUsers' | 'checks'>;

/** Whether `allow-users` lets in the person who triggered an event. */
export function isAllowed(event: GitHubEvent, config: Allowing): boolean {
  const { actor } = event;
  if (actor === undefined) return false;
  if (isListed(actor, config)) return true;
  return event.kind === 'thread' && event.isMerged && isChangeAllowed(actor, config);
}

/** Whether `allow-users` lists the author of a change. `*[bot]` doesn't list the docs’ own app. */
export function isChangeAllowed(author: Person, config: Allowing): boolean {
  if (isListed(author, config)) return true;
  if (!author.isBot || !config.allowUsers.includes(anyBot)) return false;
  const login = author.login.toLowerCase();
  if (botsOfDependencies.includes(login)) return false;
  return !isOfApp(login.replace(/\[bot\]$/, ''), [usualCheck, ...config.checks]);
}

function isListed({ login }: Person, { allowUsers }: Allowing): boolean {
  return allowUsers.includes(login.toLowerCase());
}
