import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { Dispatcher, errors } from 'undici';

import type { Delivery, IncomingRequest } from './messages.ts';

/** Responds to a request. If it throws, the connection breaks. */
export type Handle = (request: IncomingRequest) => Promise<Delivery>;

/** An undici dispatcher that passes requests to a function for each origin, and can't reach the network. */
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

/** Connects one request to undici's handler. The response arrives all at once, so nothing ever pauses. */
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
    // The request isn't over yet, because a handler may throw here to turn the end into an error.
    this.#handler.onResponseEnd?.(this, {});
    this.#isOver = true;
  }
}

/** Instead of hanging, the request fails immediately with the error that undici would eventually throw. */
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

/** The clients under test pass headers only as records. */
function headersOf(headers: Dispatcher.DispatchOptions['headers']): Record<string, string> {
  const given = Object.entries((headers ?? {}) as Record<string, unknown>);
  return Object.fromEntries(given.map(([name, value]) => [name.toLowerCase(), String(value)]));
}

function bodyOf(body: Dispatcher.DispatchOptions['body']): Promise<Buffer> {
  const isWhole = typeof body === 'string' || body instanceof Uint8Array;
  return buffer(Readable.from(isWhole ? [body] : ((body ?? []) as AsyncIterable<Uint8Array>)));
}
