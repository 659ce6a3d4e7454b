import { Refusal } from '../../http/api.ts';

/** The page sizes and the paging parameter of an endpoint. */
interface QueryRules {
  readonly usual: number;
  readonly most: number;
  readonly position: 'offset' | 'cursor' | undefined;
  readonly filters?: readonly string[];
}

const DATE = /^(\d{4})-(\d{2})-(\d{2})(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$/;

/** Parses a query by the interface's rules. A refusal lists everything that is wrong. */
export function parseAnalyticsQuery(
  query: Readonly<Record<string, string>>,
  { usual, most, position, filters = [] }: QueryRules,
) {
  const known = ['dateFrom', 'dateTo', 'limit', position, ...filters];
  const problems: string[] = [];
  for (const name of Object.keys(query))
    if (!known.includes(name)) problems.push(`${name}: unknown parameter`);
  const read = <T>(
    name: string,
    usual: T,
    parse: (text: string) => number | undefined,
  ): T | number => {
    const text = query[name];
    if (text === undefined) return usual;
    const value = parse(text);
    if (value === undefined) problems.push(`${name}: ${JSON.stringify(text)} is not allowed`);
    return value ?? usual;
  };
  const fromMs = read('dateFrom', undefined, dateOf);
  const toMs = read('dateTo', undefined, dateOf);
  const limit = read('limit', usual, (text) => integerOf(text, 1, most));
  const offset = read('offset', 0, (text) => integerOf(text, 0, Number.MAX_SAFE_INTEGER));
  if (fromMs !== undefined && toMs !== undefined && fromMs >= toMs)
    problems.push('dateFrom: must be before dateTo');
  if (problems.length === 0) return { fromMs, toMs, limit, offset, cursor: query.cursor };
  const body = { error: 'Validation failed', details: problems.map((message) => ({ message })) };
  throw new Refusal(400, body, { violation: problems.join('; ') });
}

function dateOf(text: string): number | undefined {
  const ms = DATE.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(ms)) return undefined;
  // Date.parse turns 31 February into a day in March.
  const day = text.slice(0, 10);
  return new Date(day).toISOString().startsWith(day) ? ms : undefined;
}

function integerOf(text: string, min: number, max: number): number | undefined {
  const value = /^-?\d+$/.test(text) ? Number(text) : Number.NaN;
  return value >= min && value <= max ? value : undefined;
}
