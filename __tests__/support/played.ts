import type { SimulatorCore } from '../../simulator/core.ts';
import { DEFAULT_TOKEN } from '../../simulator/github/store.ts';
import type { WebhookEvent } from '../../simulator/github/types.ts';
import type { RequestMoment } from '../../simulator/http/exchange.ts';
import type { Workspace } from './files.ts';

/** Describes a run of the action: its trigger, its inputs, and what ends it early. */
export interface Run {
  readonly event: WebhookEvent;
  readonly inputs: Readonly<Record<string, string>>;
  readonly runId: number;
  readonly attempt?: number | undefined;
  /** The name of the workflow's file; only for runs in this process. */
  readonly workflow?: string | undefined;
  /** The request at which the run is killed, as if its runner had died. */
  readonly killAt?: RequestMoment | undefined;
  /** The request at which the run is canceled; only for runs in this process. */
  readonly cancelAt?: RequestMoment | undefined;
}

/** The results of one phase of a run. */
export interface Played {
  readonly runId: number;
  /** `null` if the process was killed. */
  readonly exitCode: number | null;
  readonly outputs: Readonly<Record<string, string>>;
  readonly state: Readonly<Record<string, string>>;
  readonly summary: string;
  /** All output, before secrets are masked. */
  readonly printed: string;
}

/** Runs the action with a simulator: in this process, or with the bundle in separate processes. */
export interface Player {
  readonly core: SimulatorCore;
  readonly files: Workspace;
  play(run: Run): Promise<Played>;
  post(main: Played, killAt?: RequestMoment): Promise<Played>;
}

/** The outcome and reason, such as `pr-created (pull-request)`. */
export function endOf({ outputs }: Pick<Played, 'outputs'>): string {
  return `${outputs.outcome} (${outputs.reason})`;
}

/** Returns a run that was killed as planned. @throws if the run survived, because its test would prove nothing. */
export function killed<P extends Played>(played: P, { at, nth = 1, phase }: RequestMoment): P {
  if (played.exitCode !== null) throw new Error(`It never came to ${at} (${nth}), ${phase}`);
  return played;
}

/** Finds the API key, the token, and stack traces in everything that people can read. */
export function leaks(
  core: SimulatorCore,
  { outputs, state, summary, printed }: Omit<Played, 'runId' | 'exitCode'>,
  key = core.service.apiKey,
): string[] {
  const written = core.github.comments
    .flatMap(({ history }) => history.map(({ body }) => body))
    .join('\n');
  const log = printed.replace(/^::add-mask::.*$/gm, '');
  const places = {
    outputs: JSON.stringify(outputs),
    state: JSON.stringify(state),
    summary,
    log,
    written,
  };
  return Object.entries(places).flatMap(([place, text]) => [
    ...(key !== '' && text.includes(key) ? [`the key is in the ${place}`] : []),
    ...(text.includes(DEFAULT_TOKEN) ? [`the token is in the ${place}`] : []),
    ...(/^\s+at .+:\d+:\d+\)?$|UnhandledPromise|node:internal/m.test(text)
      ? [`a stack in the ${place}`]
      : []),
  ]);
}
