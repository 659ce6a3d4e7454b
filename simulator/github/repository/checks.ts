import type { GitHubStore } from '../store.ts';

/** A check run: what an app says about a commit. */
export interface CheckRun {
  readonly id: number;
  readonly sha: string;
  /** The app's slug. */
  readonly app: string;
  readonly name: string;
  status: 'queued' | 'in_progress' | 'completed';
  conclusion: string | null;
  /** `null` until the run is completed. */
  completedAt: number | null;
  readonly title: string | null;
  readonly summary: string | null;
  readonly detailsUrl: string | null;
  /** As `path:line: message`. */
  readonly annotations: readonly string[];
}

/** The check runs of a repository's commits. */
export class Checks {
  readonly #runs: CheckRun[] = [];
  readonly #store: GitHubStore;

  constructor(store: GitHubStore) {
    this.#store = store;
  }

  /** Adds a check run. By default, it is a deployment that has passed. A second run of the same check supersedes the first one. */
  add(sha: string, given: Partial<Omit<CheckRun, 'id' | 'sha'>> = {}): CheckRun {
    const id = this.#store.newId();
    const usual = { app: 'mintlify', name: 'Mintlify Deployment', status: 'completed' } as const;
    const words = { title: null, summary: null, annotations: [] };
    const detailsUrl = `https://dashboard.example/deployments/${id}`;
    const isOver = (given.status ?? 'completed') === 'completed';
    const end = isOver
      ? { conclusion: 'success', completedAt: this.#store.now() }
      : { conclusion: null, completedAt: null };
    const run: CheckRun = { id, sha, ...usual, ...end, detailsUrl, ...words, ...given };
    this.#runs.push(run);
    return run;
  }

  find(id: number): CheckRun | undefined {
    return this.#runs.find((run) => run.id === id);
  }

  /** The newest check run of each app and name, for a commit. */
  of(sha: string): CheckRun[] {
    const runs = this.#runs.filter((run) => run.sha === sha);
    return [...new Map(runs.map((run) => [`${run.app}/${run.name}`, run])).values()];
  }
}
