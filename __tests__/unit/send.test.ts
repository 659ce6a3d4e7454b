import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Dispatcher } from 'undici';
import { createDispatcher } from '../../src/http/dispatcher.ts';
import { send } from '../../src/http/send.ts';
import { calm } from '../support/in-process/service.ts';

/* Answers as odd servers and proxies give them, byte for byte, over a real socket. */

let dispatcher: Dispatcher;
beforeEach(() => {
  dispatcher = createDispatcher();
});
afterEach(() => dispatcher.destroy());

/** Answers each request on one connection with these pieces, a turn of the event loop apart, and gives what came of it. */
async function ask(answers: readonly (readonly (string | Buffer)[])[]) {
  const heads: string[] = [];
  let next = 0;
  const server = createServer((socket) => {
    let request = '';
    socket.on('data', (data) => {
      request += data.toString('latin1');
      if (!request.endsWith('{}')) return;
      heads.push(request);
      request = '';
      void speak(socket, answers[next] ?? []);
      next += 1;
    });
    socket.on('error', () => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/job`);
  try {
    const seen = [];
    for (const _ of answers)
      seen.push(await send(dispatcher, { method: 'POST', url, headers: {}, body: '{}', signal: calm() }));
    return { seen, heads };
  } finally {
    await dispatcher.destroy();
    server.close();
  }
}

async function speak(socket: Socket, pieces: readonly (string | Buffer)[]): Promise<void> {
  socket.setNoDelay(true);
  for (const piece of pieces) {
    socket.write(piece);
    await new Promise(setImmediate);
  }
}

const created = 'HTTP/1.1 201 Created\r\ncontent-length: 2\r\n\r\n{}';
const goOn = 'HTTP/1.1 100 Continue\r\n\r\n';

describe('answers before the answer are passed over', () => {
  test.each([
    ['100 Continue', [goOn, created]],
    ['100 in one piece with the answer', [goOn + created]],
    ['100 twice, with a header', [goOn, 'HTTP/1.1 100 Continue\r\nx-by: proxy\r\n\r\n', created]],
    ['100 a byte at a time', [...goOn, ...created]],
    [
      '102 and 103',
      ['HTTP/1.1 102 Processing\r\n\r\n', 'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n', created],
    ],
  ])('%s', async (_, pieces) => {
    expect((await ask([pieces])).seen).toMatchObject([{ status: 201, text: '{}' }]);
  });

  test('on every request of a connection, and nowhere in a body', async () => {
    const body = `HTTP/1.1 100 Continue\r\n\r\nx`;
    const second = [goOn, `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n`, body];
    const { seen } = await ask([[goOn, created], second]);
    expect(seen.map(({ text }) => text)).toEqual(['{}', body]);
  });
});

test('a connection that is never made ends with the signal or the time, and nothing counts as sent', async () => {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    sockets.push(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(`https://127.0.0.1:${(server.address() as AddressInfo).port}`);
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

describe('what is compressed though nobody asked for it is read', () => {
  test.each<[string, (text: Buffer) => Buffer]>([
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['identity', (text) => text],
  ])('%s', async (encoding, compress) => {
    const body = compress(Buffer.from('{"id":"jöb"}'));
    const head = `HTTP/1.1 201 Created\r\ncontent-encoding: ${encoding}\r\ncontent-length: ${body.length}\r\n\r\n`;
    const { seen, heads } = await ask([[head, body]]);
    expect(seen).toMatchObject([{ status: 201, text: '{"id":"jöb"}' }]);
    expect(heads[0]).toMatch(/^accept-encoding: identity\r$/m);
  });

  test.each([
    ['an encoding that is not known', 'zz', Buffer.from('{}')],
    ['a bomb', 'gzip', gzipSync(Buffer.alloc(40 * 1024 * 1024))],
    ['half of one', 'gzip', gzipSync(Buffer.from('{}')).subarray(0, 12)],
  ])('%s is an answer that did not come', async (_, encoding, body) => {
    const head = `HTTP/1.1 201 Created\r\ncontent-encoding: ${encoding}\r\ncontent-length: ${body.length}\r\n\r\n`;
    await expect(ask([[head, body]])).rejects.toMatchObject({ name: 'TransportError', sent: true });
  });
});
