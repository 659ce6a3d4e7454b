import * as z from 'zod/mini';
import { mapSchema, scrubbedText } from '../core/mapped.ts';
import { truncate } from '../text/markdown.ts';
import { changeScrubbed, type ScrubbedData } from '../text/scrub.ts';

/** Longer than any real pull request's URL, and short enough for a comment. */
export const maxLink = 2_000;
/** Cards contain these fields. If the saved state is too long, the `post` process can't start. */
const maxField = 300;
const maxSaid = 500;

const text = mapSchema(scrubbedText.check(z.refine((value) => value !== '')), (value): string =>
  truncate(value, maxField),
);
/** A field that is only displayed. If it isn't in the documented form, it is dropped. */
const sideField = z.catch(z.nullish(text), undefined);

/**
 * An empty link means that there is no pull request. Any other value means that there is one, even
 * if the link is broken.
 */
const link = mapSchema(z.prefault(z.unknown(), null), (value) => {
  const address = String(value ?? '').trim();
  if (address === '') return null;
  // URL parsers drop line breaks, so text on the line below a URL would become part of the URL.
  const isUsable = address.length <= maxLink && !/[\s\p{Cc}]/u.test(address);
  // Without a link, users would think that the job changed nothing.
  return isUsable ? address : '(no usable link)';
});

/**
 * A job, parsed loosely: the API documentation doesn't say which fields are always present, so most
 * are optional.
 */
export const jobSchema = z.object({
  id: z.string().check(z.minLength(1), z.maxLength(500)),
  status: text,
  prLink: link,
  source: z.catch(z.nullish(z.object({ repository: sideField, ref: sideField })), undefined),
  model: sideField,
  createdAt: sideField,
});

/**
 * The response to an accepted request. An `id` proves that there is a job, so a missing status
 * doesn't matter.
 */
export const acceptedJobSchema = z.extend(jobSchema, { status: z.catch(text, 'active') });

/** A job as last reported by the service. Its status may be undocumented. */
export type Job = z.infer<typeof jobSchema>;

/**
 * An approximate number of distinct visitors. Above this limit, sums and shares wouldn't be exact.
 */
export const count = z.number().check(z.gte(0), z.lte(Number.MAX_SAFE_INTEGER));
/**
 * A missing or invalid count is unknown, not 0, because the API documentation doesn't require
 * counts.
 */
const optionalCount = z.catch(z.optional(count), undefined);
const kinds = { human: optionalCount, ai: optionalCount };
const row = z.object({ path: scrubbedText, ...kinds, total: count });

/** The site's totals, and up to `limit` rows; `null` for a row without a path or a total. */
export const visitorsPageSchema = z.object({
  totals: z.object({ ...kinds, total: optionalCount }),
  visitors: z.array(z.catch(z.nullable(row), null)),
  hasMore: z.boolean(),
});

export type VisitorsPage = z.infer<typeof visitorsPageSchema>;
export type VisitorsRow = z.infer<typeof row>;
export type VisitorsTotals = VisitorsPage['totals'];

const errorBody = z.object({
  error: scrubbedText,
  details: z.optional(z.array(z.object({ message: scrubbedText }))),
});

/** The text of an error response (`{"error", "details"?}`); `undefined` for any other body. */
export function errorText(body: ScrubbedData | undefined): string | undefined {
  const { data } = errorBody.safeParse(body);
  if (data === undefined) return undefined;
  const details = data.details?.map(({ message }) => message) ?? [];
  const all = changeScrubbed(data.error, (error) => [error, ...details].join('; '));
  return truncate(all, maxSaid);
}
