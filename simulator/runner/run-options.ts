import type { ChildProcess } from 'node:child_process';

import type { WebhookEvent } from '../github/types.ts';
import type { RequestMoment } from '../http/exchange.ts';
import type { Simulator } from '../index.ts';
import type { CancelTimes } from './cancel.ts';

/** Which run it is, as the runner tells a step. */
export interface RunIdentity {
  readonly runId: number;
  readonly attempt: number;
  readonly stepId: string;
  readonly job: string;
}

/** What is run, and what happens to it. */
export interface RunOptions {
  /** Gives the addresses of GitHub, the repository and the clock; `base-url` is an input like any other. */
  readonly simulator?: Simulator;
  readonly inputs: Readonly<Record<string, string>>;
  /** What triggered the run; a manual dispatch unless told otherwise. */
  readonly event?: WebhookEvent;
  /** Variables over the runner's own. */
  readonly env?: Readonly<Record<string, string>>;
  readonly runId?: number;
  readonly attempt?: number;
  readonly stepId?: string;
  readonly job?: string;
  /** What `${{ github.token }}` stands for. */
  readonly githubToken?: string;
  /** The folder of `action.yml`; this repository unless told otherwise. */
  readonly actionDir?: string;
  /** Where the bundle is, if not where `action.yml` says. */
  readonly distDir?: string;
  /** GITHUB_WORKSPACE; an empty folder unless told otherwise. */
  readonly workspace?: string;
  /** `jump`, which needs a simulated clock and is what is done with one, ends every sleep at once. */
  readonly time?: 'jump' | 'real';
  /** Aborting cancels the run as GitHub does. */
  readonly signal?: AbortSignal;
  /** How long a cancelled run is given between the signals. */
  readonly cancelTimes?: CancelTimes;
  /** After so long the child is killed, come what may. */
  readonly killAfterMs?: number;
  /** The moment at which the child is killed for good, as a runner that dies kills it; whoever it spoke to gets no answer. */
  readonly killAt?: RequestMoment;
  readonly onSpawn?: (child: ChildProcess) => void;
  /** The log as it comes, line by line. */
  readonly onLogLine?: (line: string) => void;
}
