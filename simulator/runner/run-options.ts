import type { WebhookEvent } from '../github/types.ts';
import type { RequestMoment } from '../http/exchange.ts';
import type { Simulator } from '../index.ts';
import type { RunnerLog } from './log.ts';

/** A run and its attempt. */
export interface RunIdentity {
  readonly runId: number;
  readonly attempt: number;
}

export interface CancelTimes {
  /** The time from SIGINT to SIGTERM. */
  readonly sigtermAfterMs?: number;
  /** The time from SIGTERM to SIGKILL. */
  readonly sigkillAfterMs?: number;
}

/** How a phase ended, and what it printed. */
export interface Ended {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly durationMs: number;
  readonly killedByBound: boolean;
}

/** What the runner gives a phase. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** Runs the phase whose code is in the file `entry`. */
export type Execute = (
  entry: string,
  surroundings: Surroundings,
  log: RunnerLog,
  options: RunOptions,
) => Promise<Ended>;

/** How to run the action. */
export interface RunOptions {
  /** Provides GitHub, the repository, and the clock. The service's URL comes from the input `base-url`. */
  readonly simulator: Simulator;
  readonly inputs: Readonly<Record<string, string>>;
  /** What triggered the run; `workflow_dispatch` by default. */
  readonly event?: WebhookEvent;
  readonly env?: Readonly<Record<string, string>>;
  readonly runId?: number;
  readonly attempt?: number | undefined;
  /** The bundle's folder, if it isn't `dist/`. Its `action.yml` is next to it. */
  readonly distDir?: string;
  /** GITHUB_WORKSPACE; an empty folder by default. */
  readonly workspace?: string;
  /** Cancels the run as GitHub does, or with a single signal if that is the reason for the abort. */
  readonly signal?: AbortSignal;
  readonly cancelTimes?: CancelTimes | undefined;
  /** The longest the process may run before it is killed; one minute by default. */
  readonly killAfterMs?: number;
  /** The request at which the process gets SIGKILL, as if the runner itself had died. */
  readonly killAt?: RequestMoment | undefined;
  /** How to run a phase; by default, its file in `dist/` in a process of its own. */
  readonly execute?: Execute | undefined;
  readonly onLogLine?: (line: string) => void;
}
