import type { Answer } from './exchange.ts';

/** Every form a Retry-After has been seen in. `raw` is sent as it stands. */
export type RetryAfter =
  | { readonly form: 'seconds'; readonly seconds: number }
  | { readonly form: 'http-date'; readonly seconds: number }
  | { readonly form: 'raw'; readonly value: string };

/** The header's value, or nothing where there is none. */
export function retryAfterHeader(retryAfter: RetryAfter | undefined, nowMs: number): Record<string, string> {
  if (retryAfter === undefined) return {};
  switch (retryAfter.form) {
    case 'seconds':
      return { 'retry-after': String(retryAfter.seconds) };
    case 'http-date':
      return { 'retry-after': new Date(nowMs + retryAfter.seconds * 1000).toUTCString() };
    case 'raw':
      return { 'retry-after': retryAfter.value };
  }
}

const JSON_TYPE = 'application/json; charset=utf-8';

export function jsonAnswer(status: number, body: unknown, headers: Record<string, string> = {}): Answer {
  return {
    status,
    headers: { 'content-type': JSON_TYPE, ...headers },
    body: Buffer.from(JSON.stringify(body)),
  };
}

/** An error as a gateway in front of either API gives it: both clients must read it. */
export function errorStatus(status: number, retryAfter: RetryAfter | undefined, nowMs: number): Answer {
  const text = `Simulated fault ${status}`;
  return jsonAnswer(status, { error: text, message: text }, retryAfterHeader(retryAfter, nowMs));
}

export function htmlPage(status: number): Answer {
  const body =
    '<!DOCTYPE html><html><head><title>Just a moment…</title></head><body><h1>Checking</h1></body></html>';
  return { status, headers: { 'content-type': 'text/html; charset=utf-8' }, body: Buffer.from(body) };
}

/** The true answer with its second half missing, sent as if it were whole. */
export function truncated(answer: Answer): Answer {
  return { ...answer, body: answer.body.subarray(0, Math.max(1, Math.floor(answer.body.length / 2))) };
}

export function asText(answer: Answer): Answer {
  return { ...answer, headers: { ...answer.headers, 'content-type': 'text/plain' } };
}

export function redirect(status: number, location: string): Answer {
  return { status, headers: { location, 'content-type': 'text/plain' }, body: Buffer.from('Moved') };
}

/** Something that looks like success where the world was never asked. */
export function plausible(): Answer {
  return jsonAnswer(200, { id: 'never-created', status: 'active', note: 'x'.repeat(64) });
}

const FLOOD_HEAD = Buffer.from('{"padding":"');
const FLOOD_TAIL = Buffer.from('"}');
const FLOOD_CHUNK = Buffer.alloc(64 * 1024, 'x');

/** A JSON document of about `bytes` bytes, piece by piece, so that nobody holds it whole. */
export function* flood(bytes: number): Generator<Buffer> {
  yield FLOOD_HEAD;
  for (let sent = 0; sent < bytes; sent += FLOOD_CHUNK.length) yield FLOOD_CHUNK;
  yield FLOOD_TAIL;
}
