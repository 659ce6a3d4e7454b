/** What a prompt asks for, without the data from GitHub after it. */
export function requestIn(prompt: string): string {
  return prompt.replace(/\n\n----- Data from GitHub begins: [\s\S]*$/, '');
}

/** The data from GitHub after a request, line by line; empty if the prompt was sent alone. */
export function dataIn(prompt: string): readonly string[] {
  const [, token, data = ''] = prompt.match(/\n----- Data from GitHub begins: (\S+) -----\n([\s\S]*)$/) ?? [];
  if (token === undefined) return [];
  const end = data.lastIndexOf(`\n----- Data from GitHub ends: ${token} -----\n`);
  return data.slice(0, end).split('\n');
}
