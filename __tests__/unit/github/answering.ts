import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { SimClock } from '../../../simulator/clock/clock.ts';
import { createGitHub, type GitHub } from '../../../src/github/client.ts';
import { createDispatcher } from '../../../src/http/dispatcher.ts';
import { scrub, token } from './memory-github.ts';

/** A GitHub that answers everything alike, over a real socket. */
export async function answering<T>(
  status: number,
  body: unknown,
  use: (github: GitHub) => Promise<T>,
  contentType = 'application/json',
): Promise<{ value?: T; error?: unknown; asked: number }> {
  let asked = 0;
  const server = createServer((_, response) => {
    asked += 1;
    response.writeHead(status, { 'content-type': contentType }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const dispatcher = createDispatcher();
  const clock = new SimClock();
  try {
    return await use(
      createGitHub({ apiUrl, token, repository: 'octo-org/docs', clock, dispatcher, scrub }),
    ).then(
      (value) => ({ value, asked }),
      (error: unknown) => ({ error, asked }),
    );
  } finally {
    await dispatcher.destroy();
    server.close();
  }
}
