import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { GitEdit } from '../../../simulator/github/repository/git.ts';
import type { FaultSpec } from '../../../simulator/http/faults.ts';
import { createInMemorySimulator, type InMemorySimulator } from '../../../simulator/in-memory.ts';
import { createGitHub, type GitHub } from '../../../src/github/client.ts';
import { GitHubError } from '../../../src/github/errors.ts';
import { createDispatcher, proxiesOf } from '../../../src/http/dispatcher.ts';
import { createScrub } from '../../../src/text/scrub.ts';

export const token = 'ghs_fake_for_unit_tests';
export const scrub = createScrub([token]);
/** The lines that the client wrote to the debug log. */
export const debugged: string[] = [];
const debug = (line: string) => void debugged.push(line);
const common = { token, repository: 'octo-org/docs', scrub, debug };
/** The number of an existing issue without comments. */
export const thread = 7;

/** A simulated fault that can affect any request. */
export type Fault = Omit<FaultSpec, 'at'> & Record<string, unknown>;

/** Adds a fault to every request with this HTTP method. */
export function failAt(simulator: InMemorySimulator, method: string, fault: Fault): void {
  simulator.faults.add({ at: (request) => request.method === method, ...fault } as FaultSpec);
}

export interface MemoryGitHub {
  readonly simulator: InMemorySimulator;
  readonly github: GitHub;
}

/** The action's own GitHub client, connected to a simulated GitHub in memory. Its clock skips every sleep. */
export function memoryGitHub(): MemoryGitHub {
  const simulator = createInMemorySimulator();
  simulator.github.addThread({ number: thread });
  simulator.github.addToken(token);
  const { githubUrl: apiUrl, dispatcher, clock } = simulator;
  return { simulator, github: createGitHub({ ...common, apiUrl, clock, dispatcher }) };
}

/** Connects the action's own GitHub client to an HTTP server on a real socket. */
export async function withServer<T>(
  answer: RequestListener,
  use: (github: GitHub) => Promise<T>,
): Promise<T> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const dispatcher = createDispatcher(proxiesOf({}, []));
  const { clock } = createInMemorySimulator();
  return use(createGitHub({ ...common, apiUrl: `http://127.0.0.1:${port}`, clock, dispatcher })).finally(
    async () => {
      await dispatcher.destroy();
      server.close();
    },
  );
}

/** Creates this many files with numbered names. */
export function manyFiles(count: number, text = ''): Record<string, GitEdit> {
  const names = Array.from({ length: count }, (_, index) => `docs/${String(index).padStart(5, '0')}.md`);
  return Object.fromEntries(names.map((name) => [name, `${name}\n${text}`]));
}

/** The value that a call returns, or the `GitHubError` that it throws. */
export async function endOf<T>(call: Promise<T>): Promise<T | GitHubError> {
  return call.catch((error: unknown) => {
    if (error instanceof GitHubError) return error;
    throw error;
  });
}
