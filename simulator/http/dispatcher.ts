import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { Dispatcher, errors } from 'undici';

import type { Delivery, IncomingRequest } from './messages.ts';

/** Answers a request. If it throws, the connection breaks. */
export type Handle = (request: IncomingRequest) => Promise<Delivery>;

/** An undici dispatcher that calls a function for each origin it knows, and can't reach any other. */
export class InMemoryDispatcher extends Dispatcher {
  readonly #hosts: ReadonlyMap<string, Handle>;

  constructor(hosts: ReadonlyMap<string, Handle>) {
    super();
    this.#hosts = hosts;
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const controller = new Controller(handler);
    handler.onRequestStart?.(controller, null);
    this.#run(options, controller).catch((error) => controller.fail(error));
    return true;
  }

  async #run(
    { origin, method, path, headers, body }: Dispatcher.DispatchOptions,
    controller: Controller,
  ): Promise<void> {
    if (controller.aborted) return;
    const handle = this.#hosts.get(String(origin));
    if (handle === undefined) {
      const error = new Error(`connect ECONNREFUSED ${origin}`);
      throw Object.assign(error, { code: 'ECONNREFUSED' });
    }
    const request = { method, target: path, headers: headersOf(headers), body: await bodyOf(body) };
    deliver(await handle(request), controller);
  }
}

/** One request, between undici's handler and the simulator. The response arrives all at once, so nothing ever pauses. */
class Controller implements Dispatcher.DispatchController {
  rawHeaders: Buffer[] = [];
  rawTrailers: Buffer[] = [];
  reason: Error | null = null;
  readonly paused = false;
  readonly #handler: Dispatcher.DispatchHandler;
  #isOver = false;

  constructor(handler: Dispatcher.DispatchHandler) {
    this.#handler = handler;
  }

  get aborted(): boolean {
    return this.reason !== null;
  }
  pause(): void {}
  resume(): void {}

  abort(reason: Error): void {
    this.reason ??= reason;
    this.fail(reason);
  }

  fail(error: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#handler.onResponseError?.(this, error);
  }

  start({ status, headers }: NonNullable<Delivery['head']>): void {
    if (this.#isOver) return;
    this.rawHeaders = Object.entries(headers)
      .flat()
      .map((text) => Buffer.from(text, 'latin1'));
    this.#handler.onResponseStart?.(this, status, { ...headers }, '');
  }

  data(chunk: Buffer): void {
    if (!this.#isOver && chunk.length > 0) this.#handler.onResponseData?.(this, chunk);
  }

  end(): void {
    if (this.#isOver) return;
    // Not closed yet: a handler may throw to turn the end into an error, as undici's retry handler does.
    this.#handler.onResponseEnd?.(this, {});
    this.#isOver = true;
  }
}

/** Instead of hanging, a request fails at once with the error that undici would eventually throw. */
function deliver({ kind, head, body = [] }: Delivery, controller: Controller): void {
  if (kind === 'hang') throw new errors.HeadersTimeoutError();
  if (head !== undefined) controller.start(head);
  for (const chunk of body) {
    controller.data(kind === 'drip' ? chunk.subarray(0, 1) : chunk);
    if (kind === 'drip') throw new errors.BodyTimeoutError();
  }
  if (kind === 'reset') throw new errors.SocketError('other side closed');
  controller.end();
}

/** The headers under lowercase names. The clients here only pass records. */
function headersOf(headers: Dispatcher.DispatchOptions['headers']): Record<string, string> {
  const given = Object.entries((headers ?? {}) as Record<string, unknown>);
  return Object.fromEntries(given.map(([name, value]) => [name.toLowerCase(), String(value)]));
}

function bodyOf(body: Dispatcher.DispatchOptions['body']): Promise<Buffer> {
  const isWhole = typeof body === 'string' || body instanceof Uint8Array;
  return buffer(Readable.from(isWhole ? [body] : ((body ?? []) as AsyncIterable<Uint8Array>)));
}
