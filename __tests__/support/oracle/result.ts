import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import { ACTION_DIR } from '../../../simulator/runner/action.ts';
import type { Played } from '../played.ts';

/*
 * Checks outputs against `action.yml`, and `result` against `result.schema.json`. The published schema allows unknown fields.
 * In tests, an unknown field is a mistake.
 */

/** The committed schema. */
export const resultSchema: object = JSON.parse(
  readFileSync(join(ACTION_DIR, 'result.schema.json'), 'utf8'),
);
const declared: object = parse(readFileSync(join(ACTION_DIR, 'action.yml'), 'utf8')).outputs;

/** A copy of the schema that rejects unknown fields. */
export function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const inner = Object.fromEntries(
    Object.entries(schema).map(([name, value]) => [name, closed(value)]),
  );
  return 'properties' in schema ? { ...inner, additionalProperties: false } : inner;
}

/** Formats aren't validated, because each field with a format also has a pattern. */
export const ajvOptions = { allErrors: true, allowUnionTypes: true, validateFormats: false };
const validate = new Ajv2020(ajvOptions).compile(closed(resultSchema) as object);

/** Lists the places where a `result` doesn't match the schema. */
export function resultProblems(result: string): string[] {
  if (validate(JSON.parse(result))) return [];
  const problems = (validate.errors ?? []).map(({ schemaPath, instancePath, message, params }) =>
    [schemaPath, instancePath, message, JSON.stringify(params)].join(' '),
  );
  return [result, ...problems];
}

/** Returns a run unchanged. @throws Error if its outputs don't match `action.yml` or the schema. */
export function withTrueResult<P extends Pick<Played, 'outputs'>>(played: P): P {
  const { result } = played.outputs;
  const undeclared = Object.keys(played.outputs).filter((name) => !(name in declared));
  if (undeclared.length > 0)
    throw new Error(`Add ${undeclared} to action.yml and src/core/reasons.ts`);
  const problems = result === undefined ? [] : resultProblems(result);
  if (problems.length > 0)
    throw new Error(`result.schema.json does not allow ${problems.join('\n')}`);
  return played;
}
