/**
 * A share or a change, kept as a fraction: divided in binary, a rise from 100 to 107 is more than 7%. The whole is above 0.
 */
export interface Ratio {
  readonly part: bigint;
  readonly whole: bigint;
}

/** One figure in proportion to another, both taken as the decimal numbers they are written as. `whole` is not 0. */
export function ratioOf(part: number, whole: number): Ratio {
  const [a, b] = [decimal(part), decimal(whole)];
  return { part: a.part * b.whole, whole: a.whole * b.part };
}

/** The exact sum, of numbers taken as they are written: 0.1 and 0.2 make 0.3. */
export function sum(...figures: readonly number[]): number {
  if (figures.every(Number.isInteger)) return figures.reduce((all, figure) => all + figure, 0);
  const exact = figures.map(decimal);
  const whole = exact.reduce((most, figure) => (figure.whole > most ? figure.whole : most), 1n);
  const part = exact.reduce((all, figure) => all + figure.part * (whole / figure.whole), 0n);
  return Number(`${part}e-${`${whole}`.length - 1}`);
}

/** How much the first is above the second; negative where it is below. */
export function difference(a: Ratio, b: Ratio): Ratio {
  return { part: a.part * b.whole - b.part * a.whole, whole: a.whole * b.whole };
}

/** Above 0 where the first is larger, below 0 where the second is, 0 where they are equal. */
export function compareRatios(a: Ratio, b: Ratio): number {
  const { part } = difference(a, b);
  return part === 0n ? 0 : part > 0n ? 1 : -1;
}

/** A finite number as the fraction that its decimal notation stands for; the whole is a power of ten. */
function decimal(value: number): Ratio {
  if (Number.isInteger(value)) return { part: BigInt(value), whole: 1n };
  const [digits = '', exponent = '0'] = `${value}`.split('e');
  const [integer = '', decimals = ''] = digits.split('.');
  const places = BigInt(decimals.length - Number(exponent));
  return { part: BigInt(integer + decimals), whole: 10n ** places };
}
