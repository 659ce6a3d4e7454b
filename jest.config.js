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
  testTimeout: 30_000,
  // By default, jest leaves one of two cores unused.
  maxWorkers: '100%',
};
