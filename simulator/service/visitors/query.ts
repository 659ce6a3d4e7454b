import { Refusal } from '../../http/api.ts';

/** A visitors request as the endpoint understands it. */
export interface VisitorsQuery {
  /** In milliseconds since the epoch; `undefined` if it was not given. */
  readonly fromMs: number | undefined;
  /** Exclusive. */
  readonly toMs: number | undefined;
  readonly limit: number;
  readonly offset: number;
}

const KNOWN = new Set(['dateFrom', 'dateTo', 'limit', 'offset']);
const DATE = /^(\d{4})-(\d{2})-(\d{2})(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$/;

/** Reads a query by the interface's rules; refuses it once, with everything that is wrong with it. */
export function parseVisitorsQuery(query: Readonly<Record<string, string>>): VisitorsQuery {
  const problems: string[] = [];
  for (const name of Object.keys(query)) if (!KNOWN.has(name)) problems.push(`${name}: unknown parameter`);
  const fromMs = readDate(query, 'dateFrom', problems);
  const toMs = readDate(query, 'dateTo', problems);
  const limit = readInteger(query, 'limit', { fallback: 50, min: 1, max: 250 }, problems);
  const offset = readInteger(
    query,
    'offset',
    { fallback: 0, min: 0, max: Number.MAX_SAFE_INTEGER },
    problems,
  );
  if (fromMs !== undefined && toMs !== undefined && fromMs >= toMs)
    problems.push('dateFrom: must be before dateTo');
  if (problems.length === 0) return { fromMs, toMs, limit, offset };
  const body = { error: 'Validation failed', details: problems.map((message) => ({ message })) };
  throw new Refusal(400, body, { violation: problems.join('; ') });
}

function readDate(
  query: Readonly<Record<string, string>>,
  name: string,
  problems: string[],
): number | undefined {
  const text = query[name];
  if (text === undefined) return undefined;
  const ms = DATE.test(text) ? Date.parse(text) : Number.NaN;
  // Date.parse lets 31 February roll over into March; a calendar does not.
  const isDay =
    !Number.isNaN(ms) &&
    new Date(`${text.slice(0, 10)}T00:00:00Z`).toISOString().startsWith(text.slice(0, 10));
  if (isDay) return ms;
  problems.push(`${name}: invalid date ${JSON.stringify(text)}`);
  return undefined;
}

function readInteger(
  query: Readonly<Record<string, string>>,
  name: string,
  { fallback, min, max }: { fallback: number; min: number; max: number },
  problems: string[],
): number {
  const text = query[name];
  if (text === undefined) return fallback;
  const value = /^-?\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  problems.push(`${name}: ${JSON.stringify(text)} is not an integer of ${min} to ${max}`);
  return fallback;
}
