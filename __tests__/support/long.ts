/** Whether the matrices are played in full (`npm run test:long`). */
export const isLong = process.env.TESTS === 'long';
