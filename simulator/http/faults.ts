import { type RequestChoice, RequestFinder } from './choose-request.ts';
import * as answers from './fault-answers.ts';
import type { Answer, Delivery, RecordedRequest, Route } from './messages.ts';

/** What the client gets instead of the answer. */
export type FaultKind =
  | { readonly kind: 'reset' }
  | { readonly kind: 'hang' }
  | { readonly kind: 'drip' }
  | { readonly kind: 'status'; readonly status: number; readonly retryAfter?: answers.RetryAfter }
  | { readonly kind: 'html'; readonly status?: number }
  | { readonly kind: 'truncated-json' }
  | { readonly kind: 'oversized-json'; readonly bytes?: number }
  | { readonly kind: 'wrong-content-type' }
  | { readonly kind: 'redirect'; readonly status?: number };

/**
 * A fault, and the request that it happens to. `before` (the default): the API never sees the request. `after-handled`: the
 * API does its work, and the client does not get its answer. `half-answer`: half of the body is sent, then the connection
 * breaks.
 */
export type FaultSpec = RequestChoice & {
  /** To how many requests it happens: the chosen one and the matches after it; to one by default. */
  readonly times?: number;
} & (
    | (FaultKind & { readonly when?: 'before' | 'after-handled' })
    | { readonly kind: 'reset'; readonly when: 'half-answer' }
  );

export interface FaultSurroundings {
  /** The routes by which a request can be chosen. */
  readonly routes: readonly Route[];
  /** Where redirects point to by default. */
  readonly otherOrigin: () => string;
  readonly now: () => number;
}

/** The faults that are waiting for their requests. */
export class Faults {
  readonly #waiting: { readonly spec: FaultSpec; readonly finder: RequestFinder; left: number }[] = [];
  readonly #surroundings: FaultSurroundings;

  constructor(surroundings: FaultSurroundings) {
    this.#surroundings = surroundings;
  }

  add(spec: FaultSpec): void {
    const finder = new RequestFinder(spec, this.#surroundings.routes);
    this.#waiting.push({ spec, finder, left: spec.times ?? 1 });
  }

  /** How many faults are still to happen. */
  get pending(): number {
    return this.#waiting.reduce((sum, { left }) => sum + left, 0);
  }

  clear(): void {
    this.#waiting.length = 0;
  }

  /** The fault that happens to this request, used up by this call; of several, the one that was added first. */
  take(request: RecordedRequest): FaultSpec | undefined {
    const [taken] = this.#waiting.filter(({ finder }) => finder.show(request));
    if (taken === undefined) return undefined;
    taken.left -= 1;
    if (taken.left <= 0) this.#waiting.splice(this.#waiting.indexOf(taken), 1);
    return taken.spec;
  }

  /** What the client gets because of a fault; `answer` is the API's, if it was asked. */
  deliver(fault: FaultSpec, answer: Answer = answers.plausible()): Delivery {
    const { otherOrigin, now } = this.#surroundings;
    if (fault.when === 'half-answer')
      return { kind: 'cut', answer, bytes: Math.floor(answer.body.length / 2) };
    switch (fault.kind) {
      case 'reset':
        return { kind: 'reset' };
      case 'hang':
        return { kind: 'hang' };
      case 'drip':
        return { kind: 'drip', answer };
      case 'status':
        return { kind: 'answer', answer: answers.errorStatus(fault.status, fault.retryAfter, now()) };
      case 'html':
        return { kind: 'answer', answer: answers.htmlPage(fault.status ?? 200) };
      case 'truncated-json':
        return { kind: 'answer', answer: answers.truncated(answer) };
      case 'oversized-json':
        return { kind: 'flood', bytes: fault.bytes ?? 40 * 1024 * 1024 };
      case 'wrong-content-type':
        return { kind: 'answer', answer: answers.asText(answer) };
      case 'redirect':
        return {
          kind: 'answer',
          answer: answers.redirect(fault.status ?? 302, `${otherOrigin()}/elsewhere`),
        };
    }
  }
}
