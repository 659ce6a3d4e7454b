import type { RequestChoice } from '../../../simulator/http/choose-request.ts';
import type { FaultKind, FaultSpec, RetryAfter } from '../../../simulator/http/faults.ts';

type Spec = FaultSpec extends infer Each
  ? Each extends FaultSpec
    ? Omit<Each, 'at' | 'nth' | 'times'>
    : never
  : never;

/** One thing that can go wrong with a request, and the effect it must have on the request that costs credits. */
export interface Fault {
  readonly name: string;
  readonly spec: Spec;
  /**
   * `passes`: the client may and does continue, to the same end. `refused`: definitely not carried out, and not worth another
   * try. `hourly`: the same for the request that costs credits; passes elsewhere. `unknown`: can't be known.
   */
  readonly costs: 'passes' | 'refused' | 'hourly' | 'unknown';
}

/**
 * The fault to inject at a request, in the simulator's format.
 *
 * @param bytes the size of an oversized response, if it can be smaller than a real one.
 */
export function faultAt({ spec }: Fault, choice: RequestChoice, bytes?: number): FaultSpec {
  return { ...spec, ...choice, ...(bytes !== undefined && spec.kind === 'oversized-json' ? { bytes } : {}) };
}

/** A fault before the request was carried out, and one after it: the client can't tell which. */
function beforeAndAfter(name: string, spec: FaultKind): Fault[] {
  return (['before', 'after-handled'] as const).map((when) => {
    return { name: `${name} ${when}`, spec: { ...spec, when }, costs: 'unknown' };
  });
}

/** With a 429, the server says that it did nothing, so there is no "after". */
function refused(name: string, costs: Fault['costs'], retryAfter?: RetryAfter): Fault {
  const when = retryAfter === undefined ? {} : { retryAfter };
  return { name: `429${name}`, spec: { kind: 'status', status: 429, ...when }, costs };
}

/** Every fault of the simulator, before the request is carried out and, if possible, after it. */
export const faults: readonly Fault[] = [
  ...beforeAndAfter('reset', { kind: 'reset' }),
  { name: 'reset in the answer', spec: { kind: 'reset', when: 'half-answer' }, costs: 'unknown' },
  ...beforeAndAfter('hang', { kind: 'hang' }),
  ...beforeAndAfter('drip', { kind: 'drip' }),
  ...[500, 502, 503, 504].flatMap((status) => beforeAndAfter(`${status}`, { kind: 'status', status })),
  { name: '503, in 5 s', spec: { kind: 'status', status: 503, retryAfter: 5 }, costs: 'unknown' },
  refused('', 'hourly'),
  refused(', in 0 s', 'passes', 0),
  refused(', in 5 s', 'passes', 5),
  refused(', in an hour', 'refused', 3600),
  refused(', at a date', 'passes', (nowMs) => new Date(nowMs + 5_000).toUTCString()),
  refused(', "soon"', 'hourly', 'soon'),
  ...beforeAndAfter('HTML', { kind: 'html' }),
  { name: 'HTML 502', spec: { kind: 'html', status: 502 }, costs: 'unknown' },
  ...beforeAndAfter('truncated', { kind: 'truncated-json' }),
  ...beforeAndAfter('oversized', { kind: 'oversized-json' }),
  // Only a real value can get a wrong type: no client could detect an invented job in the right form.
  { name: 'wrong type', spec: { kind: 'wrong-content-type', when: 'after-handled' }, costs: 'passes' },
  { name: '302', spec: { kind: 'redirect', status: 302 }, costs: 'refused' },
  { name: '307', spec: { kind: 'redirect', status: 307 }, costs: 'refused' },
  { name: '303 after', spec: { kind: 'redirect', status: 303, when: 'after-handled' }, costs: 'unknown' },
];
