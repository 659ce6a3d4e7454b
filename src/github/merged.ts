import { toFile, toPerson } from './changes.ts';
import { type Connection, hasNext, perPage, type Rest } from './connection.ts';
import { required } from './response.ts';

const maxPages = 3;

export type Merged = Awaited<ReturnType<ReturnType<typeof createMerged>['readMerged']>>['pulls'][number];

export function createMerged({ rest, read, find, limits }: Connection) {
  return {
    /** `current`: the repository's name today. GitHub redirects requests with an earlier one, which doubles their number. */
    readAbout: (signal: AbortSignal) =>
      read(['Reading the repository', signal, rest.repos.get, {}], (data) => {
        const { default_branch: defaultBranch, private: isPrivate, full_name } = required(data);
        const [owner = '', repo = ''] = full_name.split('/');
        return { defaultBranch, isPrivate, current: { owner, repo } };
      }),

    /** The pull requests that were merged into a branch since then, the ones merged last first. */
    readMerged: async (base: string, sinceMs: number, signal: AbortSignal) => {
      const found = new Map<number, ReturnType<typeof toMerged>>();
      let isWhole = false;
      for (let page = 1; page <= maxPages && !isWhole && !limits.isNearlySpent(); page += 1) {
        const order = { state: 'closed', sort: 'updated', direction: 'desc' } as const;
        const given = { ...order, base, per_page: perPage, page };
        await read(['Reading the pull requests', signal, rest.pulls.list, given], (data, link) => {
          const pulls = required(data).map(toMerged);
          for (const pull of pulls) found.set(pull.number, pull);
          // A pull request that wasn't updated since then wasn't merged since then either.
          isWhole = !hasNext(link) || pulls.some(({ updatedAtMs }) => updatedAtMs < sinceMs);
        });
      }
      const pulls = [...found.values()].filter(({ mergedAtMs }) => mergedAtMs >= sinceMs);
      return { pulls: pulls.toSorted((a, b) => b.mergedAtMs - a.mergedAtMs), isWhole };
    },

    /** The paths of a pull request's first 100 files; `undefined` if the diff is too large for GitHub (422). A renamed file has two. */
    readChangedPaths: (pull_number: number, signal: AbortSignal) => {
      const doing = `Reading the files of pull request ${pull_number}`;
      const asked = [doing, signal, rest.pulls.listFiles, { pull_number, per_page: perPage }] as const;
      return find(
        asked,
        (data, link) => {
          const files = required(data).map(toFile);
          const paths = files.flatMap(({ path, oldPath, status }) =>
            status === 'renamed' && oldPath !== undefined ? [path, oldPath] : [path],
          );
          return { paths, isWhole: !hasNext(link) };
        },
        ({ status }) => status === 422,
      );
    },
  };
}

function toMerged(answer: Awaited<ReturnType<Rest['pulls']['list']>>['data'][number]) {
  const { number, html_url: url, updated_at } = required(answer);
  return {
    number,
    url,
    isBot: toPerson(answer.user).isBot,
    updatedAtMs: Date.parse(updated_at),
    /** Not a number if it wasn't merged. */
    mergedAtMs: Date.parse(answer.merged_at ?? ''),
  };
}
