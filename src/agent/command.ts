import { withoutInvisible } from '../text/invisible.ts';
import { shortCode } from '../text/markdown.ts';

/** Phones replace `--` with one long dash. A dash before a space or digit begins a list item or number. */
const leadingFlag = /^[\p{Pd}−][\p{L}\p{Pd}−]\S*/u;
const laterFlags = /(?<=[ \t])[\p{Pd}−][\p{L}\p{Pd}−]\S*/gu;
const anyDash = /[\p{Pd}−]/gu;
const leadingDashes = /^[\p{Pd}−]+(?=\p{L})/u;
const leadingBlanks = /^(?:[ \t]*\n)+/;

export type Command = NonNullable<ReturnType<typeof parseCommand>>;

/** The word that commands begin with. If `command` isn't a slash and one word, people with permission still get the error. */
export function commandWord(command: string): string {
  return (command.split(/[\s,]/, 1)[0] || '/docs').replace(/^(?!\/)/, '/');
}

/** Parses a comment: the command, flags, and then `help`, `status`, or a prompt. `undefined` if it isn't a command. */
export function parseCommand(body: string, command: string) {
  const whole = restOfCommand(body, command);
  if (whole === undefined) return undefined;
  const { flags, prompt } = splitFlags(withoutMailQuote(whole));
  const has = (flag: string) => flags.some(({ name }) => name === flag);
  /** @param because what is wrong with the command, as Markdown; `undefined` if the command is `help`. */
  const help = (because?: string) => ({ kind: 'help', because }) as const;
  const word = loneWord(prompt);
  if (word === 'status' && !has('--')) return { kind: 'status' } as const;
  if ((word === 'help' && !has('--')) || has('--h') || has('--help')) return help();
  const unknown = flags.find(({ name }) => !['--', '--new', '--no-wait'].includes(name))?.typed;
  if (unknown !== undefined) return help(`There is no flag ${shortCode(unknown)}.`);
  if (word === '') return help(flags.length > 0 ? 'The prompt is empty.' : undefined);
  return { kind: 'ask', prompt, fresh: has('--new'), noWait: has('--no-wait') } as const;
}

/** The text after the command word, with LF line endings. A quote, code, or HTML comment is never a command. */
export function restOfCommand(body: string, command: string): string | undefined {
  const text = body.replace(/\r\n?/g, '\n').replace(leadingBlanks, '');
  const [, word, rest] = text.match(/^ {0,3}(\S+)([\s\S]*)$/) ?? [];
  return word?.toLowerCase() === command.toLowerCase() ? rest : undefined;
}

/** Separates the flags from the prompt. Only the first line can have flags, and `--` is the last one. */
function splitFlags(rest: string) {
  const [line = '', ...further] = rest.split('\n');
  /** Each flag as it was typed, and with the dashes that a phone may have replaced. */
  const flags: { typed: string; name: string }[] = [];
  let tail = line.trimStart();
  while (flags.at(-1)?.name !== '--') {
    const [word = ''] = tail.match(/^\S+/) ?? [];
    const [flag] = withoutInvisible(word).match(leadingFlag) ?? [];
    if (flag === undefined) break;
    tail = tail.slice(word.length).trimStart();
    flags.push({
      typed: flag,
      name: flag.replace(leadingDashes, '--').replace(anyDash, '-').toLowerCase(),
    });
  }
  return { flags, prompt: [tail, ...further].join('\n').replace(leadingBlanks, '').trimEnd() };
}

/** The only word of a prompt, or `''`. Punctuation and flags are ignored, so that `status!` doesn't start a job. */
function loneWord(prompt: string): string | undefined {
  const [line = '', ...further] = withoutInvisible(prompt).split('\n');
  const words =
    [line.replace(laterFlags, ''), ...further].join('\n').match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  return words.length > 1 ? undefined : (words[0]?.toLowerCase() ?? '');
}

/** Removes the quoted message at the end of an email reply, line by line. A regular expression is too slow for crafted text. */
function withoutMailQuote(text: string): string {
  const lines = text.split('\n');
  const isQuoted = (line: string) => line.startsWith('>');
  const quote = lines.findLastIndex((line) => !isQuoted(line) && line.trim() !== '') + 1;
  if (!lines.slice(quote).some(isQuoted)) return text;
  // Mail programs wrap the line `On … wrote:` into at most three lines.
  const head = lines.slice(Math.max(1, quote - 3), quote);
  const on = head.findLastIndex((line) => line.startsWith('On '));
  const isHead = on !== -1 && /(?:^|\s)wrote:$/.test(head.at(-1)?.trimEnd() ?? '');
  return isHead ? lines.slice(0, quote - head.length + on).join('\n') : text;
}
