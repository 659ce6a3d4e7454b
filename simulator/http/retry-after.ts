/** The forms in which servers have been seen to say when to come back; `raw` is sent as it stands. */
export type RetryAfter =
  | { readonly form: 'seconds'; readonly seconds: number }
  | { readonly form: 'http-date'; readonly seconds: number }
  | { readonly form: 'raw'; readonly value: string };

/** The Retry-After header; no header where there is nothing to say. */
export function retryAfterHeader(retryAfter: RetryAfter | undefined, nowMs: number): Record<string, string> {
  switch (retryAfter?.form) {
    case undefined:
      return {};
    case 'seconds':
      return { 'retry-after': String(retryAfter.seconds) };
    case 'http-date': {
      // A date has whole seconds; rounded down, it would call the client back too early.
      const atMs = Math.ceil(nowMs / 1000 + retryAfter.seconds) * 1000;
      return { 'retry-after': new Date(atMs).toUTCString() };
    }
    case 'raw':
      return { 'retry-after': retryAfter.value };
  }
}
