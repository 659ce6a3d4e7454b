import type { SimulatedGitHub } from '../../../simulator/github/github.ts';

/** Opens a pull request with that many commits, each of which adds a file. Returns its number. */
export function openPullRequest(
  github: SimulatedGitHub,
  { commits = 1, title }: { readonly commits?: number; readonly title?: string } = {},
): number {
  const number = 100 + github.threads.size;
  const head = `branch-${number}`;
  github.git.branch(head);
  for (let nth = 0; nth < commits; nth += 1)
    github.git.commit({
      branch: head,
      message: 'Step',
      files: { [`${head}/${nth}.ts`]: `${nth}\n` },
    });
  return github.pullRequests.open({ title: title ?? head, head, number }).number;
}
