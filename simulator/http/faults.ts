import type { Answer, Delivery, RecordedRequest } from './exchange.ts';
import * as answers from './fault-answers.ts';

/** What the client meets instead of the answer. */
export type FaultKind =
  | { readonly kind: 'reset' }
  | { readonly kind: 'hang' }
  | { readonly kind: 'drip'; readonly everyMs?: number }
  | { readonly kind: 'status'; readonly status: number; readonly retryAfter?: answers.RetryAfter }
  | { readonly kind: 'html'; readonly status?: number }
  | { readonly kind: 'truncated-json' }
  | { readonly kind: 'oversized-json'; readonly bytes?: number }
  | { readonly kind: 'wrong-content-type' }
  | { readonly kind: 'redirect'; readonly location?: string; readonly status?: number };

/**
 * `before`: the world never sees the request. `after-handled`: it did its work, the client never learns.
 * `half-answer`: half of the true body is sent, then the connection breaks.
 */
export type FaultSpec = {
  /** A request's number, or what picks it. */
  readonly at: number | ((request: RecordedRequest) => boolean);
  /** How many matching requests meet it; once unless told otherwise. */
  readonly times?: number;
} & (
  | (FaultKind & { readonly when?: 'before' | 'after-handled' })
  | { readonly kind: 'reset'; readonly when: 'half-answer' }
);

/** A fault picked for one request. */
export interface TakenFault {
  readonly kind: FaultKind['kind'];
  readonly when: 'before' | 'after-handled' | 'half-answer';
  /** `answer` is the world's, where it was asked. */
  deliver(answer: Answer | undefined): Delivery;
}

/** The faults that lie in wait between the clients and the worlds. */
export class Faults {
  readonly #waiting: { spec: FaultSpec; left: number }[] = [];
  readonly #otherOrigin: () => string;
  readonly #now: () => number;

  constructor(otherOrigin: () => string, now: () => number) {
    this.#otherOrigin = otherOrigin;
    this.#now = now;
  }

  add(spec: FaultSpec): void {
    this.#waiting.push({ spec, left: spec.times ?? 1 });
  }

  /** How many faults have not been met yet. */
  get pending(): number {
    return this.#waiting.reduce((sum, { left }) => sum + left, 0);
  }

  clear(): void {
    this.#waiting.length = 0;
  }

  /** The first fault waiting for this request, used up by the asking. */
  take(request: RecordedRequest): TakenFault | undefined {
    const index = this.#waiting.findIndex(({ spec: { at } }) =>
      typeof at === 'number' ? at === request.n : at(request),
    );
    const found = this.#waiting[index];
    if (found === undefined) return undefined;
    found.left -= 1;
    if (found.left <= 0) this.#waiting.splice(index, 1);
    const { spec } = found;
    if (spec.when === 'half-answer') return { kind: spec.kind, when: spec.when, deliver: cutInHalf };
    return { kind: spec.kind, when: spec.when ?? 'before', deliver: (answer) => this.#deliver(spec, answer) };
  }

  #deliver(fault: FaultKind, handled: Answer | undefined): Delivery {
    const truth = handled ?? answers.plausible();
    switch (fault.kind) {
      case 'reset':
        return { kind: 'reset' };
      case 'hang':
        return { kind: 'hang' };
      case 'drip':
        return { kind: 'drip', answer: truth, everyMs: fault.everyMs ?? 200 };
      case 'status':
        return { kind: 'answer', answer: answers.errorStatus(fault.status, fault.retryAfter, this.#now()) };
      case 'html':
        return { kind: 'answer', answer: answers.htmlPage(fault.status ?? 200) };
      case 'truncated-json':
        return { kind: 'answer', answer: answers.truncated(truth) };
      case 'oversized-json':
        return { kind: 'flood', bytes: fault.bytes ?? 40 * 1024 * 1024 };
      case 'wrong-content-type':
        return { kind: 'answer', answer: answers.asText(truth) };
      case 'redirect':
        return {
          kind: 'answer',
          answer: answers.redirect(fault.status ?? 302, fault.location ?? `${this.#otherOrigin()}/elsewhere`),
        };
    }
  }
}

function cutInHalf(answer: Answer | undefined): Delivery {
  const truth = answer ?? answers.plausible();
  return { kind: 'cut', answer: truth, bytes: Math.floor(truth.body.length / 2) };
}
