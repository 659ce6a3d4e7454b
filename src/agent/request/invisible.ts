/** The tag block, bidirectional controls, and characters of no width: they show nothing and could carry words past a reader. */
const hidden =
  /[\u{e0000}-\u{e007f}\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/gu;

/** A joiner (ZWJ, ZWNJ) with no word or emoji on one of its sides; between two it stays, where scripts and emoji need it. */
const strayJoiner =
  /(?<![\p{L}\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}])\p{Join_Control}|\p{Join_Control}(?![\p{L}\p{M}\p{Extended_Pictographic}])/gu;

/** A prompt from a comment without its invisible code points, and how many there were. */
export function removeInvisible(prompt: string): { readonly prompt: string; readonly removed: number } {
  const shown = prompt.replace(hidden, '').replace(strayJoiner, '');
  return { prompt: shown, removed: Array.from(prompt).length - Array.from(shown).length };
}
