import type { FaultKind, RetryAfter, TimedFault } from '../../../simulator/http/faults.ts';

/** A fault, and what it means for the request that costs credits. */
export interface Fault {
  readonly name: string;
  readonly spec: TimedFault;
  /**
   * `passes`: a retry succeeds. `refused`: the service did nothing, and a retry won't help. `hourly`: like `refused` for the
   * request that costs credits, and like `passes` for others. `unknown`: the client can't know whether the service did
   * anything.
   */
  readonly costs: 'passes' | 'refused' | 'hourly' | 'unknown';
}

/** A fault before the request is handled, and one after it. The client can't tell them apart. */
function beforeAndAfter(name: string, spec: FaultKind): Fault[] {
  return (['before', 'after-handled'] as const).map((when) => {
    return { name: `${name} ${when}`, spec: { ...spec, when }, costs: 'unknown' };
  });
}

/** A 429 means that the server did nothing, so this fault never comes after the request is handled. */
function refused(name: string, costs: Fault['costs'], retryAfter?: RetryAfter): Fault {
  const when = retryAfter === undefined ? {} : { retryAfter };
  return { name: `429${name}`, spec: { kind: 'status', status: 429, ...when }, costs };
}

/** All faults of the simulator, before the request is handled and, where possible, after it. */
export const faults: readonly Fault[] = [
  ...beforeAndAfter('reset', { kind: 'reset' }),
  { name: 'reset in the answer', spec: { kind: 'reset', when: 'half-answer' }, costs: 'unknown' },
  ...beforeAndAfter('hang', { kind: 'hang' }),
  ...beforeAndAfter('drip', { kind: 'drip' }),
  ...[500, 502, 503, 504].flatMap((status) =>
    beforeAndAfter(`${status}`, { kind: 'status', status }),
  ),
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
  // This fault needs a real response, because no client could detect a made-up job.
  {
    name: 'wrong type',
    spec: { kind: 'wrong-content-type', when: 'after-handled' },
    costs: 'passes',
  },
  { name: '302', spec: { kind: 'redirect', status: 302 }, costs: 'refused' },
  { name: '307', spec: { kind: 'redirect', status: 307 }, costs: 'refused' },
  {
    name: '303 after',
    spec: { kind: 'redirect', status: 303, when: 'after-handled' },
    costs: 'unknown',
  },
];
