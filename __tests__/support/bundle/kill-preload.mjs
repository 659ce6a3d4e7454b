// Preloaded into a child process with `NODE_OPTIONS=--import=<this file>`: it kills itself for good in the middle of the
// first write to the nth file it puts in place, or right before it gets its name. KILL_AT is `write <n>` or `rename <n>`.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const [step, count] = (process.env.KILL_AT ?? '').split(' ');
if (!['write', 'rename'].includes(step) || !(Number(count) > 0)) {
  throw new Error('kill-preload needs KILL_AT in the environment');
}

const { writeFileSync, renameSync } = fs;
const reached = { write: 0, rename: 0 };
const written = new Set();

function isNow(name) {
  reached[name] += 1;
  return name === step && reached[name] === Number(count);
}

function die() {
  process.kill(process.pid, 'SIGKILL');
  for (;;);
}

fs.writeFileSync = (file, data, ...more) => {
  // Whatever is passed to the runner is also written here, to files with the same names.
  if (`${file}`.endsWith('.tmp') && !written.has(file)) {
    written.add(file);
    if (isNow('write')) {
      writeFileSync(file, data.slice(0, Math.ceil(data.length / 2)), ...more);
      die();
    }
  }
  writeFileSync(file, data, ...more);
};

fs.renameSync = (from, to) => {
  if (isNow('rename')) die();
  renameSync(from, to);
};
syncBuiltinESMExports();
