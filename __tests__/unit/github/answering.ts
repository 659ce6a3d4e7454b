import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { SimClock } from '../../../simulator/clock/clock.ts';
import { createGitHub, type GitHub } from '../../../src/github/client.ts';
import { createDispatcher } from '../../../src/http/dispatcher.ts';
import { scrub, token } from './memory-github.ts';

/** The action's own client of GitHub, over a real socket. */
export function clientOf(apiUrl: string) {
  const dispatcher = createDispatcher();
  const options = { apiUrl, token, repository: 'octo-org/docs', clock: new SimClock(), dispatcher, scrub };
  return { github: createGitHub(options), close: () => dispatcher.destroy() };
}

/** What a call makes of a GitHub that answers everything alike. */
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
  const { github, close } = clientOf(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  try {
    return await use(github).then(
      (value) => ({ value, asked }),
      (error: unknown) => ({ error, asked }),
    );
  } finally {
    await close();
    server.close();
  }
}
