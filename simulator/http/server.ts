import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Delivery, Handle } from './messages.ts';

const DRIP_MS = 200;

/** Listens on a free loopback port, and sends what `handle` returns. */
export async function listen(handle: Handle) {
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const headers: Record<string, string> = {};
    for (const [name, value] of Object.entries(request.headers))
      headers[name] = [value].flat().join(', ');
    const { method = 'GET', url: target = '/' } = request;
    await deliver(response, await handle({ method, target, headers, body: await buffer(request) }));
  };
  const server = createServer((request, response) => {
    // The simulator sets the date from its own clock.
    response.sendDate = false;
    serve(request, response).catch(() => request.socket.destroy());
  });
  // A server that a test forgets to close must not keep the process alive.
  server.unref();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const close = (): Promise<void> => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    return closed.then(() => undefined);
  };
  return { url: `http://127.0.0.1:${port}`, close };
}

async function deliver(
  response: ServerResponse,
  { kind, head, body = [] }: Delivery,
): Promise<void> {
  if (head !== undefined) response.writeHead(head.status, head.headers);
  for (const chunk of kind === 'drip' ? bytesOf(body) : body) {
    if (response.destroyed) return;
    await new Promise((resolve) => response.write(chunk, resolve));
    if (kind === 'drip') await sleep(DRIP_MS, undefined, { ref: false });
  }
  if (kind === 'reset') response.socket?.resetAndDestroy();
  else if (kind !== 'hang') response.end();
}

function* bytesOf(chunks: Iterable<Buffer>): Generator<Buffer> {
  for (const chunk of chunks) for (const byte of chunk) yield Buffer.of(byte);
}
