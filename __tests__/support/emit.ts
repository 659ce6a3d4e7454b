import { readFileSync } from 'node:fs';

import { actionsRunner, maskSecret } from '../../src/runner/runner.ts';

/*
 * Run as a script: prints a JSON file's content through the action's runner, so that a test sees what a real process prints.
 */
const { method, args } = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as {
  method: 'info' | 'notice' | 'warning' | 'error' | 'verbatim' | 'mask';
  args: readonly (readonly [string, string])[];
};
for (const [one, other] of args) {
  if (method === 'verbatim') actionsRunner.verbatim(one, other);
  else if (method === 'mask') maskSecret(one);
  else if (method === 'info') actionsRunner[method](one);
  else actionsRunner[method](one, { title: other });
}
