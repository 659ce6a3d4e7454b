import { removeInvisible } from '../text/invisible.ts';
import { shortCode } from '../text/markdown.ts';

/** Mail programs wrap `On … wrote:` onto at most this many lines. */
const mailHeadLines = 3;

/** What a comment asks of the agent. */
export type Command =
  | { readonly kind: 'none' }
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
 * Whether a comment is for us: its first line that is not blank starts, after at most three spaces, with the command as a whole
 * word. A quote, a fence, an indented block, inline code or an HTML comment never does.
 */
export function isCommand(body: string, command: string): boolean {
  return restOfCommand(body, command) !== undefined;
}

/** Reads a comment by the grammar: command, then `help` or `status` alone, or flags and a prompt. */
export function parseCommand(body: string, command: string): Command {
  const whole = restOfCommand(body, command);
  if (whole === undefined) return { kind: 'none' };
  const rest = withoutMailQuote(whole);
  // An invisible character must not turn `help` or `status` into a prompt, which costs a job.
  const word = removeInvisible(rest).prompt.trim().toLowerCase();
  if (word === 'help' || word === '') return { kind: 'help', because: undefined };
  if (word === 'status') return { kind: 'status' };
  return parseAsk(rest);
}

/** The text after the command word, with LF line ends; `undefined` without a command. */
function restOfCommand(body: string, command: string): string | undefined {
  const text = withoutLeadingBlanks(body.replace(/\r\n?/g, '\n'));
  const start = text.match(/^ {0,3}/)?.[0].length ?? 0;
  const end = start + command.length;
  const isCommand =
    lowerAscii(text.slice(start, end)) === lowerAscii(command) && /^(?:\s|$)/.test(text.slice(end));
  return isCommand ? text.slice(end) : undefined;
}

function withoutLeadingBlanks(text: string): string {
  return text.replace(/^(?:[ \t]*\n)+/, '');
}

/** Only A to Z: other letters that fold to ASCII, such as the Kelvin sign, stay what they are. */
function lowerAscii(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

function parseAsk(rest: string): Command {
  const [line = '', ...further] = rest.split('\n');
  const flags = new Set<string>();
  let tail = line.trimStart();
  for (let flag = leadingFlag(tail); flag !== undefined; flag = leadingFlag(tail)) {
    tail = tail.slice(flag.length).trimStart();
    if (flag === '--') break;
    if (flag !== '--new' && flag !== '--no-wait')
      return { kind: 'help', because: `There is no flag ${shortCode(flag)}.` };
    flags.add(flag);
  }
  const prompt = withoutLeadingBlanks([tail, ...further].join('\n')).trimEnd();
  if (prompt === '') return { kind: 'help', because: 'The prompt is empty.' };
  return { kind: 'ask', prompt, fresh: flags.has('--new'), noWait: flags.has('--no-wait') };
}

function leadingFlag(text: string): string | undefined {
  return text.match(/^--[^\s]*/)?.[0];
}

/**
 * A reply by mail includes the message it answers: `On … wrote:` on lines of its own, perhaps wrapped, and quoted lines to the
 * end. Read line by line, because a comment can be written to keep a regular expression busy.
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
