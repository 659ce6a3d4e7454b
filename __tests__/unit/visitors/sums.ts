import { asRead } from './as-read.ts';

const numberOf = (text: string | undefined) => Number(text?.replaceAll(',', ''));

/** The numbers of a report that don't add up, one sentence each. Every project's part is checked for itself. */
export function wrongSums(markdown: string): string[] {
  const text = asRead(markdown);
  const leads = [...text.matchAll(/\*\*(?:[▲▼] )?([\d,]+) visitors?\b/g)];
  return leads.flatMap((match, index) => {
    const part = text.slice(match.index, leads[index + 1]?.index);
    const total = numberOf(match[1]);
    return sumsIn(part, total).filter((wrong) => wrong !== '');
  });
}

function sumsIn(part: string, total: number): string[] {
  const differ = (what: string, found: number | undefined, expected: number) =>
    found === undefined || Number.isNaN(found) || found === expected
      ? ''
      : `${what} is ${found}, and should be ${expected}`;
  const first = (pattern: RegExp) => pattern.exec(part)?.slice(1).map(numberOf) ?? [];
  const [people = Number.NaN, ai = Number.NaN] = first(
    /People and AI: (?:[▲▼] )?([\d,]+) people, (?:[▲▼] )?([\d,]+) AI/,
  );
  const [both = 0] = first(/([\d,]+) visitors? counts? as both/);
  const [, squares = '', percent] = /^(🟦*🟧*) \*\*(?:[▲▼] )?[<>]?([\d.]+)% AI/mu.exec(part) ?? [];
  const amber = squares.match(/🟧/gu)?.length ?? 0;
  const share = (100 * ai) / total;
  const [openPeople, onlyAi = Number.NaN] = first(/ · ([\d,]+) people, ([\d,]+) only AI/);
  const bars = [...part.matchAll(/^ {2}bar \[.*?(\d+)\]$/gm)].map(([, last]) => numberOf(last));
  const cells = (name: string) =>
    first(new RegExp(`^\\| ${name} \\| (?:[▲▼] )?([\\d,]+)(?:<sub>| \\|)`, 'm'))[0];
  const isBound = / \*\*(?:[▲▼] )?[<>]/.test(part);
  const [sections = 0] = first(/^### (\d+) sections? /m);
  const [pages = 0] = first(/^### (?:.* and )?(\d+) pages? stands? out/m);
  const [list = ''] = /^### .*stands? out\n[^#]*?\n\n(?:\*|<|[A-Z])/m.exec(part) ?? [];
  const [left = 0] =
    list
      .match(/\*([\d,]+) more/)
      ?.slice(1)
      .map(numberOf) ?? first(/^\*([\d,]+) more not listed/m);
  const rows = (list.match(/^\| .* \|$/gm)?.length ?? 2) - 2;
  return [
    // With one of them unknown, there is nothing to add up.
    differ('the sum of people and AI without both', people + ai - both, total),
    differ('people and only AI', (openPeople ?? Number.NaN) + onlyAi, total),
    differ('people in the open', openPeople, people),
    percent === undefined || isBound || !percent.includes('.')
      ? differ(
          'the share',
          percent === undefined || isBound ? undefined : Number(percent),
          Math.round(share),
        )
      : '',
    squares === '' ? '' : differ('amber squares', amber, Math.round(share / 10)),
    differ('the last bar', bars[0], total),
    differ('the last bar of people', bars[1], people),
    differ('“All” in the table', cells('\\*\\*All\\*\\*'), total),
    differ('“People” in the table', cells('People'), people),
    differ('“AI” in the table', cells('AI'), ai),
    sections + pages === 0 || list === ''
      ? ''
      : differ(
          'the rows that stand out',
          rows + (rows < sections + pages ? left : 0),
          sections + pages,
        ),
  ];
}
