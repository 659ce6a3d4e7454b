import * as z from 'zod/mini';

/** No status, model, branch or date is longer; a process that is handed a long state cannot be started at all. */
const longestSideField = 300;
const longestId = 500;
/** No pull request's address is longer; a comment has to hold it. */
export const longestLink = 2_000;

/** What stands for a link that is there and cannot be used: to call it none would say that nothing was changed. */
const unusableLink = '(no usable link)';

/** An id that cannot stand in a URL path could never be asked for again. */
const jobId = z.string().check(
  z.maxLength(longestId),
  z.refine(
    (id) => id.trim() !== '' && id !== '.' && id !== '..' && id.isWellFormed(),
    'an id that fits into a path',
  ),
);

const shortText = z.pipe(
  z.string().check(z.minLength(1)),
  z.transform((text) => text.slice(0, longestSideField).toWellFormed()),
);
/** A field that people are told of, and that nothing depends on: left out where it is not as documented. */
const sideField = z.catch(z.optional(z.nullable(shortText)), undefined);

/** An empty link is none. */
const link = z.pipe(
  z.prefault(z.unknown(), null),
  z.transform((given) => {
    if (given === null) return null;
    if (typeof given !== 'string' || given.length > longestLink) return unusableLink;
    return given.trim() === '' ? null : given;
  }),
);

/**
 * The Agent job of the interface, read loosely: unknown fields pass, and only `id` and `status` must be there, since which
 * fields are always present is not documented.
 */
export const jobSchema = z.object({
  id: jobId,
  status: shortText,
  prLink: link,
  source: z.catch(z.optional(z.nullable(z.object({ repository: sideField, ref: sideField }))), undefined),
  model: sideField,
  createdAt: sideField,
  archivedAt: sideField,
});

/** The answer to a request that was taken: with an id there is a job. How it stands, the next look tells. */
export const takenJobSchema = z.extend(jobSchema, { status: z.catch(shortText, 'active') });

/** One agent job as the service last told it. `status` may be a value this action does not know. */
export type Job = z.infer<typeof jobSchema>;

/** Approximate distinct visitors; the schema says number, so fractions are possible. */
const count = z.number().check(z.gte(0));
/** Left out where it is not as documented: the interface marks no count as required, and what is not told is not known. */
const toldCount = z.catch(z.optional(count), undefined);
const kinds = { human: toldCount, ai: toldCount };

/** `null` for a row that says nothing: without a path or without a total. */
const row = z.catch(z.nullable(z.object({ path: z.string(), ...kinds, total: count })), null);

export const visitorsPageSchema = z.object({
  totals: z.object({ ...kinds, total: z.catch(count, 0) }),
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

/** The text of an error body (`{"error", "details"?}`), or `undefined` where the body is none. */
export function errorText(body: unknown): string | undefined {
  const parsed = errorBody.safeParse(body);
  if (!parsed.success) return undefined;
  const details = parsed.data.details?.map(({ message }) => message) ?? [];
  return [parsed.data.error, ...details].join('; ').slice(0, 500);
}
