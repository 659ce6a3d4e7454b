import { withoutInvisible } from '../text/invisible.ts';
import { code } from '../text/markdown.ts';
import { cutMailQuote } from './mail-quote.ts';

const knownFlags = ['--', '--new', '--no-wait'];

/**
 * Phones replace `--` with one long dash. A dash before a space or digit begins a list item or
 * number.
 */
const leadingFlag = /^[\p{Pd}−][\p{L}\p{Pd}−]\S*/u;
const laterFlags = /(?<=[ \t])[\p{Pd}−][\p{L}\p{Pd}−]\S*/gu;
const anyDash = /[\p{Pd}−]/gu;
const leadingDashes = /^[\p{Pd}−]+(?=\p{L})/u;
const maxShownFlag = 40;
const leadingBlankLines = /^(?:[ \t]*\n)+/;

export type Command = Readonly<
  /** `mistake` says what is wrong with a command, as Markdown; `undefined` if it is `help`. */
  | { kind: 'help'; mistake: string | undefined }
  | { kind: 'status' }
  /** `isQuoteCut`: the comment is a reply by email, and ended in the message that it quotes. */
  | { kind: 'ask'; prompt: string; fresh: boolean; noWait: boolean; isQuoteCut: boolean }
>;

/**
 * The word that commands begin with. If `command` isn't a slash and one word, people with
 * permission still get the error.
 */
export function commandWord(command: string): string {
  const [word] = command.split(/[\s,]/, 1);
  if (!word) return '/docs';
  return word.startsWith('/') ? word : `/${word}`;
}

/**
 * Parses a comment: the command, flags, and then `help`, `status`, or a prompt. `undefined` if it
 * isn't a command.
 */
export function parseCommand(body: string, command: string): Command | undefined {
  const rest = restOfCommand(body, command);
  if (rest === undefined) return undefined;
  const { text, isCut } = cutMailQuote(rest);
  const { flags, prompt } = splitFlags(text);
  const hasFlag = (name: string) => flags.some((flag) => flag.name === name);
  const help = (mistake?: string): Command => ({ kind: 'help', mistake });

  const words = wordsOf(prompt);
  // After `--`, these words are a prompt.
  if (!hasFlag('--')) {
    if (words === 'status') return { kind: 'status' };
    if (words === 'help') return help();
  }
  if (hasFlag('--h') || hasFlag('--help')) return help();
  const unknown = flags.find(({ name }) => !knownFlags.includes(name));
  if (unknown) return help(describeUnknownFlag(unknown.typed));
  if (words === '') return help(flags.length > 0 ? 'The prompt is empty.' : undefined);
  const [fresh, noWait] = [hasFlag('--new'), hasFlag('--no-wait')];
  return { kind: 'ask', prompt, fresh, noWait, isQuoteCut: isCut };
}

/** A long flag isn't repeated. */
function describeUnknownFlag(flag: string): string {
  return flag.length > maxShownFlag ? 'There is no such flag.' : `There is no flag ${code(flag)}.`;
}

/**
 * The text after the command word, with LF line endings. A quote, code, or HTML comment is never a
 * command.
 */
export function restOfCommand(body: string, command: string): string | undefined {
  const text = body.replace(/\r\n?/g, '\n').replace(leadingBlankLines, '');
  const word = text.match(/^ {0,3}\S+/)?.[0];
  if (word?.trimStart().toLowerCase() !== command.toLowerCase()) return undefined;
  return text.slice(word.length);
}

/**
 * Separates the flags from the prompt. Only the first line can have flags, and `--` is the last
 * one.
 */
function splitFlags(text: string) {
  /** Each flag as it was typed, and in lowercase with the dashes that a phone may have replaced. */
  const flags: { typed: string; name: string }[] = [];
  let rest = text.replace(/^[^\S\n]+/, '');
  while (flags.at(-1)?.name !== '--') {
    const [word = ''] = rest.match(/^\S+[^\S\n]*/) ?? [];
    const typed = withoutInvisible(word).match(leadingFlag)?.[0];
    if (typed === undefined) break;
    const name = typed.replace(leadingDashes, '--').replace(anyDash, '-').toLowerCase();
    flags.push({ typed, name });
    rest = rest.slice(word.length);
  }
  return { flags, prompt: rest.replace(leadingBlankLines, '').trimEnd() };
}

/**
 * The words of a prompt in lowercase, without punctuation and flags, so that `Status!` doesn't start
 * a job.
 */
function wordsOf(prompt: string) {
  const text = withoutInvisible(prompt);
  const withoutFlags = text.replace(/^[^\n]*/, (line) => line.replace(laterFlags, ''));
  return (
    withoutFlags
      .match(/[\p{L}\p{M}\p{N}]+/gu)
      ?.join(' ')
      .toLowerCase() ?? ''
  );
}
