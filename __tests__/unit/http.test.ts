import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Dispatcher } from 'undici';
import type { FaultSpec } from '../../simulator/http/faults.ts';
import { explain } from '../../src/core/errors.ts';
import { createDispatcher, readProxies } from '../../src/http/dispatcher.ts';
import { backoffMs, retryAfterMs } from '../../src/http/retry.ts';
import { send } from '../../src/http/send.ts';
import { ServiceError } from '../../src/service/errors.ts';
import { jobSchema } from '../../src/service/schemas.ts';
import { calm, memoryService } from '../support/in-process/service.ts';
import type { Fault } from './github/memory-github.ts';

describe('retries', () => {
  const now = Date.UTC(2026, 0, 5, 9, 0, 0);

  test.each([
    ['0', 0],
    ['2026', 2_026_000],
    [' 120 ', 120_000],
    ['Mon, 05 Jan 2026 09:00:30 GMT', 30_000],
    ['Monday, 05-Jan-26 09:00:30 GMT', 30_000],
    ['Mon Jan  5 09:00:30 2026 GMT', 30_000],
    ['Sun, 04 Jan 2026 09:00:00 GMT', 0],
  ])('Retry-After: %j means %j ms', (header, ms) => {
    expect(retryAfterMs(header, now)).toBe(ms);
  });

  test.each([
    ...[undefined, '', 'soon', '-1', '1.5', '1e3', '99999999999'],
    ...['2026-01-05T09:00:30Z', 'Mon, 99 Foo 2026', '1, 2'],
  ])('Retry-After: %j means nothing', (header) => {
    expect(retryAfterMs(header, now)).toBeUndefined();
  });

  test('the wait before each retry is at most 1 s, 2 s, 4 s, and so on up to 20 s', () => {
    for (let tries = 1; tries < 200; tries += 1) {
      expect(backoffMs(tries)).toBeGreaterThanOrEqual(0);
      expect(backoffMs(tries)).toBeLessThanOrEqual(Math.min(20_000, 1_000 * 2 ** (tries - 1)));
    }
  });
});

describe('sending', () => {
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
    await expect(late).rejects.toMatchObject({
      name: 'TransportError',
      sent: false,
      timedOut: true,
    });
    const cancelled = send(dispatcher, { ...request, signal: cancel.signal });
    cancel.abort(new Error('cancelled'));
    await expect(cancelled).rejects.toThrow('cancelled');
    expect(sent).toEqual([]);
    await dispatcher.destroy();
    for (const socket of sockets) socket.destroy();
    server.close();
  });

  test('if it fails right before it sends, nothing is sent', async () => {
    let received = '';
    const { server, host } = await listen((socket) => {
      socket.on('data', (data) => {
        received += data;
      });
    });
    const onSend = () => {
      throw new Error('paused');
    };
    const url = new URL(`http://${host}/job`);
    const request = { method: 'POST', url, headers: {}, body: '{}', onSend } as const;
    const sending = send(dispatcher, { ...request, signal: calm() });
    await expect(sending).rejects.toMatchObject({ message: 'paused', sent: false });
    await dispatcher.destroy();
    server.close();
    await once(server, 'close');
    expect(received).toBe('');
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
});

describe('proxies', () => {
  const origins = ['https://api.example.com', 'https://api.github.com'];
  const here = 'localhost,127.0.0.1,::1';

  test.each([
    [{}, '', ''],
    [{ https_proxy: 'http://proxy:8080' }, '', 'http://proxy:8080'],
    [{ HTTPS_PROXY: 'http://proxy:8080', https_proxy: '' }, '', 'http://proxy:8080'],
    [{ HTTP_PROXY: 'https://u:p@proxy', http_proxy: 'http://other' }, 'http://other', ''],
    [{ https_proxy: 'https://u%40x:p@proxy' }, '', 'https://u%40x:p@proxy'],
  ])('%j sets the proxies %j for http and %j for https', (env, http, https) => {
    expect(readProxies(env, origins)).toEqual({ http, https, except: `,${here}` });
  });

  test('loopback addresses are never reached through a proxy', () => {
    const { except } = readProxies({ NO_PROXY: '.corp' }, ['http://127.0.0.53:9', ...origins]);
    expect(except).toBe(`.corp,${here},127.0.0.53`);
  });

  test.each([
    ['http_proxy', 'http://'],
    ['https_proxy', 'not a URL'],
    ['https_proxy', ' '],
    ['https_proxy', 'http://us%er:pass%zz@proxy:8080'],
  ])('%s=%s is an error that names the variable but doesn’t show its value', (name, value) => {
    const message = `\`${name}\` must be the URL of an HTTP proxy, such as \`http://proxy.example.com:8080\``;
    const error = expect.objectContaining({ name: 'InputError', message });
    expect(() => readProxies({ [name]: value }, origins)).toThrow(error);
  });

  test('errors in both variables are reported together', () => {
    const both = { http_proxy: 'x', https_proxy: 'y' };
    const hint = expect.stringMatching(/^- `http_proxy` must .*\n- `https_proxy` must /);
    const message = '2 inputs are invalid';
    expect(() => readProxies(both, origins)).toThrow(expect.objectContaining({ message, hint }));
  });
});

