/**
 * The hunks of a patch as GitHub gives it, each with its `@@ … @@` line and without the newline behind it; joined by newlines
 * they are the patch again. Lines within a hunk begin with a space, `+`, `-` or `\`, so that `@@` at the beginning of one is
 * always the next hunk.
 */
export function hunksOf(patch: string): string[] {
  return patch === '' ? [] : patch.split(/\n(?=@@ )/);
}
