const mask = '***';
/** A shorter secret would also match parts of ordinary words. */
export const minSecret = 6;
/**
 * The pattern of a longer secret could be too long to compile, so escaped forms of it aren't found.
 * No real key is this long.
 */
const maxPattern = 1_000;

/**
 * The credentials in a URL. The pattern looks back from the slashes, because matching the scheme
 * first takes quadratic time.
 */
const credentials = /(?<=\b[a-z][a-z0-9+.-]*:\/\/)[^\s/?#@\\"'`<>]*@/gi;

declare const scrubbed: unique symbol;

/**
 * A text without secrets. Only `Scrub` makes one, and only such a text may be cut: a part of a
 * secret wouldn't be recognized.
 */
export type Scrubbed = string & { readonly [scrubbed]: true };

/** Removes secrets from a text, and credentials from its URLs. */
export type Scrub = (text: string) => Scrubbed;

/** A parsed value whose form is unknown. All its strings are scrubbed. */
export interface ScrubbedData {
  readonly [scrubbed]: 'all';
}

/** The same type, but all its strings are scrubbed. Words of our own, such as `open`, stay. */
export type ScrubbedAll<T> = unknown extends T
  ? ScrubbedData
  : string extends T
    ? Scrubbed | Exclude<T, string>
    : T extends object
      ? { [Field in keyof T]: ScrubbedAll<T[Field]> }
      : T;

/**
 * Finds secrets, even encoded or escaped. Use it on all external data after parsing, and again on
 * everything that is shown.
 */
export function createScrub(secrets: readonly string[]): Scrub {
  const forms = secrets
    .map((secret) => secret.trim())
    .filter((secret) => secret.length >= minSecret)
    // Start with the longest secret, because it may contain a shorter one.
    .sort((a, b) => b.length - a.length)
    .flatMap((secret) => [escapedForms(secret), ...base64Forms(secret)]);
  return (text) => {
    let safe = text;
    for (const form of forms) safe = safe.replaceAll(form, mask);
    return safe.replace(credentials, `${mask}@`) as Scrubbed;
  };
}

/** Words of our own, where a text from outside might also be. */
export function ownWords(text: '' | '/'): Scrubbed {
  return text as string as Scrubbed;
}

/** Changes a scrubbed text. The change must not join parts, which could bring a secret back. */
export function changeScrubbed(text: Scrubbed, change: (text: string) => string): Scrubbed {
  return change(text) as Scrubbed;
}

/**
 * Scrubs all strings in a parsed value, in place. Lists repeat their field names, so each name is
 * scrubbed only once.
 */
export function scrubAll<T>(parsed: T, scrub: Scrub): ScrubbedAll<T> {
  const safeNames = new Map<string, string>();
  const scrubValue = (value: unknown): unknown => {
    if (typeof value === 'string') return scrub(value);
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) value[index] = scrubValue(item);
      return value;
    }
    const fields = value as Record<string, unknown>;
    for (const name of Object.keys(fields)) {
      const safeValue = scrubValue(fields[name]);
      const safeName = safeNames.get(name) ?? scrub(name);
      safeNames.set(name, safeName);
      if (safeName !== name) delete fields[name];
      fields[safeName] = safeValue;
    }
    return value;
  };
  return scrubValue(parsed) as ScrubbedAll<T>;
}

/**
 * Matches a secret even if some of its characters are escaped as in JSON (RFC 8259 §7) or a URL
 * (RFC 3986 §2.1).
 */
function escapedForms(secret: string): RegExp | string {
  if (secret.length > maxPattern) return secret;
  const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0');
  const patternOf = (character: string) => {
    const units = character.split('').map((unit) => `\\u${hex(unit.charCodeAt(0), 4)}`);
    const bytes = Array.from(Buffer.from(character), (byte) => `%${hex(byte, 2)}`);
    const lower = [units.join(''), bytes.join('')];
    const upper = lower.map((form) => form.replace(/[0-9a-f]/g, (digit) => digit.toUpperCase()));
    const inJson = JSON.stringify(character).slice(1, -1);
    const forms = [character, inJson, `\\${character}`, ...lower, ...upper];
    const alternatives = forms.map((form) => RegExp.escape(form));
    return `(?:${alternatives.join('|')})`;
  };
  const patterns = Array.from(secret, patternOf);
  return new RegExp(patterns.join(''), 'g');
}

/**
 * The parts of a text's base64 that encode only the secret, for each number of bytes in front of
 * it, modulo 3.
 */
function base64Forms(secret: string) {
  const bytes = Buffer.from(secret);
  const standard = [0, 1, 2].map((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    // Each character encodes 6 bits.
    const start = Math.ceil((before * 8) / 6);
    const end = Math.floor(((before + bytes.length) * 8) / 6);
    return encoded.slice(start, end);
  });
  // The URL-safe alphabet of base64 has two different characters (RFC 4648 §5).
  const urlSafe = standard.map((form) => form.replaceAll('+', '-').replaceAll('/', '_'));
  return [...standard, ...urlSafe];
}
