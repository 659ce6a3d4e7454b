import type { ChildProcess } from 'node:child_process';

import type { WebhookEvent } from '../github/types.ts';
import type { RequestMoment } from '../http/exchange.ts';
import type { Simulator } from '../index.ts';

/** Which step of which run it is. */
export interface RunIdentity {
  readonly runId: number;
  readonly attempt: number;
}

export interface CancelTimes {
  /** From SIGINT to SIGTERM. */
  readonly sigtermAfterMs?: number;
  /** From SIGTERM to SIGKILL. */
  readonly sigkillAfterMs?: number;
}

/** How to run the action. */
export interface RunOptions {
  /** Provides GitHub, the repository and the clock. The service's address is given as the input `base-url`. */
  readonly simulator?: Simulator;
  readonly inputs: Readonly<Record<string, string>>;
  /** What triggered the run; a manual dispatch by default. */
  readonly event?: WebhookEvent;
  /** Environment variables, which replace the runner's own. */
  readonly env?: Readonly<Record<string, string>>;
  readonly runId?: number;
  readonly attempt?: number | undefined;
  /** Where the bundle is, if not in `dist/`. */
  readonly distDir?: string;
  /** GITHUB_WORKSPACE; an empty folder by default. */
  readonly workspace?: string;
  /** With a simulated clock every sleep is over at once (`jump`), unless this says `real`. */
  readonly time?: 'jump' | 'real';
  /** Aborting it cancels the run as GitHub does. */
  readonly signal?: AbortSignal;
  /** How long a cancelled run gets between the signals. */
  readonly cancelTimes?: CancelTimes;
  /** How long the process may run before it is killed; a minute by default. */
  readonly killAfterMs?: number;
  /** At this moment the process is killed with SIGKILL, as when the runner itself dies. */
  readonly killAt?: RequestMoment | undefined;
  readonly onSpawn?: (child: ChildProcess) => void;
  /** Gets every line of the log as it is printed. */
  readonly onLogLine?: (line: string) => void;
}
