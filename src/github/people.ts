import type { Person } from './changes.ts';

/** An account in an answer or a payload. */
export interface User {
  readonly login: string;
  readonly type?: string | undefined;
}

export function toPerson(user: User | null | undefined): Person {
  return { login: user?.login ?? 'ghost', isBot: user?.type === 'Bot' };
}

/** The associations of people who belong to the repository; private members of an organization show as others do. */
const insiders: ReadonlySet<string> = new Set(['OWNER', 'MEMBER', 'COLLABORATOR']);

/** Whether an `author_association` is that of someone who does not belong to the repository. */
export function isFromOutside(association: string): boolean {
  return !insiders.has(association);
}
