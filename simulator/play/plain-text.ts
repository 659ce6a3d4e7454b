import { textChart } from './text-chart.ts';
import { padTo, widthOf } from './wrap.ts';

/**
 * Renders Markdown as plain text for a terminal: tables are aligned, a chart is drawn in characters, and the URL of a link follows its
 * text. Collapsed parts are one line each, unless `isExpanded`.
 */
export function asPlainText(markdown: string, isExpanded = false): string {
  // Word joiners and no-break spaces, which only a browser needs.
  const visible = markdown
    .replaceAll('\u2060', '')
    .replaceAll('\u00A0', ' ')
    .replace(/<sub>🟦(.*)🟧(.*)🟪/, '<sub>█$1░$2▏');
  const shown = isExpanded
    ? visible.replace(/<details>\s*/g, '').replace(/\s*<\/details>/g, '')
    : fold(visible);
  const parts = shown.split(/^((?:│ )?```+)(.*)\n([\s\S]*?)^\1[ \t]*\n?/m);
  let text = '';
  for (let place = 0; place < parts.length; place += 4) {
    text += withoutMarks(parts[place] ?? '');
    const [language, fenced] = [parts[place + 2], parts[place + 3]];
    if (fenced !== undefined) text += fencedText(fenced, language ?? '');
  }
  return text;
}

/** What stands in a fence. It is already plain text, except for a chart. */
function fencedText(fenced: string, language: string): string {
  if (language === 'mermaid') return textChart(fenced);
  // A command to copy: in a terminal, it is easier to copy from one line.
  if (/^(│ )?\/docs /.test(fenced)) return `${fenced.trim().replaceAll(/\n(│ )?/g, ' ')}\n`;
  return fenced;
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
  const widths = sides.map((_, column) =>
    Math.max(...rows.map((row) => widthOf(row[column] ?? ''))),
  );
  const lines = rows
    .filter((row) => row !== sides)
    .map((row) =>
      row
        .map((cell, column) => {
          const width = widths[column] ?? 0;
          return padTo(cell, width, sides[column]?.endsWith(':') ? 'start' : 'end');
        })
        .join('  ')
        .trimEnd(),
    );
  return `${lines.join('\n')}\n`;
}
