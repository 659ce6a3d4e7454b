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
    '<rootDir>/__tests__/{scenario/{cap,elsewhere,mishaps,threads},unit/visitors/usual-simulation}.test.ts',
  ],
};
