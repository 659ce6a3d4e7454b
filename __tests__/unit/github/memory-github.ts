import { MockAgent } from 'undici';
import type { GitEdit } from '../../../simulator/github/repository/git.ts';
import type { FaultSpec } from '../../../simulator/http/faults.ts';
import { createInMemorySimulator, type InMemorySimulator } from '../../../simulator/in-memory.ts';
import { createGitHub, type GitHub } from '../../../src/github/client.ts';
import { GitHubError } from '../../../src/github/errors.ts';
import { createScrub } from '../../../src/text/scrub.ts';
import { calm } from '../../support/in-process/service.ts';

export const token = 'ghs_fake_for_unit_tests';
const scrub = createScrub([token]);
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

export type MemoryGitHub = ReturnType<typeof memoryGitHub>;

/** The action's own GitHub client, connected to a simulated GitHub in memory. Its clock skips every sleep. */
export function memoryGitHub(signal = calm()) {
  const simulator = createInMemorySimulator();
  simulator.github.addThread({ number: thread });
  simulator.github.addToken(token);
  const { githubUrl: apiUrl, dispatcher, clock } = simulator;
  const repositoryId = String(simulator.github.repository.id);
  const options = { ...common, repositoryId, apiUrl, clock, signal, dispatcher };
  return { simulator, options, github: createGitHub(options) };
}

/** The action's own GitHub client. Every request gets the response that `answer` returns for its path. */
export function answeredBy(
  answer: (path: string) => {
    body: unknown;
    headers?: Record<string, string>;
    statusCode?: number;
  },
): GitHub {
  const { clock } = createInMemorySimulator();
  const [apiUrl, dispatcher] = ['https://api.github.com', new MockAgent()];
  const every = { path: () => true, method: () => true };
  const reply = ({ path }: { readonly path: string }) => {
    const { body, headers = {}, statusCode = 200 } = answer(path);
    const responseOptions = { headers: { 'content-type': 'application/json', ...headers } };
    return { statusCode, data: JSON.stringify(body), responseOptions };
  };
  dispatcher.get(apiUrl).intercept(every).reply(reply).persist();
  return createGitHub({ ...common, apiUrl, clock, signal: calm(), dispatcher });
}

/** Creates this many files with numbered names. */
export function manyFiles(count: number, text = ''): Record<string, GitEdit> {
  const names = Array.from(
    { length: count },
    (_, index) => `docs/${String(index).padStart(5, '0')}.md`,
  );
  return Object.fromEntries(names.map((name) => [name, `${name}\n${text}`]));
}

/** The value that a call returns, or the `GitHubError` that it throws. */
export async function endOf<T>(call: Promise<T>): Promise<T | GitHubError> {
  return call.catch((error: unknown) => {
    if (error instanceof GitHubError) return error;
    throw error;
  });
}
