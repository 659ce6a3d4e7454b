/**
 * What shows nothing and could carry words past a reader: Unicode's `Default_Ignorable_Code_Point`, which has the bidi
 * controls, the tag characters and the fillers, except where people see a difference: a variation selector after an emoji,
 * and a joiner (ZWJ, ZWNJ) between two characters of a word or of an emoji.
 */
const parts = [
  String.raw`(?![\u200c\u200d\ufe0e\ufe0f])\p{Default_Ignorable_Code_Point}`,
  // Annotations between lines, which browsers do not show as such.
  String.raw`[\ufff9-\ufffb]`,
  // A digit's selector makes a keycap of it, with U+20E3 behind.
  String.raw`(?<!\p{Extended_Pictographic}|[0-9#*](?=\ufe0f\u20e3))[\ufe0e\ufe0f]`,
  String.raw`(?<![\p{L}\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}])\p{Join_Control}`,
  String.raw`\p{Join_Control}(?![\p{L}\p{M}\p{Extended_Pictographic}])`,
];

const invisible = new RegExp(parts.join('|'), 'gu');

/** A prompt from a comment without its invisible code points, and how many there were. */
export function removeInvisible(prompt: string): { readonly prompt: string; readonly removed: number } {
  const shown = replaceInvisible(prompt, () => '');
  return { prompt: shown, removed: Array.from(prompt).length - Array.from(shown).length };
}

/** Replaces every invisible code point, also those that only become invisible when their neighbour is replaced. */
export function replaceInvisible(text: string, by: (character: string) => string): string {
  const replaced = text.replace(invisible, by);
  return replaced === text ? text : replaceInvisible(replaced, by);
}
