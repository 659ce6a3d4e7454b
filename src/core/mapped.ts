import * as z from 'zod/mini';

/** A schema whose values are converted once they have been checked. */
export function mapped<Schema extends z.ZodMiniType, Result>(
  schema: Schema,
  convert: (value: z.output<Schema>, context: z.core.ParsePayload) => Result,
) {
  return z.pipe(schema, z.transform(convert));
}
