import { replaceInvisible } from './invisible.ts';

/** Characters that are looked at; a text of any length takes no more time or memory. */
const longest = 300;

/** What may be about a person, or lead to one. Better a word too many is blotted out than one too few. */
const personal: readonly (readonly [RegExp, string])[] = [
  [/\S+@\S+|\S+ ?@ ?\S+\.\S+/g, '[e-mail]'],
  [/\b[a-z][a-z0-9+.-]*:\/\/\S*|\bwww\.\S*|\b[\w-]+(?:\.[\w-]+)*\.(?:com|net|org)\b\S*/g, '[address]'],
  [/(?=[a-z_+=~-]*\d)[\w+=~-]{20,}/g, '[token]'],
  [/\p{Nd}(?:[\s().:_/+-]{0,3}\p{Nd}){5,}/gu, '[number]'],
];

/**
 * What a stranger typed, in a form that may be counted and quoted: one line in lower case, without e-mail addresses, web addresses,
 * tokens and long numbers. Texts that differ only in those, in case, or in the punctuation at their end become the same.
 */
export function quotable(text: string): string {
  // Half a word could be half an address.
  const begun = text.length > longest ? text.slice(0, longest).replace(/\S*$/, '') : text;
  const visible = replaceInvisible(begun.toWellFormed().normalize('NFKC'), () => '');
  const line = visible.replace(/[\s\p{Cc}]+/gu, ' ').toLowerCase();
  const blotted = personal.reduce((kept, [found, label]) => kept.replace(found, label), line);
  return blotted.replace(/[\s?!.,;:]+$/, '').trim();
}
