import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { flood } from './faults.ts';
import type { Answer, Delivery, IncomingRequest } from './messages.ts';

const DRIP_MS = 200;

export interface LoopbackServer {
  readonly url: string;
  close(): Promise<void>;
}

/** Listens on a free port of the loopback interface, and sends what `handle` returns. */
export async function listen(
  handle: (request: IncomingRequest) => Promise<Delivery>,
): Promise<LoopbackServer> {
  const server = createServer((request, response) => {
    // The simulator sets the date itself, by its own clock.
    response.sendDate = false;
    serve(request, response, handle).catch(() => request.socket.destroy());
  });
  // A test that forgets to close must not keep its process alive.
  server.unref();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => close(server) };
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  handle: (request: IncomingRequest) => Promise<Delivery>,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers)) headers[name] = [value].flat().join(', ');
  const { method = 'GET', url: target = '/' } = request;
  await deliver(response, await handle({ method, target, headers, body: Buffer.concat(chunks) }));
}

async function deliver(response: ServerResponse, delivery: Delivery): Promise<void> {
  switch (delivery.kind) {
    case 'answer':
      writeHead(response, delivery.answer);
      response.end(delivery.answer.body);
      return;
    case 'reset':
      response.socket?.resetAndDestroy();
      return;
    case 'hang':
      return;
    case 'cut':
      writeHead(response, delivery.answer);
      response.write(delivery.answer.body.subarray(0, delivery.bytes), () =>
        response.socket?.resetAndDestroy(),
      );
      return;
    case 'drip':
      writeHead(response, delivery.answer);
      drip(response, delivery.answer.body);
      return;
    case 'flood':
      response.writeHead(200, { 'content-type': 'application/json' });
      await pour(response, delivery.bytes);
      return;
  }
}

function writeHead(response: ServerResponse, { status, headers, body }: Answer): void {
  response.writeHead(status, { ...headers, ...(status === 204 ? {} : { 'content-length': body.length }) });
}

/** Sends the body byte by byte until it is out or the client has gone. */
function drip(response: ServerResponse, body: Buffer): void {
  let sent = 0;
  const timer = setInterval(() => {
    if (sent < body.length) {
      response.write(body.subarray(sent, sent + 1));
      sent += 1;
      return;
    }
    clearInterval(timer);
    response.end();
  }, DRIP_MS);
  response.once('close', () => clearInterval(timer));
}

async function pour(response: ServerResponse, bytes: number): Promise<void> {
  for (const chunk of flood(bytes)) {
    if (response.destroyed) return;
    if (!response.write(chunk)) await writable(response);
  }
  response.end();
}

function writable(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done);
      response.off('close', done);
      resolve();
    };
    response.on('drain', done);
    response.on('close', done);
  });
}
