import type { Comparison } from './changes.ts';
import { type Connection, parse, unlessMissing } from './connection.ts';
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
  const { rest, common, patiently } = connection;
  const { comparisonSchema, toCommit } = await import('./change-schemas.ts');
  const read = async () => {
    // Asked for without a page, the list of commits ends with the head.
    const query = { ...common(signal), basehead: `${base}...${head}` };
    return parse(comparisonSchema, await rest.repos.compareCommitsWithBasehead(query));
  };
  const answer = await patiently('Comparing commits', signal, read, 'contents: read').catch(unlessMissing());
  if (answer === undefined) return undefined;
  const { status, commits, total_commits: totalCommits, files, merge_base_commit: mergeBase } = answer;
  const told = { status, commits: commits.map(toCommit), totalCommits };
  const last = commits.at(-1);
  if (files.length < filesListed || last === undefined) {
    return { ...told, files, isWhole: files.length < filesListed };
  }
  const baseTree = await readTree(connection, mergeBase.commit.tree.sha, signal);
  const headTree = await readTree(connection, last.commit.tree.sha, signal);
  return { ...told, ...completed(files, baseTree, headTree) };
}

/** All files of a tree, of which GitHub gives 100,000 and 7 MB at most ("Get a tree"). */
async function readTree(
  { rest, common, patiently }: Connection,
  sha: string,
  signal: AbortSignal,
): Promise<Tree> {
  const { treeSchema } = await import('./change-schemas.ts');
  const read = async () => {
    const query = { ...common(signal), tree_sha: sha, recursive: 'true' };
    const { tree, truncated } = parse(treeSchema, await rest.git.getTree(query));
    const files = tree.filter(({ type }) => type !== 'tree');
    return {
      files: new Map(files.map(({ path, mode, sha }) => [path, `${mode} ${sha}`])),
      isWhole: !truncated,
    };
  };
  return patiently('Reading a tree', signal, read, 'contents: read');
}
