/** The request in a prompt, without the data from GitHub. */
export function requestIn(prompt: string): string {
  return prompt.replace(/\n\n----- Data from GitHub begins: [\s\S]*$/, '');
}

/** The lines of GitHub data after the request; empty if there is none. */
export function dataIn(prompt: string): readonly string[] {
  const [, token, data = ''] =
    prompt.match(/\n----- Data from GitHub begins: (\S+) -----\n([\s\S]*)$/) ?? [];
  if (token === undefined) return [];
  const end = data.lastIndexOf(`\n----- Data from GitHub ends: ${token} -----\n`);
  return data.slice(0, end).split('\n');
}
