/** Whoever GitHub counts as part of the repository; private members of an organisation show as others do. */
const insiders: ReadonlySet<string> = new Set(['OWNER', 'MEMBER', 'COLLABORATOR']);

/** Whether an `author_association` is that of somebody who is no part of the repository. */
export function isFromOutside(association: string): boolean {
  return !insiders.has(association);
}
