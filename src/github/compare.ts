import { needed, toCommit, toFile } from './answers.ts';
import type { ChangedFile, Comparison, FileList } from './changes.ts';
import { type Connection, unlessMissing } from './connection.ts';

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

/** All files of a commit, submodules included, by path: equal texts mean equal files. */
interface Tree {
  readonly files: ReadonlyMap<string, string>;
  /** Whether GitHub gave all of it. */
  readonly isWhole: boolean;
}

/** The files that GitHub listed, then the others by name alone, from the trees; a rename among these is a removal and an addition. */
function completed(listed: readonly ChangedFile[], base: Tree, head: Tree): FileList {
  if (!base.isWhole || !head.isWhole) return { files: listed, isWhole: false };
  const named = new Set(listed.flatMap(namesOf));
  const paths = new Set([...base.files.keys(), ...head.files.keys()]);
  const others = [...paths]
    .filter((path) => !named.has(path) && base.files.get(path) !== head.files.get(path))
    .map((path) => byName(path, base.files.has(path), head.files.has(path)));
  return { files: [...listed, ...others], isWhole: true };
}

/** The origin of a copy is a file of its own. */
function namesOf({ path, oldPath, status }: ChangedFile): string[] {
  return oldPath !== undefined && status === 'renamed' ? [oldPath, path] : [path];
}

function byName(path: string, wasThere: boolean, isThere: boolean): ChangedFile {
  const status = !wasThere ? 'added' : isThere ? 'modified' : 'removed';
  return { path, oldPath: undefined, status, lines: undefined, patch: undefined };
}
