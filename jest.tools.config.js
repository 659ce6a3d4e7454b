import usual from './jest.config.js';

/**
 * Tests of this repository's own tools, workflows, and simulator. They run with `npm run check`.
 *
 * @type {import('jest').Config}
 */
export default { ...usual, testMatch: ['<rootDir>/__tests__/tools/*.test.ts'] };
