import * as z from 'zod/mini';

/** No pull request's address is longer; a comment has to hold it. */
export const longestLink = 2_000;
const longestId = 500;
/** A card holds these fields, and a process whose saved state is too long cannot be started at all. */
const longestField = 300;

/** What stands for a link that cannot be used: calling it none would say that nothing was changed. */
const unusableLink = '(no usable link)';

const text = z.pipe(
  z.string().check(z.minLength(1)),
  z.transform((value) => value.slice(0, longestField).toWellFormed()),
);
/** A field that people are shown and nothing depends on: left out if it is not as documented. */
const sideField = z.catch(z.nullish(text), undefined);

const jobId = z.string().check(z.minLength(1), z.maxLength(longestId));

/** An empty link is none. Anything else means that there is a pull request, even if no one can follow it. */
const link = z.pipe(
  z.prefault(z.unknown(), null),
  z.transform((given) => {
    const address = String(given ?? '').trim() || null;
    // An address is read without its line breaks, so text below it would become part of it.
    const isUsable = address === null || (address.length <= longestLink && !/[\s\p{Cc}]/u.test(address));
    return isUsable ? address : unusableLink;
  }),
);

/**
 * The Agent job of the interface, read loosely: unknown fields pass, and only `id` and `status` are required, because the
 * interface does not say which fields are always present.
 */
export const jobSchema = z.object({
  id: jobId,
  status: text,
  prLink: link,
  source: z.catch(z.nullish(z.object({ repository: sideField, ref: sideField })), undefined),
  model: sideField,
  createdAt: sideField,
});

/** The answer to a request that was accepted: with an id there is a job. The next read has its status. */
export const takenJobSchema = z.extend(jobSchema, { status: z.catch(text, 'active') });

/** One agent job as the service last reported it. `status` may be a value this action does not know. */
export type Job = z.infer<typeof jobSchema>;

/** Approximate distinct visitors. Of larger numbers, neither sums nor shares are exact. */
const count = z.number().check(z.gte(0), z.lte(Number.MAX_SAFE_INTEGER));
/** The interface requires no count: one that is missing, or is no count, is unknown. It is never taken for 0. */
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
