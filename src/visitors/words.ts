import { capped, code, codeCell } from '../lib/markdown.ts';
import type { Cut } from './export.ts';

/** Longer paths are cut in the report; the files have them whole. */
const shownCharacters = 160;

const counts = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 });
const percents = new Intl.NumberFormat('en-US', { minimumFractionDigits: 1, maximumFractionDigits: 1 });

/** `12,480`. */
export function count(visitors: number): string {
  return counts.format(visitors);
}

/** `+120`, `−7`, `0`. */
function difference(delta: number): string {
  return signed(delta, counts.format(Math.abs(delta)));
}

/** `+0.8 points`: the difference of two shares. */
export function pointsOf(delta: number): string {
  return `${signed(delta, percents.format(Math.abs(delta)))} points`;
}

/** `31.2%`; a dash for what is not known. */
export function percentage(percent: number | undefined): string {
  return percent === undefined ? '–' : `${percents.format(percent)}%`;
}

/** `+8.3%`, `−30.0%`. */
export function changeOf(percent: number): string {
  return signed(percent, `${percents.format(Math.abs(percent))}%`);
}

/** `+120 (+45.2%)`, without the percentage where there is none. */
export function moveOf(delta: number, percent: number | undefined): string {
  return percent === undefined ? difference(delta) : `${difference(delta)} (${changeOf(percent)})`;
}

/** `1 page`, `2 pages`. */
export function plural(number: number, noun: string): string {
  return `${count(number)} ${noun}${number === 1 ? '' : 's'}`;
}

/** A page path as the cell of a table. */
export function pathCell(path: string): string {
  return codeCell(capped(path, shownCharacters));
}

/** A text of the user's own, such as a glob, in prose. */
export function shown(text: string): string {
  return code(capped(text, shownCharacters));
}

/** Why a window is not whole, as the end of a sentence. */
export function whyCut(cut: Cut, maxRequests: number): string {
  switch (cut.kind) {
    case 'budget':
      return `the budget of ${plural(maxRequests, 'request')} was spent (\`max-requests\`)`;
    case 'empty-page':
      return 'the service said that there was more, and sent an empty page';
    case 'repeated-page':
      return 'the service said that there was more, and sent only rows that it had sent before';
    case 'service':
      return cut.reason === 'rate-limited'
        ? 'the service’s hourly limit was reached'
        : `the service gave no answer that could be used (\`${cut.reason}\`)`;
  }
}

/** What rounds to nothing has no sign. */
function signed(value: number, magnitude: string): string {
  if (!/[1-9]/.test(magnitude)) return magnitude;
  return `${value > 0 ? '+' : '−'}${magnitude}`;
}
