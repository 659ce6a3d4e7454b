import { request } from 'undici';

import { DEFAULT_TOKEN } from '../../../simulator/github/store.ts';
import { createInMemorySimulator, type InMemorySimulator } from '../../../simulator/in-memory.ts';

export const REPO = '/repos/octo-org/docs';

export interface CallOptions {
  readonly body?: unknown;
  /** `null` for none at all. */
  readonly token?: string | null;
  readonly headers?: Record<string, string>;
}

/** A simulator in memory with an issue, #7, and a pull request, #8, and a plain client of its GitHub. */
export class GitHubClient {
  readonly simulator: InMemorySimulator = createInMemorySimulator();

  constructor() {
    this.simulator.github.addThread({ number: 7 });
    this.simulator.github.addThread({ number: 8, isPullRequest: true });
  }

  async call(
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    path: string,
    { body, token = DEFAULT_TOKEN, headers }: CallOptions = {},
  ) {
    const response = await request(this.simulator.githubUrl + path, {
      method,
      dispatcher: this.simulator.dispatcher,
      headers: {
        'user-agent': 'test',
        ...(token === null ? {} : { authorization: `token ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.body.text();
    const parsed: unknown = text === '' ? undefined : JSON.parse(text);
    return { status: response.statusCode, headers: response.headers, body: parsed };
  }

  /** Writes a comment as the action would. */
  post(number: number, body: unknown) {
    return this.call('POST', `${REPO}/issues/${number}/comments`, { body });
  }
}
