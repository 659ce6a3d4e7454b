import { readFileSync } from 'node:fs';

import { actionsRunner, maskSecret } from '../../src/runner/runner.ts';

/* This script prints the contents of a JSON file through the action's runner, so tests see the output of a real process. */
const { method, args } = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as {
  method: 'info' | 'notice' | 'warning' | 'error' | 'verbatim' | 'mask';
  args: readonly (readonly [string, string])[];
};
for (const [text, more] of args) {
  if (method === 'verbatim') actionsRunner.verbatim(text, more);
  else if (method === 'mask') maskSecret(text);
  else if (method === 'info') actionsRunner[method](text);
  else actionsRunner[method](text, { title: more });
}
