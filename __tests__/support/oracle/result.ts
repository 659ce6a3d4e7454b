import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Played } from './played.ts';

/*
 * The output `result` against the committed `result.schema.json`. For users that file allows fields that it does not name; here
 * such a field is one that is missing from the schema.
 */

/** As it is committed. */
export const resultSchema: object = JSON.parse(
  readFileSync(new URL('../../../result.schema.json', import.meta.url), 'utf8'),
);

/** The same schema, without fields that it does not name. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, closed(value)]));
  return 'properties' in schema ? { ...inner, additionalProperties: false } : inner;
}

/** A format comes with a pattern, which is checked. */
export const ajvOptions = { allErrors: true, allowUnionTypes: true, validateFormats: false };
const validate = new Ajv2020(ajvOptions).compile(closed(resultSchema) as object);

/** Everything in which a `result` is not as its schema says. */
export function resultProblems(result: string): string[] {
  if (validate(JSON.parse(result))) return [];
  const problems = (validate.errors ?? []).map(({ schemaPath, instancePath, message, params }) =>
    [schemaPath, instancePath, message, JSON.stringify(params)].join(' '),
  );
  return [result, ...problems];
}

/** Lets pass what a run left behind; one that was killed leaves no `result`. @throws Error where it is not as its schema says. */
export function withTrueResult<P extends Pick<Played, 'outputs'>>(played: P): P {
  const { result } = played.outputs;
  const problems = result === undefined ? [] : resultProblems(result);
  if (problems.length > 0) throw new Error(`result.schema.json does not allow ${problems.join('\n')}`);
  return played;
}
