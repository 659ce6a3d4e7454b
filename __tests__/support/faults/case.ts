import type { SimulatorCore } from '../../../simulator/core.ts';
import type { RouteChoice } from '../../../simulator/http/choose-request.ts';
import type { RecordedRequest } from '../../../simulator/http/messages.ts';
import { type Fault, faultAt } from './kinds.ts';

/** A fault at a request of a run; `isLasting`: at every request to the same API from there on. */
export interface FaultCase extends RouteChoice {
  readonly fault: Fault;
  readonly isLasting: boolean;
}

export interface FaultEnd {
  readonly name: string;
  readonly end: string;
  readonly problems: readonly string[];
}

/** One way to use the action, as the fault matrix plays it. */
export interface Subject {
  readonly name: string;
  /** The requests it sends when nothing happens to it, in their order. */
  requests(): Promise<readonly RecordedRequest[]>;
  /** With the product's modules in this process. */
  inProcess(one: FaultCase): Promise<FaultEnd>;
  /** With the bundle in a process of its own. */
  onBundle(one: FaultCase): Promise<FaultEnd>;
}

/** In memory an oversized answer need not be large: it is one unknown field. */
export const oversizedBytes = 256 * 1024;

/** Has the simulator do it; `bytes` where an oversized answer need not be as large as the real ones. */
export function lieInWait(
  { faults, once }: SimulatorCore,
  { fault, at, nth, isLasting }: FaultCase,
  bytes?: number,
): void {
  if (!isLasting) {
    faults.add(faultAt(fault, { at, nth }, bytes));
    return;
  }
  once({ at, nth, phase: 'arrived' }, ({ to }) => {
    const spec = faultAt(fault, { at: (request) => request.to === to }, bytes);
    faults.add({ ...spec, times: Number.POSITIVE_INFINITY });
  });
}

/** What is wrong with the case itself, and what no client may do under any fault. */
export function brokenCase({ requests, otherOrigin }: SimulatorCore): string[] {
  return [
    ...(requests.some(({ fault }) => fault !== null) ? [] : ['no request met the fault']),
    ...(otherOrigin.requests.length > 0 ? ['followed a redirect'] : []),
  ];
}

/** What a case is called where something is wrong with it. */
export function nameOf(subject: string, { fault, at, nth, isLasting }: FaultCase): string {
  return `${subject}, ${fault.name}${isLasting ? ' for good' : ''} at ${at} (${nth})`;
}
