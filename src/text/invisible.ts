/**
 * Characters that show nothing and could smuggle words past a reader: Unicode's `Default_Ignorable_Code_Point`, which includes
 * bidi controls, tag characters, and fillers. Characters with a visible effect are kept: a variation selector after an emoji,
 * and a joiner (ZWJ, ZWNJ) inside a word or an emoji.
 */
const parts = [
  String.raw`(?![\u200c\u200d\ufe0e\ufe0f])\p{Default_Ignorable_Code_Point}`,
  // Interlinear annotations, which browsers don't show as such.
  String.raw`[\ufff9-\ufffb]`,
  // After a digit, a selector followed by U+20E3 makes a keycap.
  String.raw`(?<!\p{Extended_Pictographic}|[0-9#*](?=\ufe0f\u20e3))[\ufe0e\ufe0f]`,
  String.raw`(?<![\p{L}\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}])\p{Join_Control}`,
  String.raw`\p{Join_Control}(?![\p{L}\p{M}\p{Extended_Pictographic}])`,
];

const invisible = new RegExp(parts.join('|'), 'gu');

/** A comment's prompt without its invisible code points, and how many there were. */
export function removeInvisible(prompt: string): { readonly prompt: string; readonly removed: number } {
  const shown = replaceInvisible(prompt, () => '');
  return { prompt: shown, removed: Array.from(prompt).length - Array.from(shown).length };
}

/** Replaces every invisible code point, including those that become invisible when their neighbor is replaced. */
export function replaceInvisible(text: string, by: (character: string) => string): string {
  const replaced = text.replace(invisible, by);
  return replaced === text ? text : replaceInvisible(replaced, by);
}
