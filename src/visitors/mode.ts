export { checkVisitors as check } from './check.ts';
export { runVisitors as run } from './index.ts';
