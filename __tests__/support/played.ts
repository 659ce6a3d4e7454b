import type { SimulatorCore } from '../../simulator/core.ts';
import { DEFAULT_TOKEN } from '../../simulator/github/store.ts';
import type { WebhookEvent } from '../../simulator/github/types.ts';
import type { RequestMoment } from '../../simulator/http/exchange.ts';
import type { Workspace } from './files.ts';

/** A run of the action: what starts it, its inputs, and what ends it early. */
export interface Run {
  readonly event: WebhookEvent;
  readonly inputs: Readonly<Record<string, string>>;
  readonly runId: number;
  readonly attempt?: number | undefined;
  /** When it is killed for good, as if its runner died. */
  readonly killAt?: RequestMoment | undefined;
  /** When it is canceled; only for runs in this process. */
  readonly cancelAt?: RequestMoment | undefined;
}

/** What a phase of a run left behind, however it was played. */
export interface Played {
  readonly runId: number;
  /** `null` for a killed process. */
  readonly exitCode: number | null;
  readonly outputs: Readonly<Record<string, string>>;
  readonly state: Readonly<Record<string, string>>;
  readonly summary: string;
  /** Everything printed, before any masking. */
  readonly printed: string;
}

/** Plays runs against a simulator: in this process, or with the bundle in separate processes. */
export interface Player {
  readonly core: SimulatorCore;
  readonly files: Workspace;
  play(run: Run): Promise<Played>;
  /** The post phase of a played run, which the runner always adds. */
  post(main: Played, killAt?: RequestMoment): Promise<Played>;
}

/** How it ended: `pr-created (pull-request)`. */
export function endOf({ outputs }: Pick<Played, 'outputs'>): string {
  return `${outputs.outcome} (${outputs.reason})`;
}

/** Swallows the error of an expected kill. @throws if the run was never killed, because then a test would prove nothing. */
export function killed<P extends Played>(played: P, { at, nth = 1, phase }: RequestMoment): P {
  if (played.exitCode !== null) throw new Error(`It never came to ${at} (${nth}), ${phase}`);
  return played;
}

/** The key and the token in anything people can read, and stack traces. */
export function leaks(core: SimulatorCore, { outputs, state, summary, printed }: Played): string[] {
  const written = core.github.comments.flatMap(({ history }) => history.map(({ body }) => body)).join('\n');
  const log = printed.replace(/^::add-mask::.*$/gm, '');
  const places = { outputs: JSON.stringify(outputs), state: JSON.stringify(state), summary, log, written };
  return Object.entries(places).flatMap(([place, text]) => [
    ...(text.includes(core.service.apiKey) ? [`the key is in the ${place}`] : []),
    ...(text.includes(DEFAULT_TOKEN) ? [`the token is in the ${place}`] : []),
    ...(/^\s+at .+:\d+:\d+\)?$|UnhandledPromise|node:internal/m.test(text)
      ? [`a stack in the ${place}`]
      : []),
  ]);
}
