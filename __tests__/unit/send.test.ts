import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { Dispatcher } from 'undici';
import { createDispatcher, readProxies } from '../../src/http/dispatcher.ts';
import { send } from '../../src/http/send.ts';
import { calm } from '../support/in-process/service.ts';

/* Unusual responses from servers and proxies, sent byte by byte over a real socket. */

let dispatcher: Dispatcher;
beforeEach(() => {
  dispatcher = createDispatcher(readProxies({}, []));
});
afterEach(() => dispatcher.destroy());

/** Starts a server on this machine. */
async function listen(onSocket: (socket: Socket) => void) {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    onSocket(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, host: `127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** Sends a request to a server that responds with these bytes. */
async function ask(...answer: readonly (string | Buffer)[]) {
  let request = '';
  const { server, host } = await listen((socket) => {
    socket.on('data', (data) => {
      request += data.toString('latin1');
      if (request.endsWith('{}')) for (const piece of answer) socket.write(piece);
    });
  });
  const url = new URL(`http://${host}/job`);
  try {
    const read = await send(dispatcher, {
      method: 'POST',
      url,
      headers: {},
      body: '{}',
      signal: calm(),
    });
    return { read, request };
  } finally {
    await dispatcher.destroy();
    server.close();
  }
}

test('a connection that is never established ends on time, and counts as not sent', async () => {
  const sockets: Socket[] = [];
  const { server, host } = await listen((socket) => void sockets.push(socket));
  const url = new URL(`https://${host}`);
  const cancel = new AbortController();
  const sent: string[] = [];
  const onSend = () => void sent.push('sent');
  const request = { method: 'POST', url, headers: {}, body: '{}', onSend } as const;
  const late = send(dispatcher, { ...request, signal: calm(), timeoutMs: 50 });
  await expect(late).rejects.toMatchObject({ name: 'TransportError', sent: false, timedOut: true });
  const cancelled = send(dispatcher, { ...request, signal: cancel.signal });
  cancel.abort(new Error('cancelled'));
  await expect(cancelled).rejects.toThrow('cancelled');
  expect(sent).toEqual([]);
  await dispatcher.destroy();
  for (const socket of sockets) socket.destroy();
  server.close();
});

/** A compressed response, although the request accepts only `identity`. */
const compressed = (body: Buffer, status = 201, encoding = 'gzip') =>
  [
    `HTTP/1.1 ${status} Any\r\ncontent-encoding: ${encoding}\r\ncontent-length: ${body.length}\r\n\r\n`,
    body,
  ] as const;

test.each([201, 400])('a compressed body with status %i is read', async (status) => {
  const { read, request } = await ask(...compressed(gzipSync('{"id":"jöb"}'), status));
  expect(read).toMatchObject({ status, text: '{"id":"jöb"}' });
  expect(request).toMatch(/^accept-encoding: identity\r$/m);
});

test.each([
  ['a zip bomb', gzipSync(Buffer.alloc(40 * 1024 * 1024))],
  ['half a body', gzipSync('{}').subarray(0, 12)],
])('%s counts as a missing response', async (_, body) => {
  await expect(ask(...compressed(body))).rejects.toMatchObject({
    name: 'TransportError',
    sent: true,
  });
});

test.each<[string, (body: string) => Buffer]>([
  ['br', brotliCompressSync],
  ['deflate', deflateSync],
  ['zstd', zstdCompressSync],
  ['GZIP, br', (body) => brotliCompressSync(gzipSync(body))],
  ['identity', (body) => Buffer.from(body)],
])('a body with the encoding %s is read', async (encoding, compress) => {
  const { read } = await ask(...compressed(compress('{}'), 200, encoding));
  expect(read.text).toBe('{}');
});
