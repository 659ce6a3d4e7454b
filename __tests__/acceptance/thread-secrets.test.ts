import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import { Stage } from '../support/bundle/stage.ts';

const stage = new Stage();

/** A form that a service may write: every character of a string escaped (RFC 8259 §7). */
function escaped(text: string): string {
  return Array.from(text, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
}

/**
 * A service that repeats the key everywhere, escaped in JSON and as it is in headers. `ThreadStage` checks every run for the key
 * and the token.
 *
 * @param write how the service writes the key before escaping.
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
  'a service that answers %i and repeats the key in every form gives it to nobody',
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
  ['as in an address', (key) => key.replaceAll(/[_0]/g, (one) => `%${one.charCodeAt(0).toString(16)}`)],
  ['as in JSON', (key) => key.replaceAll(/[_0]/g, (one) => `\\u00${one.charCodeAt(0).toString(16)}`)],
  ['in base64', (key) => Buffer.from(`Bearer ${key}`).toString('base64')],
])('a service that writes the key %s gives it to nobody', async (_, write) => {
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

test('a prompt that holds the key goes to the service as it is, and is shown without it', async () => {
  const { apiKey } = stage.simulator.service;
  const prompt = `Document how ${apiKey} is used.`;
  const run = await stage.say('x', { inputs: { prompt } });
  expect(stage.requests[0]).toEqual([prompt]);
  expect(run.summary).toContain('Document how *** is used.');
});
