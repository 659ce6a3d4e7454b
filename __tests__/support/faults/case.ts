import type { SimulatorCore } from '../../../simulator/core.ts';
import type { RouteChoice } from '../../../simulator/http/choose-request.ts';
import type { RecordedRequest } from '../../../simulator/http/messages.ts';
import { onBundle } from '../bundle/player.ts';
import { memoryPlayer } from '../in-process/player.ts';
import { endOf, leaks, type Played, type Player, type Run } from '../played.ts';
import { type Fault, faultAt } from './kinds.ts';

/** A fault at a request of a run; `isLasting`: at every request to the same API from there on. */
export interface FaultCase extends RouteChoice {
  readonly fault: Fault;
  readonly isLasting: boolean;
}

export interface FaultEnd {
  readonly name: string;
  readonly end: string;
  readonly problems: readonly string[];
}

/** One way to use the action, as the fault matrix plays it. */
export interface Subject {
  readonly name: string;
  /** Sets up what is played. */
  stage(player: Player): Promise<Staging>;
}

/** What is played, and how it is judged. */
export interface Staging {
  readonly run: Run;
  /** How it ends when nothing happens to it. */
  readonly end: string;
  /** What it may take at the worst: waits of minutes for GitHub, and half a minute for each request to the service. */
  readonly mostMs: number;
  /** All that is wrong with what a run has left that met the fault; what it printed includes its post phase. */
  judge(main: Played, one: FaultCase): string[];
  /** All that is wrong with what a run after it has left. */
  judgeNext(next: Played): string[];
}

/** The requests that it sends when nothing happens to it, in their order. */
export async function requestsOf(subject: Subject): Promise<readonly RecordedRequest[]> {
  const player = memoryPlayer();
  const { run, end } = await subject.stage(player);
  const before = player.core.requests.length;
  const played = await player.play(run);
  if (endOf(played) !== end) throw new Error(`Without a fault it ends as ${endOf(played)}`);
  return player.core.requests.slice(before);
}

/** Plays a case with the product's modules in this process, where an oversized answer need not be large. */
export function playInProcess(subject: Subject, one: FaultCase): Promise<FaultEnd> {
  return play(subject, one, memoryPlayer(), 256 * 1024);
}

export function playOnBundle(subject: Subject, one: FaultCase): Promise<FaultEnd> {
  return onBundle((player) => play(subject, one, player));
}

async function play(subject: Subject, one: FaultCase, player: Player, bytes?: number): Promise<FaultEnd> {
  const { core } = player;
  const { run, mostMs, judge, judgeNext } = await subject.stage(player);
  const startedAt = core.clock.now();
  lieInWait(core, one, bytes);
  const main = await player.play(run);
  core.faults.clear();
  const { printed } = await player.post(main);
  const left = { ...main, printed: `${main.printed}\n${printed}` };
  const { outcome } = main.outputs;
  const isRed = outcome === 'failed' || outcome === 'timed-out';
  const problems = [...judge(left, one), ...leaks(core, left)];
  if (main.exitCode !== (isRed ? 1 : 0)) problems.push(`exit code ${main.exitCode}`);
  if (core.clock.now() - startedAt > mostMs) problems.push('ended after its deadline');
  const next = await player.play({ ...run, attempt: 2 });
  problems.push(...judgeNext(next).map((problem) => `re-run: ${problem}`), ...core.violations);
  if (!core.requests.some(({ fault }) => fault !== null)) problems.push('no request met the fault');
  if (core.otherOrigin.requests.length > 0) problems.push('followed a redirect');
  const { fault, at, nth, isLasting } = one;
  const name = `${subject.name}, ${fault.name}${isLasting ? ' for good' : ''} at ${at} (${nth})`;
  return { name, end: endOf(main), problems };
}

/** Has the simulator do it; `bytes` where an oversized answer need not be as large as the real ones. */
function lieInWait(
  { faults, once }: SimulatorCore,
  { fault, at, nth, isLasting }: FaultCase,
  bytes?: number,
) {
  if (!isLasting) {
    faults.add(faultAt(fault, { at, nth }, bytes));
    return;
  }
  once({ at, nth, phase: 'arrived' }, ({ to }) => {
    const spec = faultAt(fault, { at: (request) => request.to === to }, bytes);
    faults.add({ ...spec, times: Number.POSITIVE_INFINITY });
  });
}
