export { runCollect as run } from './index.ts';
