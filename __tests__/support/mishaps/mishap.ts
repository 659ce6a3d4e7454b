import type { SimulatorCore } from '../../../simulator/core.ts';
import type { RequestChoice } from '../../../simulator/http/choose-request.ts';
import type { BoundaryPhase, RequestMoment } from '../../../simulator/http/exchange.ts';
import type { Played, Player, Run } from '../played.ts';
import type { Fault } from './kinds.ts';

/** What goes wrong at one request of a run. */
export type Mishap =
  | { readonly kind: 'none' }
  /** `isLasting`: the fault also hits all later requests to the same API. */
  | { readonly kind: 'fault'; readonly fault: Fault; readonly isLasting?: boolean }
  | { readonly kind: 'cancel'; readonly phase: BoundaryPhase }
  /** If `isPostRun` is false, the runner dies, too. `postAt` is where the post phase is killed. */
  | {
      readonly kind: 'kill';
      readonly phase: BoundaryPhase;
      readonly isPostRun: boolean;
      readonly postAt?: RequestMoment;
    };

/** How a run ended after something went wrong. */
export interface RunEnd {
  /** What people see: main's outputs, and the summary from post if main was killed. */
  readonly played: Played;
  /** Whether main or post ran to its end. */
  readonly isOver: boolean;
}

/** Runs main, lets something go wrong at the chosen request, and runs post. `bytes` is the size of oversized responses. */
export async function playWith(
  { core, play, post }: Player,
  run: Run,
  mishap: Mishap,
  choice: RequestChoice,
  bytes?: number,
): Promise<RunEnd> {
  const { kind } = mishap;
  const disarm = kind === 'fault' ? armFault(core, mishap, choice, bytes) : undefined;
  const main = await play({
    ...run,
    ...(kind === 'cancel' ? { cancelAt: { ...choice, phase: mishap.phase } } : {}),
    ...(kind === 'kill' ? { killAt: { ...choice, phase: mishap.phase } } : {}),
  });
  disarm?.();
  core.faults.clear();
  // Wait until all requests that a canceled run has already sent have arrived.
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
  const isKilled = main.exitCode === null;
  if (isKilled && kind === 'kill' && !mishap.isPostRun) return { played: main, isOver: false };
  const postAt = kind === 'kill' ? mishap.postAt : undefined;
  const finished = await post(main, postAt);
  const summary = isKilled ? finished.summary : main.summary;
  const played = { ...main, summary, printed: `${main.printed}\n${finished.printed}` };
  // A run that is killed before its claim leaves nothing for post to do.
  const isFinished = finished.exitCode !== null && (main.state.run ?? '') !== '';
  return { played, isOver: !isKilled || isFinished };
}

function armFault(
  { faults, once }: SimulatorCore,
  { fault: { spec }, isLasting = false }: Extract<Mishap, { kind: 'fault' }>,
  choice: RequestChoice,
  bytes?: number,
): (() => void) | undefined {
  const fault = bytes !== undefined && spec.kind === 'oversized-json' ? { ...spec, bytes } : spec;
  if (!isLasting) {
    faults.add({ ...fault, ...choice });
    return undefined;
  }
  return once({ ...choice, phase: 'arrived' }, ({ to }) => {
    faults.add({ ...fault, at: (request) => request.to === to, times: Number.POSITIVE_INFINITY });
  });
}
