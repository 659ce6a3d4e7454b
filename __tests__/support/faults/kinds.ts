import type { RequestChoice } from '../../../simulator/http/choose-request.ts';
import type { FaultSpec } from '../../../simulator/http/faults.ts';

type Spec = FaultSpec extends infer Each
  ? Each extends FaultSpec
    ? Omit<Each, 'at' | 'nth' | 'times'>
    : never
  : never;

/** One thing that can go wrong with a request, and what it must mean for the one request that costs. */
export interface Fault {
  readonly name: string;
  readonly spec: Spec;
  /**
   * `passes`: the client may and does go on, to the same end. `refused`: certainly not carried out, and not worth another try. `hourly`: the
   * same for the request that costs, and passes elsewhere. `unknown`: it can't be known.
   */
  readonly costs: 'passes' | 'refused' | 'hourly' | 'unknown';
}

/**
 * The fault at a request, as the simulator takes it.
 *
 * @param bytes the size of an oversized answer, where it need not be as large as a real one.
 */
export function faultAt({ spec }: Fault, choice: RequestChoice, bytes?: number): FaultSpec {
  return { ...spec, ...choice, ...(bytes !== undefined && spec.kind === 'oversized-json' ? { bytes } : {}) };
}

const before = { when: 'before' } as const;
const after = { when: 'after-handled' } as const;
const seconds = (count: number) => ({ retryAfter: { form: 'seconds', seconds: count } }) as const;

/** Every fault of the simulator, before the request was carried out and after it, where that is a thing that happens. */
export const faults: readonly Fault[] = [
  { name: 'reset before', spec: { kind: 'reset', ...before }, costs: 'unknown' },
  { name: 'reset after', spec: { kind: 'reset', ...after }, costs: 'unknown' },
  { name: 'reset in the answer', spec: { kind: 'reset', when: 'half-answer' }, costs: 'unknown' },
  { name: 'hang before', spec: { kind: 'hang', ...before }, costs: 'unknown' },
  { name: 'hang after', spec: { kind: 'hang', ...after }, costs: 'unknown' },
  { name: 'drip before', spec: { kind: 'drip', ...before }, costs: 'unknown' },
  { name: 'drip after', spec: { kind: 'drip', ...after }, costs: 'unknown' },
  ...[500, 502, 503, 504].flatMap((status): Fault[] => [
    { name: `${status} before`, spec: { kind: 'status', status, ...before }, costs: 'unknown' },
    { name: `${status} after`, spec: { kind: 'status', status, ...after }, costs: 'unknown' },
  ]),
  { name: '503, in 5 s', spec: { kind: 'status', status: 503, ...seconds(5), ...before }, costs: 'unknown' },
  // A 429 is the server's word that it did nothing: there is no "after".
  { name: '429', spec: { kind: 'status', status: 429, ...before }, costs: 'hourly' },
  { name: '429, in 0 s', spec: { kind: 'status', status: 429, ...seconds(0), ...before }, costs: 'passes' },
  { name: '429, in 5 s', spec: { kind: 'status', status: 429, ...seconds(5), ...before }, costs: 'passes' },
  {
    name: '429, in an hour',
    spec: { kind: 'status', status: 429, ...seconds(3600), ...before },
    costs: 'refused',
  },
  {
    name: '429, at a date',
    spec: { kind: 'status', status: 429, retryAfter: { form: 'http-date', seconds: 5 }, ...before },
    costs: 'passes',
  },
  {
    name: '429, "soon"',
    spec: { kind: 'status', status: 429, retryAfter: { form: 'raw', value: 'soon' }, ...before },
    costs: 'hourly',
  },
  { name: 'HTML before', spec: { kind: 'html', ...before }, costs: 'unknown' },
  { name: 'HTML after', spec: { kind: 'html', ...after }, costs: 'unknown' },
  { name: 'HTML 502', spec: { kind: 'html', status: 502, ...before }, costs: 'unknown' },
  { name: 'truncated before', spec: { kind: 'truncated-json', ...before }, costs: 'unknown' },
  { name: 'truncated after', spec: { kind: 'truncated-json', ...after }, costs: 'unknown' },
  { name: 'oversized before', spec: { kind: 'oversized-json', ...before }, costs: 'unknown' },
  { name: 'oversized after', spec: { kind: 'oversized-json', ...after }, costs: 'unknown' },
  // Only the truth can come in a wrong type: a made-up job would be a lie that no client could see through.
  { name: 'wrong type', spec: { kind: 'wrong-content-type', ...after }, costs: 'passes' },
  { name: '302', spec: { kind: 'redirect', status: 302, ...before }, costs: 'refused' },
  { name: '307', spec: { kind: 'redirect', status: 307, ...before }, costs: 'refused' },
  { name: '303 after', spec: { kind: 'redirect', status: 303, ...after }, costs: 'unknown' },
];