describe('the service’s client', () => {
  const after = { when: 'after-handled' } as const;
  const status = (status: number): Fault => ({ kind: 'status', status });

  type Use = 'createJob' | 'sendMessage' | 'getJob';

  /** Makes one call while this many requests fail. */
  async function play(use: Use, fault: Fault, times = 99) {
    const { simulator, service } = memoryService();
    const job = simulator.service.createJob('first');
    simulator.faults.add({ at: () => true, times, ...fault } as FaultSpec);
    const call = {
      createJob: () => service.createJob('x'),
      sendMessage: () => service.sendMessage(job.id, 'x'),
      getJob: () => service.getJob(job.id),
    }[use];
    const outcome = await call().then(
      () => 'done',
      (error: unknown) => (error instanceof ServiceError ? error.reason : error),
    );
    expect(simulator.violations).toEqual([]);
    return { outcome, sent: simulator.requests.length };
  }

  type Case = [name: string, fault: Fault, write: [string, number], read: [string, number]];

  /** For each permanent fault, how a POST and a GET end, and how often each is sent. */
  const cases: Case[] = [
    ['400', status(400), ['bad-request', 1], ['bad-request', 1]],
    ['401', status(401), ['unauthorized', 1], ['unauthorized', 1]],
    ['402', status(402), ['forbidden', 1], ['forbidden', 1]],
    ['403', status(403), ['forbidden', 1], ['forbidden', 1]],
    ['404', status(404), ['not-found', 1], ['not-found', 1]],
    ['413', status(413), ['bad-request', 1], ['bad-request', 1]],
    // The service doesn't document whether it creates a job before it responds with one of these.
    ['405', status(405), ['unconfirmed', 1], ['bad-request', 1]],
    ['408', status(408), ['unconfirmed', 1], ['service-error', 4]],
    // The limit is hourly, so an immediate retry of a request that costs credits would fail, too.
    ['429', status(429), ['rate-limited', 1], ['rate-limited', 4]],
    ['429, a minute', { ...status(429), retryAfter: 60 }, ['rate-limited', 4], ['rate-limited', 4]],
    ['429, 61 s', { ...status(429), retryAfter: 61 }, ['rate-limited', 1], ['rate-limited', 1]],
    ['500', status(500), ['unconfirmed', 1], ['service-error', 4]],
    ['502', { ...status(502), ...after }, ['unconfirmed', 1], ['service-error', 4]],
    ['503, a minute', { ...status(503), retryAfter: 60 }, ['unconfirmed', 1], ['service-error', 4]],
    ['503, 61 s', { ...status(503), retryAfter: 61 }, ['unconfirmed', 1], ['service-error', 1]],
    ['a redirect', { kind: 'redirect' }, ['unconfirmed', 1], ['redirected', 1]],
    ['a reset', { kind: 'reset' }, ['unconfirmed', 1], ['unreachable', 4]],
    [
      'half a response',
      { kind: 'reset', when: 'half-answer' },
      ['unconfirmed', 1],
      ['unreachable', 4],
    ],
    ['no response', { kind: 'hang', ...after }, ['unconfirmed', 1], ['unreachable', 4]],
    ['a page', { kind: 'html' }, ['unconfirmed', 1], ['invalid-response', 4]],
    [
      'half of the JSON',
      { kind: 'truncated-json', ...after },
      ['unconfirmed', 1],
      ['invalid-response', 4],
    ],
    ['JSON as text', { kind: 'wrong-content-type', ...after }, ['done', 1], ['done', 1]],
  ];

  test.each(cases)('%s', async (_, fault, [writeEnd, writes], [readEnd, reads]) => {
    for (const use of ['createJob', 'sendMessage'] as const)
      expect(await play(use, fault)).toMatchObject({ outcome: writeEnd, sent: writes });
    expect(await play('getJob', fault)).toMatchObject({ outcome: readEnd, sent: reads });
  });

  const link = 'https://x.example/pull/5';
  const sideFields = ['source', 'model', 'prLink', 'createdAt'];

  test.each<[string, Record<string, unknown>, string[], Record<string, unknown>]>([
    ['unknown fields', { progress: { percent: 7 }, cost: null }, [], {}],
    ['nothing but id and status', {}, sideFields, {}],
    ['nulls', { source: null, model: null, createdAt: null }, [], {}],
    ['an unknown status', { status: 'pondering' }, [], { status: 'pondering' }],
    ['an empty link', { prLink: '' }, [], { prLink: null }],
    ['a number instead of a link', { prLink: 7 }, [], { prLink: '7' }],
    ['white space around a link', { prLink: ` ${link}\n` }, [], { prLink: link }],
    ['text after a link', { prLink: `${link} is done` }, [], { prLink: '(no usable link)' }],
    [
      'numbers instead of text',
      { model: 5, createdAt: 7, source: { ref: 3 } },
      [],
      { model: undefined },
    ],
  ])(
    'a job with %s is the same in the responses to POST and GET',
    async (_, extra, omit, expected) => {
      const { simulator, service } = memoryService();
      simulator.service.scriptNext({ extra, omit });
      const job = await service.createJob('x');
      expect(job).toMatchObject({ id: 'job_0001', prLink: null, ...expected });
      expect(await service.getJob(job.id)).toEqual(job);
    },
  );

  test.each<[string, { extra?: Record<string, unknown>; omit?: string[] }]>([
    ['without an id', { omit: ['id'] }],
    ['with an empty id', { extra: { id: '' } }],
  ])('a response %s is not a job, and the error names the field', async (_, script) => {
    const { simulator, service } = memoryService();
    simulator.service.scriptNext(script);
    const what = 'The service’s response doesn’t match its documentation';
    const doing = expect.stringMatching(
      /^Creating the job: the service returned 201 with .* `id` isn’t as documented/,
    );
    const error = { reason: 'unconfirmed', what, doing };
    await expect(service.createJob('x')).rejects.toMatchObject(error);
  });

  test('a job created without a usable status counts as active, and reading it again is an error', async () => {
    const { simulator, service } = memoryService();
    simulator.service.scriptNext({ extra: { status: '' } });
    const job = await service.createJob('x');
    expect(job).toMatchObject({ id: 'job_0001', status: 'active', prLink: null });
    const error = {
      reason: 'invalid-response',
      doing: expect.stringMatching(/`status` isn’t as documented/),
    };
    await expect(service.getJob(job.id, { tries: 1 })).rejects.toMatchObject(error);
  });

  test('a job with very long fields still fits on a card', () => {
    const long = 'x'.repeat(200_000);
    const fields = {
      status: long,
      model: long,
      createdAt: long,
      source: { repository: long, ref: long },
    };
    const job = jobSchema.parse({
      id: 'job_0001',
      prLink: `https://github.com/${long}`,
      ...fields,
    });
    expect(JSON.stringify(job).length).toBeLessThan(2_500);
    expect(job.prLink).toBe('(no usable link)');
    expect(jobSchema.safeParse({ id: long, status: 'active' }).success).toBe(false);
  });

  test('a client that is bound to another signal ends with that one, also while it waits', async () => {
    const [run, grace] = [new AbortController(), new AbortController()];
    const { simulator, service } = memoryService(run.signal);
    const patient = service.within(grace.signal);
    run.abort(new Error('canceled'));
    await expect(service.createJob('x')).rejects.toThrow('canceled');
    const { id } = await patient.createJob('x');
    simulator.faults.add({ at: () => true, times: 9, ...status(503) } as FaultSpec);
    simulator.clock.onSleep(() => grace.abort(new Error('too late')));
    await expect(patient.getJob(id)).rejects.toThrow('too late');
  });

  test.each<[string, (key: string) => Fault]>([
    ['a type', (key) => ({ ...status(200), headers: { 'content-type': `text/x-${key}` } })],
    ['a redirect', (key) => ({ ...status(302), headers: { location: `https://${key}.example/` } })],
  ])('%s that repeats the key in a header doesn’t show it', async (_, faultWith) => {
    const { simulator, apiKey, service } = memoryService();
    simulator.faults.add({ at: () => true, ...faultWith(apiKey) } as FaultSpec);
    const error: unknown = await service.getJob('job_1', { tries: 1 }).catch((error) => error);
    expect(error).toBeInstanceOf(ServiceError);
    const texts = [String(error), ...Object.values(explain(error))].join('\n').toLowerCase();
    expect(texts).not.toContain(apiKey.toLowerCase());
  });
});
