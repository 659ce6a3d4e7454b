import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { ACTION_DIR } from '../../../simulator/runner/action.ts';
import { ajvOptions, closed } from '../../support/oracle/result.ts';

const schema: object = JSON.parse(readFileSync(join(ACTION_DIR, 'visitors.schema.json'), 'utf8'));
const validate = new Ajv2020(ajvOptions).compile(closed(schema) as object);

/** Lists the places where a report's JSON file doesn't match visitors.schema.json. In tests, unknown fields are mistakes. */
export function schemaProblems(report: unknown): string[] {
  if (validate(report)) return [];
  return (validate.errors ?? []).map(({ instancePath, message, params }) =>
    [instancePath, message, JSON.stringify(params)].join(' '),
  );
}
