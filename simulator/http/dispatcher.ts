import { Readable } from 'node:stream';
import { Dispatcher, errors } from 'undici';

import { flood } from './faults.ts';
import type { Answer, Delivery, IncomingRequest } from './messages.ts';

/** Answers a request; what it throws breaks the connection. */
export type Handle = (request: IncomingRequest) => Promise<Delivery>;

/** An undici dispatcher that calls a function for each origin that it knows, and reaches no other. */
export class InMemoryDispatcher extends Dispatcher {
  readonly #hosts: ReadonlyMap<string, Handle>;

  constructor(hosts: ReadonlyMap<string, Handle>) {
    super();
    this.#hosts = hosts;
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const controller = new Controller(handler);
    handler.onRequestStart?.(controller, null);
    if (!controller.aborted) void this.#run(options, controller);
    return true;
  }

  override close(callback?: () => void): Promise<void> {
    callback?.();
    return Promise.resolve();
  }

  override destroy(...args: unknown[]): Promise<void> {
    const callback = args.at(-1);
    if (typeof callback === 'function') callback();
    return Promise.resolve();
  }

  async #run(options: Dispatcher.DispatchOptions, controller: Controller): Promise<void> {
    try {
      const origin = String(options.origin ?? '');
      const handle = this.#hosts.get(origin);
      if (handle === undefined) throw refused(origin);
      const request: IncomingRequest = {
        method: options.method,
        target: targetOf(options),
        headers: headersOf(options.headers),
        body: await bodyOf(options.body),
      };
      await deliver(await handle(request), controller);
    } catch (error) {
      controller.fail(error instanceof Error ? error : new Error(String(error)));
    }
  }
}

/** One request, between undici's handler and the simulator. */
class Controller implements Dispatcher.DispatchController {
  rawHeaders: Buffer[] = [];
  rawTrailers: Buffer[] = [];
  readonly #handler: Dispatcher.DispatchHandler;
  #reason: Error | null = null;
  #isOver = false;
  #paused: { readonly promise: Promise<void>; readonly resolve: () => void } | undefined;

  constructor(handler: Dispatcher.DispatchHandler) {
    this.#handler = handler;
  }

  get aborted(): boolean {
    return this.#reason !== null;
  }
  get reason(): Error | null {
    return this.#reason;
  }
  get paused(): boolean {
    return this.#paused !== undefined;
  }

  abort(reason: Error): void {
    this.#reason ??= reason;
    this.resume();
    this.fail(reason);
  }
  pause(): void {
    this.#paused ??= Promise.withResolvers<void>();
  }
  resume(): void {
    this.#paused?.resolve();
    this.#paused = undefined;
  }

  fail(error: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#handler.onResponseError?.(this, error);
  }

  start({ status, headers }: Pick<Answer, 'status' | 'headers'>): void {
    if (this.#isOver) return;
    this.rawHeaders = Object.entries(headers)
      .flat()
      .map((text) => Buffer.from(text, 'latin1'));
    this.#handler.onResponseStart?.(this, status, { ...headers }, '');
  }

  /** Passes a chunk on and waits until the client can take more; false once the client has gone. */
  async data(chunk: Buffer): Promise<boolean> {
    if (this.#isOver) return false;
    if (chunk.length > 0) this.#handler.onResponseData?.(this, chunk);
    await this.#paused?.promise;
    return !this.#isOver;
  }

  end(): void {
    if (this.#isOver) return;
    // Still open here: a handler may throw to turn the end into an error, as undici's retry handler does.
    this.#handler.onResponseEnd?.(this, {});
    this.#isOver = true;
  }
}

async function deliver(delivery: Delivery, controller: Controller): Promise<void> {
  switch (delivery.kind) {
    case 'answer':
      controller.start(withLength(delivery.answer));
      if (await controller.data(delivery.answer.body)) controller.end();
      return;
    case 'reset':
      throw socketError();
    case 'hang':
      // Instead of hanging, the request fails at once with the error that undici would give it in the end.
      throw new errors.HeadersTimeoutError();
    case 'drip':
      controller.start(withLength(delivery.answer));
      await controller.data(delivery.answer.body.subarray(0, 1));
      throw new errors.BodyTimeoutError();
    case 'cut':
      controller.start(withLength(delivery.answer));
      await controller.data(delivery.answer.body.subarray(0, delivery.bytes));
      throw socketError();
    case 'flood':
      controller.start({ status: 200, headers: { 'content-type': 'application/json' } });
      for (const chunk of flood(delivery.bytes)) if (!(await controller.data(chunk))) return;
      controller.end();
      return;
  }
}

function withLength({ status, headers, body }: Answer): Pick<Answer, 'status' | 'headers'> {
  return {
    status,
    headers: status === 204 ? headers : { ...headers, 'content-length': String(body.length) },
  };
}

function socketError(): Error {
  return new errors.SocketError('other side closed');
}

function refused(origin: string): Error {
  return Object.assign(new Error(`connect ECONNREFUSED ${origin}`), { code: 'ECONNREFUSED' });
}

function targetOf({ path, query }: Dispatcher.DispatchOptions): string {
  if (query === undefined) return path;
  const search = new URLSearchParams(query as Record<string, string>).toString();
  return search === '' ? path : `${path}?${search}`;
}

type HeadersInput = Dispatcher.DispatchOptions['headers'];

/** undici takes headers as a record, a flat list or pairs. Here names are in lower case. */
function headersOf(headers: HeadersInput): Record<string, string> {
  const record: Record<string, string> = {};
  const add = (name: unknown, value: unknown): void => {
    if (value !== undefined && value !== null) record[String(name).toLowerCase()] = [value].flat().join(', ');
  };
  if (headers === undefined || headers === null) return record;
  if (Array.isArray(headers)) {
    for (let index = 0; index < headers.length; index += 2) add(headers[index], headers[index + 1]);
  } else if (Symbol.iterator in headers) {
    for (const [name, value] of headers) add(name, value);
  } else {
    for (const [name, value] of Object.entries(headers)) add(name, value);
  }
  return record;
}

async function bodyOf(body: Dispatcher.DispatchOptions['body']): Promise<Buffer> {
  if (body === undefined || body === null) return Buffer.alloc(0);
  if (typeof body === 'string') return Buffer.from(body);
  if (body instanceof Uint8Array) return Buffer.from(body);
  const chunks: Buffer[] = [];
  for await (const chunk of Readable.from(body as AsyncIterable<Uint8Array>)) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}
