import { setFlagsFromString } from 'node:v8';

// A large report leaves much garbage and little else. V8 would set aside ever more room for garbage: 60 MB, for a moment shorter.
setFlagsFromString('--semi-space-growth-factor=1');

export { checkVisitors as check } from './check.ts';
export { runVisitors as run } from './index.ts';
