const segments = new Intl.Segmenter('en');

/** How many columns a text takes in a terminal, where an emoji takes two. */
export function widthOf(text: string): number {
  let width = 0;
  for (const { segment } of segments.segment(text))
    width += /\p{Emoji_Presentation}|\uFE0F/u.test(segment) ? 2 : 1;
  return width;
}

/** Pads a text with spaces to a width, at its end or at its start. */
export function padTo(text: string, width: number, side: 'end' | 'start' = 'end'): string {
  const spaces = ' '.repeat(Math.max(0, width - widthOf(text)));
  return side === 'end' ? text + spaces : spaces + text;
}

/** Breaks long lines at spaces. A line in a box keeps the box’s edge. Tables, and commands to copy, stay as they are. */
export function wrap(text: string, maxWidth: number): string {
  return text
    .split('\n')
    .flatMap((line) => wrapLine(line, maxWidth))
    .join('\n');
}

function wrapLine(line: string, maxWidth: number): string[] {
  const [edge = ''] = /^(│ )?/.exec(line) ?? [];
  const content = line.slice(edge.length);
  const isTable = content.includes('  ');
  if (isTable || content.startsWith('/') || widthOf(line) <= maxWidth) return [line];
  const lines: string[] = [];
  let current = '';
  for (const word of content.split(' ')) {
    const longer = current === '' ? word : `${current} ${word}`;
    if (current !== '' && widthOf(edge + longer) > maxWidth) {
      lines.push(edge + current);
      current = word;
    } else {
      current = longer;
    }
  }
  return [...lines, edge + current];
}
