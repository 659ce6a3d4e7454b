/** What stands where a secret stood. */
const mask = '***';
/** Anything shorter would be found in words that have nothing to do with it. */
const shortestSecret = 6;

/**
 * What stands between `https://` and `@`. The scheme is looked for backwards, from the slashes: forwards, a long row of words and
 * dashes would be read anew from each of its words.
 */
const credentials = /(?<=\b[a-z][a-z0-9+.-]*:\/\/)[^\s/?#@\\"'`<>]*@/gi;

/** Takes secrets, and the credentials of addresses, out of a text. */
export type Scrub = (text: string) => string;

/**
 * A scrubber that knows these secrets. Whatever comes from outside passes it after it was parsed, and whatever is shown
 * passes it last. It finds a secret as it is, with any of its characters escaped, split by what nobody sees, and as base64 or
 * hex, alone or within something longer: all that a tool makes of a text in passing. What somebody makes of one on purpose,
 * such as a cipher, it does not.
 */
export function createScrub(secrets: readonly string[]): Scrub {
  const finders = secrets
    .map((secret) => secret.trim())
    .filter((secret) => secret.length >= shortestSecret)
    .flatMap(findersOf);
  return (text) => {
    const ranges = [asItIs(text), decoded(text)].flatMap((view) => finders.flatMap((find) => find(view)));
    const safe = cutOut(text, ranges);
    return safe.replace(credentials, `${mask}@`);
  };
}

/** The same of every text in a parsed value, the names of its fields included. */
export function scrubbed(value: unknown, scrub: Scrub): unknown {
  if (typeof value === 'string') return scrub(value);
  if (Array.isArray(value)) return value.map((item) => scrubbed(item, scrub));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [scrub(name), scrubbed(item, scrub)]),
  );
}

/** A text to search in, and where in the text itself each of its UTF-16 units begins and ends. */
interface View {
  readonly text: string;
  readonly begin: (unit: number) => number;
  readonly end: (unit: number) => number;
}

/** A part of a text: from its first unit to behind its last. */
type Range = readonly [begin: number, end: number];

function asItIs(text: string): View {
  return { text, begin: (unit) => unit, end: (unit) => unit + 1 };
}

const unseen = String.raw`\u001b\[[\d;]{0,20}m|[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2028\u2029]`;
const isUnseen = new RegExp(`^(?:${unseen})$`, 'u');

/** Escapes as Markdown, JSON, programs, addresses and HTML write them, some of them once more escaped; and what nobody sees. */
const escapes = new RegExp(
  [
    `(?:${unseen})+`,
    String.raw`\\+(?:[bfnrtv]|u(?<u>[\da-fA-F]{4})|u\{(?<brace>[\da-fA-F]{1,8})\}|x(?<x>[\da-fA-F]{2}))`,
    String.raw`\\+`,
    String.raw`%(?:25)*(?<percent>[\da-fA-F]{2})`,
    String.raw`&(?:amp;)*(?:#(?<decimal>\d{1,9})|#[xX](?<hex>[\da-fA-F]{1,8})|(?<name>amp|lt|gt|quot|apos));?`,
  ].join('|'),
  'gu',
);
const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Where an escape was undone: from which unit of the decoded text on, and which part of the text it was. */
interface Undone {
  readonly unit: number;
  readonly length: number;
  readonly begin: number;
  readonly end: number;
}

/** A text as it reads once its escapes are undone, without what nobody sees and without backslashes. */
function decoded(text: string): View {
  const undone: Undone[] = [];
  let plain = '';
  let at = 0;
  for (const { 0: found, index, groups = {} } of text.matchAll(escapes)) {
    const meaning = meaningOf(groups);
    plain += text.slice(at, index);
    at = index + found.length;
    undone.push({ unit: plain.length, length: meaning.length, begin: index, end: at });
    plain += meaning;
  }
  if (at === 0) return asItIs(text);
  const lastUpTo = (unit: number) => {
    let [low, high] = [0, undone.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((undone[middle]?.unit ?? 0) <= unit) low = middle + 1;
      else high = middle;
    }
    return undone[low - 1];
  };
  const placeOf = (unit: number, whole: 'begin' | 'end') => {
    const last = lastUpTo(unit);
    const isEnd = whole === 'end';
    if (last === undefined) return isEnd ? unit + 1 : unit;
    const behind = unit - last.unit - last.length;
    return behind < 0 ? last[whole] : last.end + behind + (isEnd ? 1 : 0);
  };
  return {
    text: plain + text.slice(at),
    begin: (unit) => placeOf(unit, 'begin'),
    end: (unit) => placeOf(unit, 'end'),
  };
}

/** The character that an escape stands for; none for one that nobody sees. */
function meaningOf({ name, decimal, ...inHex }: Readonly<Record<string, string | undefined>>): string {
  if (name !== undefined) return named[name] ?? '';
  const hex = Object.values(inHex).find((digits) => digits !== undefined);
  const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
  if (!(code <= 0x10ffff)) return '';
  const character = String.fromCodePoint(code);
  return character === '\\' || isUnseen.test(character) ? '' : character;
}

/** What finds a secret in a view, each in another of its forms. */
function findersOf(secret: string): ((view: View) => Range[])[] {
  const bytes = Buffer.from(secret);
  // One that has escapes of its own is not what it decodes to.
  const plain = [
    secret,
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    decoded(secret).text,
  ];
  return [
    ...[...new Set(plain)].map((form) => finder(form, (text) => text)),
    ...[0, 1, 2].map((before) => finder(base64Within(bytes, before), inOneAlphabet)),
    finder(bytes.toString('hex'), (text) => text.replace(/[A-F]+/g, (digits) => digits.toLowerCase())),
  ];
}

/** @param alike makes texts that mean the same in this form the same text, unit by unit. */
function finder(form: string, alike: (text: string) => string): (view: View) => Range[] {
  if (form.length < shortestSecret) return () => [];
  return ({ text, begin, end }) => {
    const ranges: Range[] = [];
    const within = alike(text);
    for (let at = within.indexOf(form); at !== -1; at = within.indexOf(form, at + form.length))
      ranges.push([begin(at), end(at + form.length - 1)]);
    return ranges;
  };
}

/** What of a text’s base64 depends on these bytes alone, where so many others, and any number of threes, stand before them. */
function base64Within(bytes: Buffer, before: number): string {
  const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
  return encoded.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
}

/** Base64 for addresses has two characters of its own (RFC 4648 §5). */
function inOneAlphabet(text: string): string {
  return text.replaceAll('-', '+').replaceAll('_', '/');
}

function cutOut(text: string, ranges: readonly Range[]): string {
  let safe = '';
  let at = 0;
  for (const [begin, end] of [...ranges].sort(([one], [other]) => one - other)) {
    if (begin >= at) safe += text.slice(at, begin) + mask;
    at = Math.max(at, end);
  }
  return safe + text.slice(at);
}
