import { asRead } from './as-read.ts';

const numberOf = (text: string | undefined) => Number(text?.replaceAll(',', ''));

/** The numbers of a report that don't add up, one sentence each. Every project's part is checked for itself. */
export function wrongSums(markdown: string): string[] {
  const text = asRead(markdown);
  const leads = [...text.matchAll(/\*\*(?:[▲▼] )?([\d,]+) (?:people|person)\b/g)];
  return leads.flatMap((match, index) => {
    const part = text.slice(match.index, leads[index + 1]?.index);
    const people = numberOf(match[1]);
    return sumsIn(part, people).filter((wrong) => wrong !== '');
  });
}

function sumsIn(part: string, people: number): string[] {
  const differ = (what: string, found: number | undefined, expected: number) =>
    found === undefined || Number.isNaN(found) || Number.isNaN(expected) || found === expected
      ? ''
      : `${what} is ${found}, and should be ${expected}`;
  const first = (pattern: RegExp) => numberOf(pattern.exec(part)?.[1]);
  const cells = (name: string) =>
    first(new RegExp(`^\\| (?:\\*\\*)?${name}(?:\\*\\*)? \\| (?:\\*\\*)?(?:[▲▼] )?([\\d,]+)`, 'm'));
  const total = first(/ AI\*\* \(([\d,]+) visitors? in all\)/);
  const ai = cells('AI');
  const both = /([\d,]+) visitors? counts? as both/.test(part)
    ? first(/([\d,]+) visitors? counts? as both/)
    : 0;
  const [, squares = '', percent] = /^(🟦*🟧*) \*\*([<>]?\d+)% AI/mu.exec(part) ?? [];
  const amber = squares.match(/🟧/gu)?.length ?? 0;
  const share = (100 * ai) / total;
  const [all, human] = [...part.matchAll(/^ {2}bar \[.*?(\d+)\]$/gm)].map(([, last]) =>
    numberOf(last),
  );
  const ends = [...part.matchAll(/^ {2}line \[(\d+)/gm)].map(([, end]) => numberOf(end));
  const [low = Number.NaN, high = low] = (
    /(?:than|as) usual\*\* \(([\d,]+)(?:–([\d,]+))?\)/.exec(part)?.slice(1) ?? []
  )
    .filter((end) => end !== undefined)
    .map(numberOf);
  const title = /^### (?:(\d+) sections?)?(?: and )?(?:(\d+) pages?)? stands? out$/m.exec(part);
  const counted = (Number(title?.[1] ?? 0) || 0) + (Number(title?.[2] ?? 0) || 0);
  const [list = ''] = part.slice(title?.index).match(/(?:^\|.*\|$\n?)+(?:\n\*.*more.*\*)?/m) ?? [];
  const unlisted = numberOf(/\*([\d,]+) more/.exec(list)?.[1] ?? '0');
  const rows = (list.match(/^\| .* \|$/gm)?.length ?? 2) - 2 + unlisted;
  return [
    differ('the sum of people and AI without both', people + ai - both, total),
    percent === undefined || /[<>]/.test(percent)
      ? ''
      : differ('the share', Number(percent), Math.round(share)),
    squares === '' ? '' : differ('amber squares', amber, Math.round(share / 10)),
    differ('the last bar', all, total),
    differ('the last bar of people', human, people),
    differ('the lower line', ends[0], low),
    differ('the upper line', ends[1], high),
    differ('“People” in the table', cells('People'), people),
    differ('“All” in the table', cells('All'), total),
    title === null ? '' : differ('the rows that stand out', rows, counted),
  ];
}
