/** Whether to run the full matrices (`npm run test:long`). */
export const isLong = process.env.TESTS === 'long';
