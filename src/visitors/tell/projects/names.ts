import type { Project } from '../../../config/projects.ts';
import { capped, cell, code, visible } from '../../../lib/markdown.ts';
import { percentEncoded } from '../digest.ts';

/** Characters shown of a project's name, which may be an id of any length. */
const longest = 80;

/** All but letters, digits, emoji, and what a chat reads as mere punctuation. */
const notPlain = /[^\p{L}\p{M}\p{N}\p{Extended_Pictographic}\p{Join_Control} .,&+'()/_-]/gu;

const list = new Intl.ListFormat('en');

/** A project's name as code in a sentence. */
export function nameCode({ name }: Project): string {
  return code(capped(name, longest));
}

/** A project's name as code in the cell of a table. */
export function nameCell(project: Project): string {
  return cell(nameCode(project));
}

/** `A`, `B` and `C`, each as code. */
export function namesCode(projects: readonly Project[]): string {
  return list.format(projects.map(nameCode));
}

/** A project's name as code in HTML, where Markdown is not read. */
export function nameHtml({ name }: Project): string {
  const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  return `<code>${visible(capped(name, longest)).replace(/[&<>"]/g, (sign) => escapes[sign] ?? sign)}</code>`;
}

/** A project's name in plain text: no chat finds a mention, a link or markup in it. */
export function plainName({ name }: Project): string {
  return capped(name, longest).replace(notPlain, percentEncoded);
}
