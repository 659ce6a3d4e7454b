/** Whether to play everything, as at night (`npm run test:long`). */
export const isLong = process.env.TESTS === 'long';

/** Chooses what is played by day. `jest.config.js` prints it, and `TESTS_SEED` replays it. */
const seed = Number(process.env.TESTS_SEED);

/** By day, a quarter of the cases: another one with each seed. At night, all. */
export function chooseQuarter<T>(cases: readonly T[]): T[] {
  return cases.filter((_, nth) => isLong || nth % 4 === seed % 4);
}
