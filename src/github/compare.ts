import { needed, toCommit, toFile } from './answers.ts';
import type { Comparison } from './changes.ts';
import { type Connection, unlessMissing } from './connection.ts';
import { completed, type Tree } from './trees.ts';

/** How many files a comparison lists at most, on its first page ("Compare two commits"). */
const filesListed = 300;

/** What the head has changed since it left the base; `undefined` where one of them is gone, or nothing connects them. */
export async function compare(
  connection: Connection,
  base: string,
  head: string,
  signal: AbortSignal,
): Promise<Comparison | undefined> {
  const { rest, patiently } = connection;
  const attempt = { doing: 'Comparing commits', needs: 'contents: read' } as const;
  const answer = await patiently(attempt, signal, async (common) => {
    // Without a page, the list of commits ends with the head.
    const query = { ...common, basehead: `${base}...${head}` };
    const { data } = await rest.repos.compareCommitsWithBasehead(query);
    const { status, total_commits: totalCommits, merge_base_commit, commits, files } = needed(data);
    return {
      comparison: { status, totalCommits, commits: commits.map(toCommit), files: files.map(toFile) },
      trees: [merge_base_commit, commits.at(-1) ?? merge_base_commit].map(({ commit }) => commit.tree.sha),
    };
  }).catch(unlessMissing());
  if (answer === undefined) return undefined;
  const { comparison, trees } = answer;
  const { files, commits } = comparison;
  if (files.length < filesListed || commits.length === 0)
    return { ...comparison, isWhole: files.length < filesListed };
  const [baseTree = '', headTree = ''] = trees;
  const before = await readTree(connection, baseTree, signal);
  return { ...comparison, ...completed(files, before, await readTree(connection, headTree, signal)) };
}

/** All files of a tree, of which GitHub gives 100,000 and 7 MB at most ("Get a tree"). */
function readTree({ rest, patiently }: Connection, sha: string, signal: AbortSignal): Promise<Tree> {
  const attempt = { doing: 'Reading a tree', needs: 'contents: read' } as const;
  return patiently(attempt, signal, async (common) => {
    const { data } = await rest.git.getTree({ ...common, tree_sha: sha, recursive: 'true' });
    const files = data.tree.filter(({ type }) => type !== 'tree');
    return {
      files: new Map(files.map(({ path, mode, sha }) => [path, `${mode} ${sha}`])),
      isWhole: data.truncated === false,
    };
  });
}
