import { test } from '@jest/globals';

/** Whether to play everything, as at night (`npm run test:long`). */
export const isLong = process.env.TESTS === 'long';

/** Chooses what is played by day. `jest.config.js` prints it, and `TESTS_SEED` replays it. */
const seed = Number(process.env.TESTS_SEED);

const isChosen = (nth: number) => isLong || nth % 4 === seed % 4;

/** By day, a quarter of the cases: another one with each seed. At night, all. */
export function chooseQuarter<T>(cases: readonly T[]): T[] {
  return cases.filter((_, nth) => isChosen(nth));
}

/** How often to play random cases: by day, a quarter of the times. */
export function timesOf(times: number): number {
  return isLong ? times : Math.ceil(times / 4);
}

let quarterTests = 0;

/** Defines a test that is played in a quarter of the runs by day, and every night. */
export function testInQuarter(name: string, act: () => void | Promise<void>): void {
  const run = isChosen(quarterTests) ? test : test.skip;
  quarterTests += 1;
  run(name, act);
}
