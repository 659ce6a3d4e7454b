/**
 * Renders Markdown as plain text for a terminal: tables are aligned, and the URL of a link follows its text. Collapsed parts are one
 * line each, unless `isExpanded`.
 */
export function asPlainText(markdown: string, isExpanded = false): string {
  const shown = isExpanded
    ? markdown.replace(/<details>\s*/g, '').replace(/\s*<\/details>/g, '')
    : fold(markdown);
  // Between fences, everything is already plain text.
  const parts = shown.split(/^((?:│ )?```+).*\n([\s\S]*?)^\1[ \t]*\n?/m);
  return parts.flatMap((part, index) => [withoutMarks(part), [], part][index % 3] ?? []).join('');
}

function withoutMarks(markdown: string): string {
  return markdown
    .replace(/(?:^(?:│ )?\|.*\|\n?)+/gm, aligned)
    .replace(/\[([^\]]*(?:\\.[^\]]*)*)\]\(<(.*?)>\)/g, '$1 ($2)')
    .replace(/<br>/g, '\n')
    .replace(/<summary>(.*?)<\/summary>/g, '▾ $1')
    .replace(/<\/?[a-z][^<>]*>/g, '')
    .replace(/^((?:│ )?)(?:#+ |> (?:\[!\w+\]\n(?:│ )?> )?)/gm, '$1')
    .replace(/\*\*|(?<![\w*`/])\*(?=\S)|(?<=[\w.])\*(?![\w*`/])|`/g, '')
    .replace(/\\(?=[!-/:-@[-`{-~])/g, '')
    .replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)));
}

/** Shortens each `<details>` to one line. */
function fold(markdown: string): string {
  const inner = /<details>\s*<summary>(.*?)<\/summary>(?:(?!<details>)[\s\S])*?<\/details>/g;
  const folded = markdown.replace(inner, (_, summary: string) => `▸ ${summary}`);
  return folded === markdown ? folded : fold(folded);
}

/** Aligns the columns of a table. */
function aligned(table: string): string {
  const rows = table
    .trimEnd()
    .split('\n')
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => withoutMarks(cell.trim())),
    );
  const [, sides = []] = rows;
  const widths = sides.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows
    .filter((row) => row !== sides)
    .map((row) =>
      row
        .map((cell, column) => {
          const width = widths[column] ?? 0;
          return sides[column]?.endsWith(':') ? cell.padStart(width) : cell.padEnd(width);
        })
        .join('  ')
        .trimEnd(),
    );
  return `${lines.join('\n')}\n`;
}
