import * as z from 'zod/mini';

/** A schema whose values are converted once they have been checked. */
export const mapSchema = <Schema extends z.ZodMiniType, Result>(
  schema: Schema,
  convert: (value: z.output<Schema>, context: z.core.ParsePayload) => Result,
) => z.pipe(schema, z.transform(convert));
