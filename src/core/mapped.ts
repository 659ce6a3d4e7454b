import * as z from 'zod/mini';
import type { Scrubbed } from '../text/scrub.ts';

/** A schema whose values are converted once they have been checked. */
export const mapSchema = <Schema extends z.ZodMiniType, Result>(
  schema: Schema,
  convert: (value: z.output<Schema>, context: z.core.ParsePayload) => Result,
) => z.pipe(schema, z.transform(convert));

/** A string in data from `scrubAll`, which is the only data that these schemas may parse. */
export const scrubbedText = z.pipe(z.string(), z.custom<Scrubbed, string>());
