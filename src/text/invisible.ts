/**
 * Invisible characters, which could hide words from a reader: Unicode's
 * `Default_Ignorable_Code_Point`, such as bidi controls. Variation selectors after an emoji and
 * joiners inside a word or an emoji are kept, because they have a visible effect.
 */
const parts = [
  String.raw`(?![\u200c\u200d\ufe0e\ufe0f])\p{Default_Ignorable_Code_Point}`,
  // Interlinear annotations, which browsers don't support.
  String.raw`[\ufff9-\ufffb]`,
  // After a digit, a variation selector followed by U+20E3 makes a keycap emoji, so it is kept.
  String.raw`(?<!\p{Extended_Pictographic}|[0-9#*](?=\ufe0f\u20e3))[\ufe0e\ufe0f]`,
  String.raw`(?<![\p{L}\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}])\p{Join_Control}`,
  String.raw`\p{Join_Control}(?![\p{L}\p{M}\p{Extended_Pictographic}])`,
];

const invisible = new RegExp(parts.join('|'), 'gu');

/** Removes invisible characters from a prompt, and counts them. */
export function removeInvisible(prompt: string) {
  const visible = withoutInvisible(prompt);
  const removed = Array.from(prompt).length - Array.from(visible).length;
  return { prompt: visible, removed };
}

export function withoutInvisible(text: string): string {
  return replaceInvisible(text, () => '');
}

/**
 * Replaces all invisible characters. A replacement may make its neighbor invisible, so this repeats
 * until nothing changes.
 */
export function replaceInvisible(text: string, replace: (character: string) => string): string {
  const replaced = text.replace(invisible, replace);
  return replaced === text ? text : replaceInvisible(replaced, replace);
}
