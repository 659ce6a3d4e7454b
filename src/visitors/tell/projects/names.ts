import type { Project } from '../../../core/inputs/projects.ts';
import { code, codeCell, visible } from '../../../text/markdown.ts';
import { percentEncoded } from '../digest.ts';
import { cutWritten } from '../quoted.ts';

/** Characters shown of a project's name, which may be an id of any length. */
const longest = 80;

/** Names in a sentence; others are counted. */
const mostInSentence = 5;

/** All but letters, digits, emoji, and what a chat reads as mere punctuation. */
const notPlain = /[^\p{L}\p{M}\p{N}\p{Extended_Pictographic}\p{Join_Control} .,…&+'()/_-]/gu;

const list = new Intl.ListFormat('en');

/** A project's name as code in the cell of a table. */
export function nameCell({ name }: Project): string {
  return cutWritten(name, longest, codeCell);
}

/** `A`, `B` and `C`, each as code; of more than five, how many more there are. */
export function namesCode(projects: readonly Project[]): string {
  const named = projects.slice(0, mostInSentence).map(({ name }) => cutWritten(name, longest, code));
  const left = projects.length - named.length;
  return list.format(left === 0 ? named : [...named, `${left} more`]);
}

/** A project's name as code in HTML, where Markdown is not read. */
export function nameHtml({ name }: Project): string {
  const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  const escaped = (text: string) => visible(text).replace(/[&<>"]/g, (sign) => escapes[sign] ?? sign);
  return `<code>${cutWritten(name, longest, escaped)}</code>`;
}

/** A project's name in plain text: no chat finds a mention, a link or markup in it. */
export function plainName({ name }: Project): string {
  return cutWritten(name, longest, (text) => text.replace(notPlain, percentEncoded));
}
