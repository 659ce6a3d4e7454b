/** The forms that servers give a Retry-After; `raw` is sent as it is. */
export type RetryAfter =
  | { readonly form: 'seconds'; readonly seconds: number }
  | { readonly form: 'http-date'; readonly seconds: number }
  | { readonly form: 'raw'; readonly value: string };

/** The Retry-After header, or no header if there is nothing to say. */
export function retryAfterHeader(retryAfter: RetryAfter | undefined, nowMs: number): Record<string, string> {
  switch (retryAfter?.form) {
    case undefined:
      return {};
    case 'seconds':
      return { 'retry-after': String(retryAfter.seconds) };
    case 'http-date': {
      // A date has whole seconds: rounded up, so that nobody comes back too early.
      const atMs = Math.ceil(nowMs / 1000 + retryAfter.seconds) * 1000;
      return { 'retry-after': new Date(atMs).toUTCString() };
    }
    case 'raw':
      return { 'retry-after': retryAfter.value };
  }
}
