import type { ChildProcess } from 'node:child_process';

import type { WebhookEvent } from '../github/types.ts';
import type { RequestMoment } from '../http/exchange.ts';
import type { Simulator } from '../index.ts';

/** Identifies a run and its attempt. */
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
  /** Provides GitHub, the repository and the clock. The service's URL is passed as the input `base-url`. */
  readonly simulator?: Simulator;
  readonly inputs: Readonly<Record<string, string>>;
  /** What triggered the run; a manual dispatch by default. */
  readonly event?: WebhookEvent;
  /** Environment variables that override the runner's own. */
  readonly env?: Readonly<Record<string, string>>;
  readonly runId?: number;
  readonly attempt?: number | undefined;
  /** Where the bundle is, if not in `dist/`. */
  readonly distDir?: string;
  /** GITHUB_WORKSPACE; an empty folder by default. */
  readonly workspace?: string;
  /** With a simulated clock, every sleep ends at once (`jump`), unless this is `real`. */
  readonly time?: 'jump' | 'real';
  /** Aborting it cancels the run as GitHub does. */
  readonly signal?: AbortSignal;
  /** How long a canceled run gets between the signals. */
  readonly cancelTimes?: CancelTimes;
  /** How long the process may run before it is killed; a minute by default. */
  readonly killAfterMs?: number;
  /** At this moment, the process is killed with SIGKILL, as if the runner itself died. */
  readonly killAt?: RequestMoment | undefined;
  readonly onSpawn?: (child: ChildProcess) => void;
  /** Gets every log line as it is printed. */
  readonly onLogLine?: (line: string) => void;
}
