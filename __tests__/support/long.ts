/** Whether the full matrices are played (`npm run test:long`). */
export const isLong = process.env.TESTS === 'long';
