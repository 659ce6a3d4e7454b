import type { SimulatedGitHub } from '../github/github.ts';

/** Opens the pull request that the first job links to, or another one. */
export function openAgentsPullRequest(
  github: SimulatedGitHub,
  number = 101,
  title = 'Add a quickstart for the Python SDK',
): number {
  const author = 'docs-agent[bot]';
  const head = `docs-agent/quickstart-${number}`;
  github.addUser(author, { type: 'Bot' });
  github.git.commit({
    message: 'First',
    files: { 'docs.json': lines(6), 'docs/index.mdx': lines(40) },
  });
  github.git.branch(head);
  github.git.commit({
    branch: head,
    files: {
      'docs/quickstart/python.mdx': lines(116),
      'docs.json': lines(9),
      'docs/index.mdx': `${'See the quickstart.\n'.repeat(5)}${lines(40).slice(lines(6).length)}`,
    },
  });
  return github.pullRequests.open({ number, head, title, author }).number;
}

/** Adds a commit to the agent's pull request, as a follow-up would. */
export function pushToAgentsPullRequest(github: SimulatedGitHub, number: number): void {
  github.pullRequests.push(number, { files: { 'docs/quickstart/python.mdx': lines(98) } });
}

function lines(count: number): string {
  return Array.from({ length: count }, (_, index) => `Line ${index + 1}.\n`).join('');
}
