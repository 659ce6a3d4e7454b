import usual from './jest.config.js';

// For `__tests__/support/long.ts`, in every worker.
process.env.TESTS = 'long';

/**
 * The matrices in full, for the night: `npm run test:long`.
 *
 * @type {import('jest').Config}
 */
export default {
  ...usual,
  testMatch: [
    '<rootDir>/__tests__/long/*.test.ts',
    // With the bundle.
    '<rootDir>/__tests__/acceptance/*.test.ts',
    '<rootDir>/__tests__/scenario/{cap,elsewhere,mishaps,pull-request,threads}.test.ts',
    '<rootDir>/__tests__/unit/visitors/{projects,projects-report,reference}.test.ts',
  ],
};
