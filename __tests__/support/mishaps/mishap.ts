import type { SimulatorCore } from '../../../simulator/core.ts';
import type { RequestChoice } from '../../../simulator/http/choose-request.ts';
import type { BoundaryPhase, RequestMoment } from '../../../simulator/http/exchange.ts';
import type { Played, Player, Run } from '../played.ts';
import { type Fault, faultAt } from './kinds.ts';

/** What happens to a run at one of its requests. */
export type Mishap =
  | { readonly kind: 'none' }
  /** `isLasting`: from there on, at every request to the same API. */
  | { readonly kind: 'fault'; readonly fault: Fault; readonly isLasting?: boolean }
  | { readonly kind: 'cancel'; readonly phase: BoundaryPhase }
  /** Without a post phase, the runner died together with the run. `postAt` is where post is killed, too. */
  | {
      readonly kind: 'kill';
      readonly phase: BoundaryPhase;
      readonly isPostRun: boolean;
      readonly postAt?: RequestMoment;
    };

/** What a run led to. */
export interface RunEnd {
  /** As people see it: after a killed main, its outputs and the summary of post. */
  readonly played: Played;
  /** Whether main or post finished. */
  readonly isOver: boolean;
}

/** Plays main with a mishap at that request, then post as the runner would. `bytes` is the size of oversized responses. */
export async function playWith(
  { core, play, post }: Player,
  run: Run,
  mishap: Mishap,
  choice: RequestChoice,
  bytes?: number,
): Promise<RunEnd> {
  const { kind } = mishap;
  if (kind === 'fault') armFault(core, mishap, choice, bytes);
  const main = await play({
    ...run,
    ...(kind === 'cancel' ? { cancelAt: { ...choice, phase: mishap.phase } } : {}),
    ...(kind === 'kill' ? { killAt: { ...choice, phase: mishap.phase } } : {}),
  });
  core.faults.clear();
  // Requests that a canceled run had already sent arrive before anything else happens.
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
  const isKilled = main.exitCode === null;
  if (isKilled && kind === 'kill' && !mishap.isPostRun) return { played: main, isOver: false };
  const postAt = kind === 'kill' ? mishap.postAt : undefined;
  const finished = await post(main, postAt);
  const summary = isKilled ? finished.summary : main.summary;
  const played = { ...main, summary, printed: `${main.printed}\n${finished.printed}` };
  // Before its claim, a killed run has left nothing for post to finish.
  const isFinished = finished.exitCode !== null && (main.state.run ?? '') !== '';
  return { played, isOver: !isKilled || isFinished };
}

function armFault(
  { faults, once }: SimulatorCore,
  { fault, isLasting = false }: Extract<Mishap, { kind: 'fault' }>,
  choice: RequestChoice,
  bytes?: number,
): void {
  if (!isLasting) {
    faults.add(faultAt(fault, choice, bytes));
    return;
  }
  once({ ...choice, phase: 'arrived' }, ({ to }) => {
    const spec = faultAt(fault, { at: (request) => request.to === to }, bytes);
    faults.add({ ...spec, times: Number.POSITIVE_INFINITY });
  });
}
