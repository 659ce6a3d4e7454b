import * as z from 'zod/mini';

/** An id that cannot stand in a URL path could never be asked for again. */
const jobId = z.string().check(
  z.minLength(1),
  z.refine((id) => id !== '.' && id !== '..' && id.isWellFormed(), 'an id that fits into a path'),
);

/**
 * The Agent job of the interface, read loosely: unknown fields pass, and only `id` and `status` must be there, since which
 * fields are always present is not documented.
 */
export const jobSchema = z.object({
  id: jobId,
  status: z.string().check(z.minLength(1)),
  prLink: z.prefault(z.nullable(z.string()), null),
  source: z.optional(
    z.nullable(
      z.object({ repository: z.optional(z.nullable(z.string())), ref: z.optional(z.nullable(z.string())) }),
    ),
  ),
  model: z.optional(z.nullable(z.string())),
  createdAt: z.optional(z.nullable(z.string())),
  archivedAt: z.optional(z.nullable(z.string())),
});

/** One agent job as the service last told it. `status` may be a value this action does not know. */
export type Job = z.infer<typeof jobSchema>;

/** Approximate distinct visitors; the schema says number, so fractions are possible. */
const count = z.number().check(z.gte(0));

const counts = { human: count, ai: count, total: count };

export const visitorsPageSchema = z.object({
  totals: z.object(counts),
  visitors: z.array(z.object({ path: z.string(), ...counts })),
  hasMore: z.boolean(),
});

/** One page of the visitors export: the site's totals, up to `limit` rows, and whether there are more. */
export type VisitorsPage = z.infer<typeof visitorsPageSchema>;
export type VisitorsRow = VisitorsPage['visitors'][number];
export type VisitorsTotals = VisitorsPage['totals'];

const errorBody = z.object({
  error: z.string(),
  details: z.optional(z.array(z.object({ message: z.string() }))),
});

/** The text of an error body (`{"error", "details"?}`), or `undefined` where the body is none. */
export function errorText(body: string): string | undefined {
  let raw: unknown;
  try {
    raw = JSON.parse(body);
  } catch {
    return undefined;
  }
  const parsed = errorBody.safeParse(raw);
  if (!parsed.success) return undefined;
  const details = parsed.data.details?.map(({ message }) => message) ?? [];
  return [parsed.data.error, ...details].join('; ').slice(0, 500);
}
