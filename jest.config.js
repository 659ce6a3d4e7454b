// Which quarter of the faults is played by day, for `__tests__/support/long.ts` in every worker.
if (process.env.TESTS_SEED === undefined) {
  process.env.TESTS_SEED = process.env.GITHUB_RUN_ID ?? String(Date.now());
  if (process.env.TESTS !== 'long') console.log(`TESTS_SEED=${process.env.TESTS_SEED}`);
}

/** @type {import('jest').Config} */
export default {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': ['@swc/jest', { jsc: { target: 'es2024', parser: { syntax: 'typescript' } } }],
  },
  testMatch: ['<rootDir>/__tests__/{unit,scenario,acceptance}/**/*.test.ts'],
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
  testSequencer: '<rootDir>/jest.sequencer.js',
  // On a busy machine, everything takes longer, and nothing fails.
  testTimeout: 300_000,
  // By default, jest leaves one of two cores unused.
  maxWorkers: '100%',
  // Every file loads all modules anew. A worker that keeps them all takes too long to exit.
  workerIdleMemoryLimit: '600MB',
  // Freeing these modules takes longer than half a second on a busy machine, which isn't a leak.
  workerGracefulExitTimeout: 60_000,
};
