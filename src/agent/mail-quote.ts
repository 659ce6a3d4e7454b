/*
 * GitHub turns a reply by email into a comment, with the message that it quotes. What mail programs
 * write above it is in any language, but always has a date or an address. The message is found line
 * by line, because a regular expression is too slow for crafted text.
 */

/** Mail programs wrap the line above a quote into at most so many lines. */
const maxHeadLines = 3;
const address = /(?<=[^\s<>])@[\w-]+\.[\w.-]*[a-z]{2}/i;
const time = /\b\d{1,2}:\d{2}\b/;
const year = /\b(?:19|20)\d{2}\b/;
/** A field of a message's header, such as `From:`. */
const field = /^[\s*]*\p{L}[^:：]{0,30}[:：]/u;

/** Removes the quoted message at the end of a reply by email. The first line is never part of it. */
export function cutMailQuote(text: string): { readonly text: string; readonly isCut: boolean } {
  const lines = text.split('\n');
  const start = findQuote(withoutSignature(lines));
  if (start === undefined) return { text, isCut: false };
  return { text: lines.slice(0, start).join('\n'), isCut: true };
}

/** The lines up to a signature that follows a quote (RFC 3676, section 4.3). */
function withoutSignature(lines: readonly string[]): readonly string[] {
  const signature = lines.findLastIndex((line) => line.trimEnd() === '--');
  const above = lines.slice(0, Math.max(0, signature));
  const last = above.findLast((line) => line.trim() !== '') ?? '';
  return isQuoted(last) ? above : lines;
}

/** The index of the first line that belongs to the quoted message; `undefined` if none does. */
function findQuote(lines: readonly string[]): number | undefined {
  const divider = lines.findIndex((_, index) => index > 0 && isDivider(lines, index));
  if (divider > 0) return divider;
  const last = Math.max(0, lines.findLastIndex(isUnquoted));
  const quote = lines.findIndex((line, index) => index > last && isQuoted(line));
  if (quote < 0) return undefined;
  const head = findHead(lines, last, quote);
  if (head !== undefined) return head;
  return hasQuotedHead(lines.slice(quote)) ? quote : undefined;
}

/**
 * Whether the quoted message begins with this line of dashes or underscores: it has a date or an
 * address itself, or a field with an address follows. Below Outlook's line, any field will do.
 */
function isDivider(lines: readonly string[], index: number): boolean {
  const line = lines[index]?.trim() ?? '';
  if (!/^\*?[-_]{4}/.test(line)) return false;
  if (line.endsWith('---') && hasSource(line)) return true;
  // There may be a blank line before the field, and its address may be on the next line.
  const next = lines.slice(index + 1, index + 4).filter((line) => line.trim() !== '');
  const [first = '', second = ''] = next;
  // Outlook writes 32 underscores, and a sender’s name may have no address.
  if (/^_{20,}$/.test(line)) return field.test(first);
  return field.test(first) && address.test(`${first} ${second}`);
}

/** The first line of the head above a quote, such as `On … wrote:`; `undefined` if there is none. */
function findHead(lines: readonly string[], last: number, quote: number): number | undefined {
  let head = lines[last] ?? '';
  // A closing bracket at the start of a line looks like a quote.
  const end = isOpen(head) ? `${head}${lines[quote]}` : head;
  if (last === 0 || !endsInColon(end)) return undefined;
  let start = last;
  while (start > 1 && last - start + 1 < maxHeadLines) {
    const above = lines[start - 1] ?? '';
    const isPart = isOpen(above) || address.test(above) || time.test(above);
    if (!isPart && !(address.test(head) && hasSource(above))) break;
    head = `${above} ${head}`;
    start -= 1;
  }
  return hasSource(head) ? start : undefined;
}

/** Whether a quote begins with its own head, which has an address, as iPhones do. */
function hasQuotedHead(quoted: readonly string[]): boolean {
  const texts = quoted.slice(0, maxHeadLines).map((line) => line.replace(/^ {0,3}>/, ''));
  const end = texts.findIndex(endsInColon);
  const isHead = address.test(texts.slice(0, end + 1).join(' '));
  return isHead && quoted.slice(end + 1).some(isQuoted);
}

/** Whether a line says when or by whom a message was sent. A single number may be anything. */
function hasSource(line: string): boolean {
  const isDated = year.test(line) && (line.match(/\d+/g)?.length ?? 0) > 1;
  return isDated || time.test(line) || address.test(line);
}

function isQuoted(line: string): boolean {
  return /^ {0,3}>/.test(line);
}

function isUnquoted(line: string): boolean {
  return !isQuoted(line) && line.trim() !== '';
}

/** Whether an address begins, but doesn't end in a line. */
function isOpen(line: string): boolean {
  return line.lastIndexOf('<') > line.lastIndexOf('>');
}

function endsInColon(line: string): boolean {
  return /[:：]$/.test(line.trimEnd());
}
