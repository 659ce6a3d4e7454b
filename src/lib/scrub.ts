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
 * A scrubber that knows these secrets. Whatever comes from outside passes it after it was parsed, since an escape hides a
 * secret from a search in the raw text; and whatever is shown passes it last.
 */
export function createScrub(secrets: readonly string[]): Scrub {
  const known = secrets
    .map((secret) => secret.trim())
    .filter((secret) => secret.length >= shortestSecret)
    .flatMap(formsOf)
    .sort((one, other) => other.length - one.length);
  return (text) => {
    const safe = known.reduce((left, secret) => left.replaceAll(secret, mask), text);
    return safe.replace(credentials, `${mask}@`);
  };
}

/** A secret as it is, in an address, and in JSON that stands in a string. */
function formsOf(secret: string): string[] {
  const json = JSON.stringify(secret).slice(1, -1);
  return [...new Set([secret, encodeURIComponent(secret), json, json.replaceAll('/', '\\/')])];
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
