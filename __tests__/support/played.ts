import type { SimulatorCore } from '../../simulator/core.ts';
import { DEFAULT_TOKEN } from '../../simulator/github/store.ts';
import type { WebhookEvent } from '../../simulator/github/types.ts';
import type { RequestMoment } from '../../simulator/http/exchange.ts';
import type { Workspace } from './files.ts';

/** A run of the action: what started it, what it is given, and what ends it early. */
export interface Run {
  readonly event: WebhookEvent;
  readonly inputs: Readonly<Record<string, string>>;
  readonly runId: number;
  readonly attempt?: number | undefined;
  /** When it is killed for good, as when its runner dies. */
  readonly killAt?: RequestMoment | undefined;
  /** When it is cancelled; in this process alone. */
  readonly cancelAt?: RequestMoment | undefined;
}

/** What a phase of a run left behind, wherever it was played. */
export interface Played {
  readonly runId: number;
  /** `null` for a process that was killed. */
  readonly exitCode: number | null;
  readonly outputs: Readonly<Record<string, string>>;
  readonly state: Readonly<Record<string, string>>;
  readonly summary: string;
  /** All that was printed, before any masking. */
  readonly printed: string;
}

/** Plays runs against a simulator: in this process, or with the bundle in processes of their own. */
export interface Player {
  readonly core: SimulatorCore;
  readonly files: Workspace;
  play(run: Run): Promise<Played>;
  /** The post phase of a run that was played, as the runner always adds it. */
  post(main: Played, killAt?: RequestMoment): Promise<Played>;
}

/** How it ended: `pr-created (pull-request)`. */
export function endOf({ outputs }: Pick<Played, 'outputs'>): string {
  return `${outputs.outcome} (${outputs.reason})`;
}

/** Lets pass what was to be killed at that moment. @throws where it never came to it: then a test would prove nothing. */
export function killed<P extends Played>(played: P, { at, nth = 1, phase }: RequestMoment): P {
  if (played.exitCode !== null) throw new Error(`It never came to ${at} (${nth}), ${phase}`);
  return played;
}

/** The key and the token in anything that people may read, and stack traces. */
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
