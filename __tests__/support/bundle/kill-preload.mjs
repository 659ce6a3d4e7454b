// Preload this file with `NODE_OPTIONS=--import=<this file>`. The process then kills itself at the nth file that it creates:
// halfway through the first write (`KILL_AT=write <n>`), or just before the rename (`KILL_AT=rename <n>`).
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
  // The process also writes files for the runner here. Only its own files are first written as `.tmp`.
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
