/** What GitHub lists at most. Tests may lower it. */
export interface ListLimits {
  /** Of a comparison ("Compare two commits"). */
  comparedFiles: number;
  comparedCommits: number;
  /** "List pull requests files". */
  pullRequestFiles: number;
  /** "Get a tree". */
  treeEntries: number;
  /** Of all patches of one answer, and of one file's ("Repository limits"). */
  patchLines: number;
  patchBytes: number;
  filePatchBytes: number;
}

export function usualListLimits(): ListLimits {
  return {
    comparedFiles: 300,
    comparedCommits: 250,
    pullRequestFiles: 3_000,
    treeEntries: 100_000,
    patchLines: 20_000,
    patchBytes: 1_000_000,
    filePatchBytes: 500_000,
  };
}
