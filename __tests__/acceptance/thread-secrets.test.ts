import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import { Stage } from '../support/bundle/stage.ts';

const stage = new Stage();

/** Escapes every character of a JSON string, as RFC 8259 (section 7) allows. */
function escaped(text: string): string {
  return Array.from(
    text,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  ).join('');
}

/**
 * Starts a service that repeats the key everywhere: escaped in JSON, and unchanged in headers. `Stage` fails every test whose run
 * shows the key or the token.
 */
async function echoing(status: number) {
  const server = createServer((request, response) => {
    const key = request.headers.authorization?.replace('Bearer ', '') ?? '';
    const echo = escaped(key);
    const job = `{"id":"job_1","status":"completed","model":"m ${echo}","prLink":"https://x:${echo}@github.com/o/r/pull/1",
      "source":{"repository":"https://x-access-token:${echo}@github.com/o/${echo}","ref":"${echo}"}}`;
    const error = `{"error":"no ${echo}","details":[{"message":"${echo}"}]}`;
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

test.each([201, 302, 400])(
  'a key that the service repeats in a %i response is never shown',
  async (status) => {
    const service = await echoing(status);
    const run = await stage.say('/docs add a quickstart', { inputs: { 'base-url': service.url } });
    service.close();
    expect(run.outputs.outcome).toBe(status === 201 ? 'pr-created' : 'failed');
    const shown = JSON.stringify([
      run.outputs,
      run.summary,
      stage.written().map(({ body }) => body),
    ]);
    expect(shown).toContain('***');
    expect(shown).not.toContain('x-access-token:');
  },
);

test('a prompt from the inputs that contains the key is not sent', async () => {
  const { apiKey } = stage.simulator.service;
  const run = await stage.say('x', { inputs: { prompt: `Document how ${apiKey} is used.` } });
  expect(run).toMatchObject({ exitCode: 1, outputs: { reason: 'bad-input' }, service: [] });
  expect(run.summary).toContain('`prompt` contains the API key. Nothing was sent.');
});
