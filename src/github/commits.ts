import { code } from '../text/markdown.ts';
import {
  type ChangedFile,
  type Comparison,
  type FileList,
  pathsOf,
  toCheckRun,
  toCommit,
  toFile,
  toRelease,
} from './changes.ts';
import { type Connection, hasNext, isUnknownCommit, perPage, withText } from './connection.ts';
import { required } from './response.ts';

/** A comparison lists at most this many files, all on its first page ("Compare two commits"). */
const maxComparedFiles = 300;

/** The files of a commit or branch, each with a value that changes with it. */
type Tree = ReadonlyMap<string, string>;

/** Commits, comparisons, releases, and checks. */
export function createCommits(connection: Connection) {
  const { rest, read, find } = connection;
  /** `undefined` if GitHub truncates the tree ("Get a tree"). */
  async function readTree(tree_sha: string): Promise<Tree | undefined> {
    const params = { tree_sha, recursive: 'true' };
    const files = await read('Reading a tree', rest.git.getTree, params, (data) => {
      const { tree, truncated } = required(data);
      if (truncated) return undefined;
      return tree
        .filter(({ type }) => type !== 'tree')
        .map((file) => ({ path: file.path, value: `${file.mode} ${file.sha}` }));
    });
    return files && new Map(files.map(({ path, value }) => [path, value]));
  }

  return {
    readTree,

    /**
     * The changes on the head since it branched off the base; `undefined` without a common history,
     * or if a commit is gone.
     */
    compare: async (base: string, head: string): Promise<Comparison | undefined> => {
      const basehead = `${base}...${head}`;
      const answer = await find(
        `Comparing ${code(basehead)}`,
        rest.repos.compareCommitsWithBasehead,
        // The head is the last commit in the list only if no page number is passed.
        { basehead },
        (data) => {
          const compared = required(data);
          const start = compared.merge_base_commit;
          const last = required(compared.commits.at(-1) ?? start);
          return {
            trees: { before: start.commit.tree.sha, after: last.commit.tree.sha },
            status: compared.status,
            totalCommits: compared.total_commits,
            commits: compared.commits.map(toCommit),
            files: compared.files.map(toFile),
          };
        },
      );
      if (answer === undefined) return undefined;
      const { trees, ...comparison } = answer;
      const isWhole = comparison.files.length < maxComparedFiles;
      if (isWhole || comparison.commits.length === 0) return { ...comparison, isWhole };
      const before = await readTree(trees.before);
      const after = await readTree(trees.after);
      return { ...comparison, ...addUnlisted(comparison.files, before, after) };
    },

    /** A commit by its SHA; `undefined` if there is none. */
    readCommit: (ref: string) =>
      find(
        `Reading the commit ${code(ref)}`,
        rest.repos.getCommit,
        // The commit's files come in pages, but we don't need them.
        { ref, per_page: 1 },
        toCommit,
        isUnknownCommit,
      ),

    /**
     * The newest commit before a given time in the history of this one; `undefined` if there is none.
     */
    lastCommitBefore: (sha: string, untilMs: number) =>
      find(
        `Looking for an earlier commit in the history of ${code(sha)}`,
        rest.repos.listCommits,
        { sha, until: new Date(untilMs).toISOString(), per_page: 1 },
        (data) => required(data).map(toCommit)[0],
        isUnknownCommit,
      ),

    /** The published release for a tag; `undefined` if there is none. */
    readRelease: (tag: string) =>
      find(
        `Reading the release ${code(tag)}`,
        rest.repos.getReleaseByTag,
        { ...withText, tag },
        toRelease,
      ),

    /** A page of 100 published releases, newest first. The order of the pages is undocumented. */
    readReleases: (page: number) =>
      read(
        'Reading the releases',
        rest.repos.listReleases,
        { per_page: perPage, page },
        (data, link) => {
          const published = required(data).filter((release) => release.published_at !== null);
          const releases = published.map((answer) => {
            const { tag_name, prerelease, published_at } = required(answer);
            const publishedAtMs = Date.parse(published_at);
            return { tag: tag_name, isPrerelease: prerelease, publishedAtMs };
          });
          releases.sort((a, b) => b.publishedAtMs - a.publishedAtMs);
          return { releases, isLast: !hasNext(link) };
        },
      ),

    /**
     * The newest run of each of a commit's checks, among GitHub's first 100; `undefined` if there
     * is no such commit.
     */
    readChecks: (ref: string) =>
      find(
        'Reading the checks of a commit',
        rest.checks.listForRef,
        { ref, filter: 'latest', per_page: perPage },
        (data) => {
          const { total_count, check_runs } = required(data);
          const runs = check_runs.map(toCheckRun).sort((first, second) => first.id - second.id);
          // An app may create a second run of a check, instead of running the first one again.
          const byName = new Map(runs.map((run) => [`${run.app}/${run.name}`, run]));
          const checks = [...byName].sort().map(([, run]) => run);
          return { checks, isWhole: total_count <= check_runs.length };
        },
        isUnknownCommit,
      ),

    /** What a check says about lines of files: its first `max` annotations, each on one line. */
    readAnnotations: (check_run_id: number, max: number) =>
      read(
        'Reading the annotations of a check',
        rest.checks.listAnnotations,
        { check_run_id, per_page: max },
        (data) =>
          required(data).map((line) => `${line.path}:${line.start_line}: ${line.message ?? ''}`),
      ),
  };
}

/** The files that GitHub listed, and the names of all other changed files from the trees. */
function addUnlisted(listed: readonly ChangedFile[], before?: Tree, after?: Tree): FileList {
  if (before === undefined || after === undefined) return { files: listed, isWhole: false };
  // The original of a copied file still exists, and is listed separately if it changed.
  const listedPaths = new Set(listed.flatMap(pathsOf));
  const allPaths = new Set([...before.keys(), ...after.keys()]);
  const unlisted = [...allPaths]
    .filter((path) => !listedPaths.has(path) && before.get(path) !== after.get(path))
    .map((path): ChangedFile => {
      const status = statusOf(path, before, after);
      return { path, oldPath: undefined, status, lines: undefined, patch: undefined };
    });
  return { files: [...listed, ...unlisted], isWhole: true };
}

function statusOf(path: string, before: Tree, after: Tree): ChangedFile['status'] {
  if (!before.has(path)) return 'added';
  return after.has(path) ? 'modified' : 'removed';
}
