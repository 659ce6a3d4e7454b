import type { SimulatorCore } from '../../../simulator/core.ts';
import { DEFAULT_TOKEN } from '../../../simulator/github/store.ts';

/** What a phase of the action left behind, wherever it was played. */
export interface Played {
  readonly runId: number;
  readonly exitCode: number | null;
  readonly outputs: Readonly<Record<string, string>>;
  readonly state: Readonly<Record<string, string>>;
  readonly summary: string;
  /** All that was printed, before any masking. */
  readonly printed: string;
}

/** How it ended: `pr-created (pull-request)`. */
export function endOf({ outputs }: Pick<Played, 'outputs'>): string {
  return `${outputs.outcome} (${outputs.reason})`;
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
