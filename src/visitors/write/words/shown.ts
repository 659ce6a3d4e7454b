import { decodePath } from '../../../core/page-path.ts';
import type { ShownProject } from '../../../core/projects.ts';
import { formatCount, joinWithAnd } from '../../../text/counts.ts';
import { replaceInvisible } from '../../../text/invisible.ts';
import { cell, code, paragraphs, table, toOneLine, truncate } from '../../../text/markdown.ts';
import { changeScrubbed, type Scrubbed } from '../../../text/scrub.ts';

/* Text from outside (paths, rules, and project names), cut to a maximum length; and blocks. */

/** Maximum length of a rule, glob, or quoted text. The report's files have all of it. */
const maxText = 160;

/**
 * A longer path or name wouldn't fit on a phone. It is cut in the middle, because both ends tell
 * pages apart.
 */
const maxShown = { start: 24, end: 19 };

/** The maximum number of projects to name. Their sections list all of their own. */
const maxProjects = 5;

/** Shown for an empty path. Real paths are shown as code, so no path looks like this. */
const emptyPath = '(empty path)';

/**
 * ASCII punctuation, because each of these characters can have a meaning in Markdown or for GitHub.
 */
const mark = '[!-/:-@[-`{-~]';
const marks = new RegExp(`(?![-/])${mark}`, 'g');
const letter = `(?:(?!${mark}|\\s).)`;

/** After what a line may end. */
const breaks = [
  'www(?=\\.)',
  // Punctuation other than the first slash.
  `(?!^/)${mark}(?=.)`,
  // Parts of a long word, so short that a table of four columns fits on a phone.
  `${letter}{5}(?=${letter}{4})`,
];
const lineEnds = new RegExp(breaks.join('|'), 'giu');

/** A path that can be an address as it is. */
const ordinaryPath = /^(?:\/(?![./])[\p{L}\p{M}\p{N}_~%.-]*)+$/u;

/**
 * Characters that could have a meaning in a chat, or end a path there. Even a dot could make a host
 * name.
 */
const notPlainInPath = /[^\p{L}\p{M}\p{N}\p{Join_Control}/_-]/gu;

/** Characters that could have a meaning in a chat. */
const notPlain = /[^\p{L}\p{M}\p{N}\p{Extended_Pictographic}\p{Join_Control} .,…+'()/_-]/gu;

export function shownCode(text: Scrubbed): string {
  return code(truncate(text, maxText));
}

/**
 * A project's name as HTML. Where a line may end, no mention, reference, or link can be found.
 */
export function nameHtml(name: Scrubbed): string {
  const characters = Array.from(toOneLine(name));
  const { start, end } = maxShown;
  const surplus = characters.length - start - end;
  if (surplus > 1) characters.splice(start, surplus, '…');
  const lines = characters.join('').replace(lineEnds, '$&\n').split('\n');
  return lines.map(escapeMarks).join('<wbr>');
}

function escapeMarks(line: string) {
  return line.replace(marks, (character) => `&#${character.charCodeAt(0)};`);
}

/**
 * A path as HTML that fits on a phone. With the site's address, it is a link if it is an ordinary
 * path.
 */
export function pathHtml(path: Scrubbed, docsUrl?: string): string {
  if (path === '') return emptyPath;
  const shown = `<code>${nameHtml(path)}</code>`;
  if (docsUrl === undefined || !ordinaryPath.test(path)) return shown;
  const encoded = encodeURI(path.toWellFormed()).replaceAll('%25', '%');
  return `[${shown}](<${docsUrl}${encoded}>)`;
}

/**
 * A path that chat apps don't turn into a link or markup. Everything but letters and digits of any
 * script, `-`, and `_` is percent-encoded.
 */
export function plainPath(path: Scrubbed): string {
  if (path === '') return emptyPath;
  const shown = changeScrubbed(decodePath(path), (raw) => {
    const encoded = raw.toWellFormed().replace(notPlainInPath, percentEncode);
    return replaceInvisible(encoded, percentEncode);
  });
  return truncate(shown, maxText);
}

/** A project's name in plain text that chat apps don't turn into a mention, link, or markup. */
export function plainName(name: Scrubbed): string {
  return truncate(name, 2 * maxShown.start)
    .replace(/ *& */g, ' and ')
    .replace(notPlain, percentEncode);
}

/** How paths and names of projects are shown: in the report, and in a chat. */
export const asHtml = { path: pathHtml, name: nameHtml };
export const asPlain: typeof asHtml = { path: plainPath, name: plainName };

/** The names of at most five projects, and how many more there are. */
export function namesOf(
  sites: readonly { readonly project: ShownProject }[],
  shown = asHtml,
): string {
  const names = sites.slice(0, maxProjects).map(({ project }) => shown.name(project.name));
  const unnamed = sites.length - names.length;
  if (unnamed > 0) names.push(`${unnamed} more`);
  return joinWithAnd(names);
}

/** Percent-encodes everything except letters, digits, `-` and `_` (RFC 3986, section 2.1). */
function percentEncode(text: string) {
  const encoded = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(text.toWellFormed()).replace(/[.!~*'()]/g, encoded);
}

type List<T> = Readonly<{
  /** For a collapsed list: its title, which is followed by the total number of items. */
  title?: string;
  lead?: string | undefined;
  head: readonly string[];
  cells: (item: T) => readonly string[];
  /** Where the others are; if unset, they aren’t listed. */
  othersAre?: string | undefined;
}>;

/**
 * A GitHub alert ("Basic writing and formatting syntax", Alerts); `''` if there are no lines.
 * Summaries ignore line breaks.
 */
export function alertBlock(kind: 'WARNING' | 'CAUTION', texts: readonly string[]): string {
  const lines = texts.filter((text) => text !== '');
  if (lines.length === 0) return '';
  return `> [!${kind}]\n> ${lines.join('<br>')}`;
}

/** A table of the first items; `''` if the list is empty. */
export function listBlock<T>(items: readonly T[], max: number, list: List<T>): string {
  if (items.length === 0) return '';
  const rows = items.slice(0, max).map((item) => list.cells(item).map(cell));
  const unlisted = items.length - rows.length;
  const where = list.othersAre ?? 'not listed';
  const note = unlisted > 0 && `*${formatCount(unlisted)} more ${where}.*`;
  const body = paragraphs([list.lead, table(list.head, rows, 1), note]);
  if (list.title === undefined) return body;
  return fold(`${list.title} (${formatCount(items.length)})`, body);
}

/** Collapses Markdown under a title. GitHub needs the blank lines to parse it as Markdown. */
export function fold(title: string, body: string): string {
  return `<details>\n<summary>${title}</summary>\n\n${body}\n\n</details>`;
}
