import type { SimulatedGitHub } from '../github/github.ts';

/** What a workflow asks of every change. */
export const CHANGE_INPUTS: Readonly<Record<string, string>> = {
  prompt: 'Bring the documentation up to date with this change.',
  context: 'thread\nchanges',
  paths: 'src/**',
};

const TRIES = 'src/retry.ts';
const text = (tries: number) => `/** How often a request is sent. */\nexport const tries = ${tries};\n`;

/** Opens a pull request with a template's comment in its description, and with files that `paths` leaves out. */
export function openChange({ git, pullRequests }: SimulatedGitHub, number: number): void {
  git.commit({
    message: 'Send a request',
    files: { [TRIES]: text(1), 'package-lock.json': '{ "lockfileVersion": 3 }\n' },
  });
  git.branch('retries');
  git.commit({
    branch: 'retries',
    message: 'Send a request three times',
    files: {
      [TRIES]: text(3),
      'src/wait.ts': 'export const waitMs = 500;\n',
      'package-lock.json': '{ "lockfileVersion": 3, "packages": {} }\n',
      'test/retry.test.ts': "test('three times', () => expect(tries).toBe(3));\n",
    },
  });
  pullRequests.open({
    number,
    head: 'retries',
    title: 'Retry three times',
    body: '<!-- Thanks for contributing! -->\nA request that fails is sent three times, half a second apart.',
    labels: ['feature'],
  });
}
