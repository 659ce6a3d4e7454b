import { type Connection, perPage, type Rest } from './connection.ts';
import { required } from './response.ts';

type Run = Awaited<ReturnType<Rest['checks']['listForRef']>>['data']['check_runs'][number];

export type CheckRun = Readonly<ReturnType<typeof toCheckRun>>;

function toCheckRun(answer: Run) {
  const { id, name, status } = required(answer);
  const { app, conclusion, details_url: url, completed_at: at } = answer;
  // GitHub documents the output, but an older run may have none.
  const output: Partial<Run['output']> | null = answer.output;
  const completedAtMs = at == null ? Number.POSITIVE_INFINITY : Date.parse(at);
  return { id, name, status, app: app?.slug ?? '', conclusion: conclusion ?? '', url, output, completedAtMs };
}

export function createChecks({ rest, find, read }: Connection) {
  return {
    /** The newest run of each of a commit's checks, among GitHub's first 100; `undefined` if there is no such commit. */
    readChecks: (ref: string, signal: AbortSignal) => {
      const doing = 'Reading the checks of a commit';
      const given = { ref, filter: 'latest', per_page: perPage } as const;
      return find([doing, signal, rest.checks.listForRef, given], (data) => {
        const { total_count, check_runs } = required(data);
        const runs = check_runs.map(toCheckRun).sort((first, second) => first.id - second.id);
        // An app may create a second run of a check, instead of running the first one again.
        const byName = new Map(runs.map((run) => [`${run.app}/${run.name}`, run]));
        const checks = [...byName].sort().map(([, run]) => run);
        return { checks, isWhole: total_count <= check_runs.length };
      });
    },

    /** What a check says about lines of files: its first `most` annotations, each on one line. */
    readAnnotations: (check_run_id: number, most: number, signal: AbortSignal) => {
      const doing = 'Reading the annotations of a check';
      return read([doing, signal, rest.checks.listAnnotations, { check_run_id, per_page: most }], (data) =>
        required(data).map(({ path, start_line, message }) => `${path}:${start_line}: ${message ?? ''}`),
      );
    },
  };
}
