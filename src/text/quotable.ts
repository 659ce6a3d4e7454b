import { withoutInvisible } from './invisible.ts';
import { changeScrubbed, type Scrubbed } from './scrub.ts';

/** Longer text is cut, so that it takes no extra time or memory. */
const maxCharacters = 300;

/** Text that may identify a person. When in doubt, it is removed. */
const personal: readonly (readonly [RegExp, string])[] = [
  [/\S+(?:@|%40)\S+|\S+ ?(?:@|%40) ?\S+\.\S+/g, '[email]'],
  [/\S*:\/\/\S*|\S*www\.\S*|\b[\w-]+(?:\.[\w-]+)*\.(?:com|net|org)\b\S*/g, '[address]'],
  // “Bearer token” itself is no secret.
  [/\bbearer (?!(?:auth|authentication|authorization|tokens?)(?![\w-]))\S+/g, '[token]'],
  [/(?=[a-z_+=~-]*\d)[\w+=~-]{20,}|mint_\S*/g, '[token]'],
  [/\p{Nd}(?:[\s().:_/+\p{Pd}]{0,3}\p{Nd}){5,}/gu, '[number]'],
];

/**
 * Makes a stranger's text safe to quote: one lowercase line without personal data and final
 * punctuation.
 */
export function makeQuotable(text: Scrubbed): Scrubbed {
  return changeScrubbed(text, toQuote);
}

function toQuote(text: string) {
  // Drop the last word if it was cut, because it could be part of an address.
  const shortText =
    text.length > maxCharacters ? text.slice(0, maxCharacters).replace(/\S*$/, '') : text;
  const visible = withoutInvisible(shortText.toWellFormed().normalize('NFKC'));
  let line = visible.replace(/[\s\p{Cc}]+/gu, ' ').toLowerCase();
  for (const [pattern, label] of personal) line = line.replace(pattern, label);
  return line.replace(/[\s?!.,;:]+$/, '').trim();
}
