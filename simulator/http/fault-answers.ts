import { type Answer, jsonAnswer } from './messages.ts';

/** The forms that servers give a Retry-After; `raw` is sent as it is. */
export type RetryAfter =
  | { readonly form: 'seconds'; readonly seconds: number }
  | { readonly form: 'http-date'; readonly seconds: number }
  | { readonly form: 'raw'; readonly value: string };

/** The Retry-After header, or no header if there is nothing to say. */
function retryAfterHeader(retryAfter: RetryAfter | undefined, nowMs: number): Record<string, string> {
  switch (retryAfter?.form) {
    case undefined:
      return {};
    case 'seconds':
      return { 'retry-after': String(retryAfter.seconds) };
    case 'http-date': {
      // A date has whole seconds: rounded up, so that no client comes back too early.
      const atMs = Math.ceil(nowMs / 1000 + retryAfter.seconds) * 1000;
      return { 'retry-after': new Date(atMs).toUTCString() };
    }
    case 'raw':
      return { 'retry-after': retryAfter.value };
  }
}

/** An error of a gateway in front of both APIs, with the fields that either client looks for. */
export function errorStatus(status: number, retryAfter: RetryAfter | undefined, nowMs: number): Answer {
  const text = `Simulated fault ${status}`;
  return jsonAnswer(status, { error: text, message: text }, retryAfterHeader(retryAfter, nowMs));
}

export function htmlPage(status: number): Answer {
  const body =
    '<!DOCTYPE html><html><head><title>Just a moment…</title></head><body><h1>Checking</h1></body></html>';
  return { status, headers: { 'content-type': 'text/html; charset=utf-8' }, body: Buffer.from(body) };
}

/** The answer with half of its body missing, sent as if that were all. */
export function truncated(answer: Answer): Answer {
  return { ...answer, body: answer.body.subarray(0, Math.max(1, Math.floor(answer.body.length / 2))) };
}

export function asText(answer: Answer): Answer {
  return { ...answer, headers: { ...answer.headers, 'content-type': 'text/plain' } };
}

export function redirect(status: number, location: string): Answer {
  return { status, headers: { location, 'content-type': 'text/plain' }, body: Buffer.from('Moved') };
}

/** An answer that looks like success, for faults that spoil an answer although no API was asked. */
export function plausible(): Answer {
  return jsonAnswer(200, { id: 'never-created', status: 'active', note: 'x'.repeat(64) });
}

const FLOOD_HEAD = Buffer.from('{"padding":"');
const FLOOD_TAIL = Buffer.from('"}');
const FLOOD_CHUNK = Buffer.alloc(64 * 1024, 'x');

/** A JSON document of about `bytes` bytes, in chunks, so that it is never in memory as a whole. */
export function* flood(bytes: number): Generator<Buffer> {
  yield FLOOD_HEAD;
  for (let sent = 0; sent < bytes; sent += FLOOD_CHUNK.length) yield FLOOD_CHUNK;
  yield FLOOD_TAIL;
}
