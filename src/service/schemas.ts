import * as z from 'zod/mini';

/** No pull request's URL is longer, and it has to fit into a comment. */
export const longestLink = 2_000;
const longestId = 500;
/** A card contains these fields, and a process can't start at all if its saved state is too long. */
const longestField = 300;

/** Replaces an unusable link. Without a link, the job would seem to have changed nothing. */
const unusableLink = '(no usable link)';

const text = z.pipe(
  z.string().check(z.minLength(1)),
  z.transform((value) => value.slice(0, longestField).toWellFormed()),
);
/** A field that is only shown: dropped if it isn't in the documented form. */
const sideField = z.catch(z.nullish(text), undefined);

const jobId = z.string().check(z.minLength(1), z.maxLength(longestId));

/** An empty link means no pull request. Anything else means there is one, even if the link is broken. */
const link = z.pipe(
  z.prefault(z.unknown(), null),
  z.transform((given) => {
    const address = String(given ?? '').trim() || null;
    // URL parsers drop line breaks, so text below the URL would become part of it.
    const isUsable = address === null || (address.length <= longestLink && !/[\s\p{Cc}]/u.test(address));
    return isUsable ? address : unusableLink;
  }),
);

/**
 * The interface's Agent job, parsed loosely: unknown fields are fine, and only `id` and `status` are required, because the
 * interface doesn't say which fields are always present.
 */
export const jobSchema = z.object({
  id: jobId,
  status: text,
  prLink: link,
  source: z.catch(z.nullish(z.object({ repository: sideField, ref: sideField })), undefined),
  model: sideField,
  createdAt: sideField,
});

/** The response to an accepted request. If it has an ID, there is a job; the next read has its status. */
export const acceptedJobSchema = z.extend(jobSchema, { status: z.catch(text, 'active') });

/** An agent job as the service last reported it. `status` may be unknown to this action. */
export type Job = z.infer<typeof jobSchema>;

/** Approximate distinct visitors. Sums and shares of larger numbers would not be exact. */
export const count = z.number().check(z.gte(0), z.lte(Number.MAX_SAFE_INTEGER));
/** A missing or invalid count is unknown, never 0: the interface doesn't require any. */
const optionalCount = z.catch(z.optional(count), undefined);
const kinds = { human: optionalCount, ai: optionalCount };

/** `null` for a row without a path or a total. */
const row = z.catch(z.nullable(z.object({ path: z.string(), ...kinds, total: count })), null);

export const visitorsPageSchema = z.object({
  totals: z.object({ ...kinds, total: optionalCount }),
  visitors: z.array(row),
  hasMore: z.boolean(),
});

/** One page of the visitors export: the site's totals, up to `limit` rows, and whether there are more. */
export type VisitorsPage = z.infer<typeof visitorsPageSchema>;
export type VisitorsRow = NonNullable<VisitorsPage['visitors'][number]>;
export type VisitorsTotals = VisitorsPage['totals'];

const errorBody = z.object({
  error: z.string(),
  details: z.optional(z.array(z.object({ message: z.string() }))),
});

/** The text of an error body (`{"error", "details"?}`); `undefined` for any other body. */
export function errorText(body: unknown): string | undefined {
  const parsed = errorBody.safeParse(body);
  if (!parsed.success) return undefined;
  const details = parsed.data.details?.map(({ message }) => message) ?? [];
  return [parsed.data.error, ...details].join('; ').slice(0, 500);
}
