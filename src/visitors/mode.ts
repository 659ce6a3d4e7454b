import { setFlagsFromString } from 'node:v8';

// A large report creates a lot of garbage. Without this, V8's young generation would grow by 60 MB and save almost no time.
setFlagsFromString('--semi-space-growth-factor=1');
// Without this, V8 optimizes the HTTP parser, a large WebAssembly function. That takes 23 MB and more time than it saves.
setFlagsFromString('--wasm-tiering-budget=2000000000');
// With this, V8 collects garbage whenever the heap has grown by 20%. With a full history, that saves 14 MB.
setFlagsFromString('--heap-growing-percent=20');
// No one waits for a pause. Marking in small steps would take 9 MB and more time.
setFlagsFromString('--no-incremental-marking');
// A report is finished before V8's full optimization would pay off.
setFlagsFromString('--no-opt');

export { runVisitors as run } from './index.ts';
