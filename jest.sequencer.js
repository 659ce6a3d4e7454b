import Sequencer from '@jest/test-sequencer';

const slowest = ['scenario/mishaps', 'scenario/collect-costs', 'acceptance/interrupted'];

/** Starts the slowest files first. Jest knows how long they take only where it has run before. */
export default class extends Sequencer {
  sort(tests) {
    const isSlow = ({ path }) => slowest.some((name) => path.endsWith(`${name}.test.ts`));
    return super.sort(tests).toSorted((one, other) => Number(isSlow(other)) - Number(isSlow(one)));
  }
}
