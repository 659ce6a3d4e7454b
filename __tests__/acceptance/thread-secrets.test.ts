import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import { Stage } from '../support/bundle/stage.ts';

const stage = new Stage();

/** Escapes every character of a JSON string, as RFC 8259 (section 7) allows. */
function escaped(text: string): string {
  return Array.from(text, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
}

/**
 * Starts a service that repeats the key everywhere: escaped in JSON, and unchanged in headers. `Stage` fails every test whose run
 * shows the key or the token. Before the key is escaped, `write` changes it.
 */
async function echoing(status: number, write = (key: string) => key) {
  const server = createServer((request, response) => {
    const key = request.headers.authorization?.replace('Bearer ', '') ?? '';
    const told = escaped(write(key));
    const job = `{"id":"job_1","status":"completed","model":"m ${told}","prLink":"https://x:${told}@github.com/o/r/pull/1",
      "source":{"repository":"https://x-access-token:${told}@github.com/o/${told}","ref":"${told}"}}`;
    const error = `{"error":"no ${told}","details":[{"message":"${told}"}]}`;
    request.resume();
    response.writeHead(status, {
      'content-type': `text/${key}`,
      'x-key': key,
      location: `https://x.test/${key}`,
    });
    response.end(status < 300 ? job : error);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, close: () => server.close() };
}

test.each([201, 302, 400, 429, 500])(
  'a key that the service repeats in a %i response is never shown',
  async (status) => {
    const service = await echoing(status);
    const run = await stage.say('/docs add a quickstart', { inputs: { 'base-url': service.url } });
    service.close();
    expect(run.outputs.outcome).toBe(status === 201 ? 'pr-created' : 'failed');
    const shown = JSON.stringify([run.outputs, run.summary, stage.written().map(({ body }) => body)]);
    expect(shown).toContain('***');
    expect(shown).not.toContain('x-access-token:');
  },
);

test.each<[string, (key: string) => string]>([
  ['with percent-encoding', (key) => key.replaceAll(/[_0]/g, (one) => `%${one.charCodeAt(0).toString(16)}`)],
  ['with JSON escapes', (key) => key.replaceAll(/[_0]/g, (one) => `\\u00${one.charCodeAt(0).toString(16)}`)],
  ['in base64', (key) => Buffer.from(`Bearer ${key}`).toString('base64')],
])('a key that the service repeats %s is never shown', async (_, write) => {
  const service = await echoing(201, write);
  const run = await stage.say('/docs add a quickstart', { inputs: { 'base-url': service.url } });
  service.close();
  const comments = stage.written().flatMap(({ history }) => history.map(({ body }) => body));
  const shown = JSON.stringify([run.outputs, run.state, run.summary, run.stdout, comments]);
  expect(shown).toContain('***');
  const said = run.stdout.replaceAll(/^::add-mask::.*$/gm, '');
  const form = write(stage.simulator.service.apiKey).slice(-24);
  for (const text of [...Object.values(run.outputs), run.summary, said, ...comments]) {
    expect(text).not.toContain(form);
  }
});

test('a prompt that contains the key is sent unchanged, and shown without the key', async () => {
  const { apiKey } = stage.simulator.service;
  const prompt = `Document how ${apiKey} is used.`;
  const run = await stage.say('x', { inputs: { prompt } });
  expect(stage.requests[0]).toEqual([prompt]);
  expect(run.summary).toContain('Document how *** is used.');
});
