import { plausible } from './fault-answers.ts';
import type { Delivery, IncomingRequest } from './messages.ts';

/** A server that no client should reach: a client that does has followed a redirect. */
export interface OtherOrigin {
  readonly url: string;
  readonly requests: readonly IncomingRequest[];
}

/** Keeps every request and answers as if all were well: a client that follows redirects is to be noticed, not stopped. */
export function recordingHandler(
  requests: IncomingRequest[],
): (request: IncomingRequest) => Promise<Delivery> {
  return async (request) => {
    requests.push(request);
    return { kind: 'answer', answer: plausible() };
  };
}
