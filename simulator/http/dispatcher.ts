import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { Dispatcher, errors } from 'undici';

import type { Handle } from './messages.ts';

/** An undici dispatcher that passes requests to a function for each origin, and can't reach the network. */
export class InMemoryDispatcher extends Dispatcher {
  readonly #hosts: ReadonlyMap<string, Handle>;

  constructor(hosts: ReadonlyMap<string, Handle>) {
    super();
    this.#hosts = hosts;
  }

  override dispatch(
    options: Dispatcher.DispatchOptions,
    handler: Dispatcher.DispatchHandler,
  ): boolean {
    const controller = controllerOf(handler);
    handler.onRequestStart?.(controller, null);
    this.#run(options, handler, controller).catch((error) => controller.abort(error));
    return true;
  }

  async #run(
    { origin, method, path, headers, body }: Dispatcher.DispatchOptions,
    handler: Dispatcher.DispatchHandler,
    controller: Controller,
  ): Promise<void> {
    if (controller.isOver) return;
    const handle = this.#hosts.get(String(origin));
    if (handle === undefined) {
      const error = new Error(`connect ECONNREFUSED ${origin}`);
      throw Object.assign(error, { code: 'ECONNREFUSED' });
    }
    const request = { method, target: path, headers: headersOf(headers), body: await bodyOf(body) };
    const { kind, head, body: chunks = [] } = await handle(request);
    if (controller.isOver) return;
    // Instead of hanging, the request fails immediately with the error that undici would eventually throw.
    if (kind === 'hang') throw new errors.HeadersTimeoutError();
    if (head !== undefined) {
      controller.rawHeaders = Object.entries(head.headers)
        .flat()
        .map((text) => Buffer.from(text, 'latin1'));
      handler.onResponseStart?.(controller, head.status, { ...head.headers }, '');
    }
    for (const chunk of chunks) {
      if (controller.isOver) return;
      if (chunk.length > 0)
        handler.onResponseData?.(controller, kind === 'drip' ? chunk.subarray(0, 1) : chunk);
      if (kind === 'drip') throw new errors.BodyTimeoutError();
    }
    if (kind === 'reset') throw new errors.SocketError('other side closed');
    if (controller.isOver) return;
    // A handler may throw here to turn the end into an error, so the request isn't over yet.
    handler.onResponseEnd?.(controller, {});
    controller.isOver = true;
  }
}

type Controller = ReturnType<typeof controllerOf>;

/** The controller of one request. The response arrives all at once, so nothing ever pauses. */
function controllerOf(handler: Dispatcher.DispatchHandler) {
  const controller = {
    rawHeaders: [] as Buffer[],
    rawTrailers: [] as Buffer[],
    reason: null as Error | null,
    aborted: false,
    isOver: false,
    paused: false,
    pause(): void {},
    resume(): void {},
    abort(reason: Error): void {
      if (controller.isOver) return;
      Object.assign(controller, { reason, aborted: true, isOver: true });
      handler.onResponseError?.(controller, reason);
    },
  };
  return controller;
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
