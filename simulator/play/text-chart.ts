/** How many characters the longest bar has. */
const maxBar = 24;

/**
 * Draws the report’s Mermaid chart in characters: a line for each period, `█` for people and `░` for visitors that are only AI. The
 * two marks `▏` are the ends of the usual range of people.
 */
export function textChart(mermaid: string): string {
  const [labels = []] = listsIn(mermaid, 'x-axis');
  const [all = [], people = all] = listsIn(mermaid, 'bar').map((bar) => bar.map(Number));
  const ends = listsIn(mermaid, 'line').map(([end]) => Number(end));
  const scale = maxBar / Math.max(1, ...all, ...ends);
  const labelWidth = Math.max(...labels.map(({ length }) => length));
  const lines = labels.map((label, place) => {
    const bar = drawBar({ all: all[place] ?? 0, people: people[place] ?? 0, ends, scale });
    return `${label.padEnd(labelWidth)}  ${bar}  ${(people[place] ?? 0).toLocaleString('en-US')}`;
  });
  return `${lines.join('\n')}\n`;
}

interface Bar {
  readonly all: number;
  readonly people: number;
  readonly ends: readonly number[];
  /** Characters for each visitor. */
  readonly scale: number;
}

function drawBar({ all, people, ends, scale }: Bar): string {
  const cells: string[] = [];
  for (let place = 0; place <= maxBar; place += 1) {
    const isEnd = ends.some((end) => Math.round(end * scale) === place);
    if (isEnd) cells.push('▏');
    else if (place < people * scale) cells.push('█');
    else cells.push(place < all * scale ? '░' : ' ');
  }
  return cells.join('');
}

/** The lists of a kind, such as each `bar [1, 2]`, in order. */
function listsIn(mermaid: string, kind: string): string[][] {
  const lists = mermaid.matchAll(new RegExp(`^ *${kind} \\[(.*)\\]$`, 'gm'));
  return Array.from(lists, ([, list = '']) =>
    list.split(',').map((item) => item.trim().replaceAll('"', '')),
  );
}
