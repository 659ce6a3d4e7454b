import { removeInvisible } from '../text/invisible.ts';
import { shortCode } from '../text/markdown.ts';

/** Phones turn `--` into a dash. A dash not followed by a letter or another dash begins a list item or a number. */
const leadingFlag = /^[\p{Pd}−][\p{L}\p{Pd}−]\S*/u;
const laterFlags = /(?<=[ \t])[\p{Pd}−][\p{L}\p{Pd}−]\S*/gu;
const anyDash = /[\p{Pd}−]/gu;
const leadingDashes = /^[\p{Pd}−]+(?=\p{L})/u;

/** Mail programs wrap `On … wrote:` onto at most this many lines. */
const mailHeadLines = 3;

/** What a comment asks for. */
export type Command =
  /** `because`: what was wrong with the command, as Markdown; `undefined` if it asked for help. */
  | { readonly kind: 'help'; readonly because: string | undefined }
  | { readonly kind: 'status' }
  | {
      readonly kind: 'ask';
      readonly prompt: string;
      /** `--new`: a fresh job even if the thread has one. */
      readonly fresh: boolean;
      /** `--no-wait`: leave the job running. */
      readonly noWait: boolean;
    };

/**
 * Whether a comment is a command: its first nonblank line starts, after at most three spaces, with the command as a whole word.
 * Text in a quote, a code block, inline code, or an HTML comment is never a command.
 */
export function isCommand(body: string, command: string): boolean {
  return restOfCommand(body, command) !== undefined;
}

/** Parses a comment: command and flags, then only `help` or `status`, or a prompt. `undefined` without a command. */
export function parseCommand(body: string, command: string): Command | undefined {
  const whole = restOfCommand(body, command);
  if (whole === undefined) return undefined;
  const { flags, prompt } = splitFlags(withoutMailQuote(whole));
  const has = (flag: string) => flags.includes(flag);
  const word = loneWord(prompt);
  if (word === 'status' && !has('--')) return { kind: 'status' };
  const isHelp = word === 'help' && !has('--');
  if (isHelp || has('--h') || has('--help')) return { kind: 'help', because: undefined };
  const unknown = flags.find((flag) => !['--', '--new', '--no-wait'].includes(flag));
  if (unknown !== undefined) return { kind: 'help', because: `There is no flag ${shortCode(unknown)}.` };
  if (word === '') return { kind: 'help', because: flags.length > 0 ? 'The prompt is empty.' : undefined };
  return { kind: 'ask', prompt, fresh: has('--new'), noWait: has('--no-wait') };
}

/** The text after the command word, with LF line ends; `undefined` without a command. */
function restOfCommand(body: string, command: string): string | undefined {
  const text = withoutLeadingBlanks(body.replace(/\r\n?/g, '\n'));
  const start = text.match(/^ {0,3}/)?.[0].length ?? 0;
  const end = start + command.length;
  const isCommand =
    text.slice(start, end).toLowerCase() === command.toLowerCase() && /^(?:\s|$)/.test(text.slice(end));
  return isCommand ? text.slice(end) : undefined;
}

function withoutLeadingBlanks(text: string): string {
  return text.replace(/^(?:[ \t]*\n)+/, '');
}

/** The flags on the command's own line, in the form `--name`, up to `--`; and the prompt. */
function splitFlags(rest: string): { readonly flags: readonly string[]; readonly prompt: string } {
  const [line = '', ...further] = rest.split('\n');
  const flags: string[] = [];
  let tail = line.trimStart();
  while (flags.at(-1) !== '--') {
    const [word = ''] = tail.match(/^\S+/) ?? [];
    const [flag] = removeInvisible(word).prompt.match(leadingFlag) ?? [];
    if (flag === undefined) break;
    tail = tail.slice(word.length).trimStart();
    flags.push(flag.replace(leadingDashes, '--').replace(anyDash, '-').toLowerCase());
  }
  return { flags, prompt: withoutLeadingBlanks([tail, ...further].join('\n')).trimEnd() };
}

/**
 * The only word of a prompt, in lower case, without any punctuation, invisible characters and flags around it; `''` if there is
 * none. A stray character must not turn `help` or `status` into a prompt, which costs a job.
 */
function loneWord(prompt: string): string | undefined {
  const [line = '', ...further] = removeInvisible(prompt).prompt.split('\n');
  const words = [line.replace(laterFlags, ''), ...further].join('\n').match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  return words.length > 1 ? undefined : (words[0]?.toLowerCase() ?? '');
}

/**
 * An email reply ends with the message it replies to: `On … wrote:` on separate lines, perhaps wrapped, then only quoted lines.
 * Read line by line, because a comment can be crafted to keep a regular expression busy.
 */
function withoutMailQuote(text: string): string {
  const lines = text.split('\n');
  const isQuoted = (line: string) => line.startsWith('>');
  const quote = lines.findLastIndex((line) => !isQuoted(line) && line.trim() !== '') + 1;
  if (!lines.slice(quote).some(isQuoted)) return text;
  const head = lines.slice(Math.max(1, quote - mailHeadLines), quote);
  const on = head.findLastIndex((line) => line.startsWith('On '));
  const isHead = on !== -1 && /(?:^|\s)wrote:$/.test(head.at(-1)?.trimEnd() ?? '');
  return isHead ? lines.slice(0, quote - head.length + on).join('\n') : text;
}
