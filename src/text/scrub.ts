/** What replaces a secret. */
const mask = '***';
/** Anything shorter would also match words that have nothing to do with it. */
const shortestSecret = 6;

/**
 * What is between `https://` and `@`. The scheme is matched backward from the slashes: matched forward, a long row of words
 * and dashes would be read again from each of its words.
 */
const credentials = /(?<=\b[a-z][a-z0-9+.-]*:\/\/)[^\s/?#@\\"'`<>]*@/gi;

/** Removes secrets, and the credentials of addresses, from a text. */
export type Scrub = (text: string) => string;

/**
 * A scrubber for these secrets. Apply it to everything from outside, after parsing, and once more to everything that is
 * shown. It finds a secret as is, JSON-escaped, percent-encoded and in base64, as the runner's own masks do; no further.
 */
export function createScrub(secrets: readonly string[]): Scrub {
  const forms = secrets
    .map((secret) => secret.trim())
    .filter((secret) => secret.length >= shortestSecret)
    .flatMap(formsOf)
    // A form may be part of another.
    .sort((one, other) => other.length - one.length);
  return (text) =>
    forms.reduce((safe, form) => safe.replaceAll(form, mask), text).replace(credentials, `${mask}@`);
}

/** The same for every text in a parsed value, including the names of its fields. */
export function scrubbed(value: unknown, scrub: Scrub): unknown {
  if (typeof value === 'string') return scrub(value);
  if (Array.isArray(value)) return value.map((item) => scrubbed(item, scrub));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [scrub(name), scrubbed(item, scrub)]),
  );
}

function formsOf(secret: string): string[] {
  const inBase64 = [0, 1, 2].map((before) => base64Within(Buffer.from(secret), before));
  const inJson = JSON.stringify(secret).slice(1, -1);
  return [
    secret,
    inJson,
    inJson.replaceAll('/', '\\/'),
    encodeURIComponent(secret),
    ...inBase64,
    // The alphabet for addresses differs in two characters (RFC 4648 §5).
    ...inBase64.map((form) => form.replaceAll('+', '-').replaceAll('/', '_')),
  ];
}

/** The part of a longer text's base64 that these bytes alone decide, where `before` more bytes than a multiple of 3 precede them. */
function base64Within(bytes: Buffer, before: number): string {
  const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
  return encoded.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
}
