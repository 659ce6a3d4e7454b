import { setFlagsFromString } from 'node:v8';

// A large report leaves mostly garbage, and V8 would grow its young generation by 60 MB to save almost no time.
setFlagsFromString('--semi-space-growth-factor=1');
// Optimizing the HTTP parser, a large WebAssembly function, would take 23 MB and more time than it saves.
setFlagsFromString('--wasm-tiering-budget=2000000000');
// A report is over before fully optimized code pays off.
setFlagsFromString('--no-opt');

export { checkVisitors as check } from './check.ts';
export { runVisitors as run } from './index.ts';
