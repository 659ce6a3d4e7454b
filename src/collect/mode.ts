export { runCollect as run } from './index.ts';
export { checkCollect as check } from './inputs.ts';
