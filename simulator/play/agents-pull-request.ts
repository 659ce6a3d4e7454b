import type { SimulatedGitHub } from '../github/github.ts';

const head = 'docs-agent/python-quickstart';

/** Opens the pull request that the first job links to. */
export function openAgentsPullRequest(github: SimulatedGitHub): number {
  const author = 'docs-agent[bot]';
  github.addUser(author, { type: 'Bot' });
  github.git.commit({ message: 'First', files: { 'docs.json': lines(6), 'docs/index.mdx': lines(40) } });
  github.git.branch(head);
  github.git.commit({ branch: head, files: { 'docs/quickstart/python.mdx': lines(124), 'docs.json': '' } });
  return github.pullRequests.open({ number: 101, head, title: 'Add a quickstart for the Python SDK', author })
    .number;
}

function lines(count: number): string {
  return Array.from({ length: count }, (_, index) => `Line ${index + 1}.\n`).join('');
}
