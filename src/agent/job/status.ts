/** The statuses of the interface that end a job. */
const terminal: ReadonlySet<string> = new Set(['completed', 'archived', 'failed']);
const documented: ReadonlySet<string> = new Set([...terminal, 'active']);

/** Whether a status ends a job. A value the interface does not name is not terminal. */
export function isTerminal(status: string): boolean {
  return terminal.has(status);
}

/** Whether the interface names a status. */
export function isDocumented(status: string): boolean {
  return documented.has(status);
}

/** Whether a job came to nothing, so that its request may be made again. */
export function cameToNothing(status: string): boolean {
  return status === 'failed' || status === 'archived';
}
