import { setFlagsFromString } from 'node:v8';

// With a full history, a report peaks at about 150 MB; without these flags, at 240 MB (`scripts/bench-visitors.ts`).
// A large report creates a lot of garbage. Without this, V8's young generation would grow by 60 MB.
setFlagsFromString('--semi-space-growth-factor=1');
// Without this, V8 optimizes the HTTP parser, a large WebAssembly function.
setFlagsFromString('--wasm-tiering-budget=2000000000');
// With this, V8 collects garbage whenever the heap has grown by 60%. A smaller number takes more time.
setFlagsFromString('--heap-growing-percent=60');
// A report is finished before V8's full optimization would pay off.
setFlagsFromString('--no-opt');

export { runVisitors as run } from './index.ts';
