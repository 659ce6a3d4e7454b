import { checkVisitors } from './check.ts';
import { runVisitors } from './index.ts';

/** All of visitors mode but its inputs and outputs, loaded as one. */
export const visitorsMode = { check: checkVisitors, run: runVisitors };
