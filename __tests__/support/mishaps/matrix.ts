import { choicesOf, type RouteChoice } from '../../../simulator/http/choose-request.ts';
import type { RecordedRequest } from '../../../simulator/http/messages.ts';
import { onBundle } from '../bundle/player.ts';
import { memoryPlayer } from '../in-process/player.ts';
import { endOf, leaks, type Played, type Player, type Run } from '../played.ts';
import { type Mishap, playWith, type RunEnd } from './mishap.ts';

/** One use of the action, tested with every fault, cancellation, and kill. */
export interface Subject {
  readonly name: string;
  stage(player: Player): Promise<Staging>;
}

/** A run, and how to check what it leaves behind. */
export interface Staging {
  readonly run: Run;
  readonly end: string;
  /** The longest time that the run may take: minutes of waiting for GitHub, and half a minute per service request. */
  readonly maxMs: number;
  /** Everything that is wrong after the run. */
  judge(end: RunEnd, trouble: Case): string[];
  /** The next run; a re-run by default. */
  next?(): Run;
  judgeNext(next: Played, trouble: Case): string[];
}

/** Something that goes wrong, and the request at which it happens. */
export interface Case extends RouteChoice {
  readonly mishap: Mishap;
}

/** How a case ended, and everything that was wrong. */
export interface CaseEnd {
  readonly name: string;
  readonly end: string;
  readonly next: string;
  readonly problems: readonly string[];
}

/** The requests of an undisturbed run, in order. */
export async function requestsOf(subject: Subject): Promise<readonly RecordedRequest[]> {
  const player = memoryPlayer();
  const { run, end } = await subject.stage(player);
  const before = player.core.requests.length;
  const played = await player.play(run);
  if (endOf(played) !== end) throw new Error(`Undisturbed it ends as ${endOf(played)}`);
  return player.core.requests.slice(before);
}

/** One case for each point at which the run can be ended: before and after each request is handled. */
export async function endsOf(
  subject: Subject,
  mishap: { readonly kind: 'cancel' } | { readonly kind: 'kill'; readonly isPostRun: boolean },
): Promise<Case[]> {
  const boundaries = boundariesOf(await requestsOf(subject));
  return boundaries.map(({ phase, ...choice }) => ({ ...choice, mishap: { ...mishap, phase } }));
}

/** The points before and after each of these requests is handled. */
function boundariesOf(requests: readonly RecordedRequest[]) {
  const phases = ['arrived', 'handled'] as const;
  return choicesOf(requests).flatMap((choice) => phases.map((phase) => ({ ...choice, phase })));
}

/** Adds cases that also kill the post phase, one for each point at which it can be killed. */
export async function endsOfPost(subject: Subject, trouble: Case): Promise<Case[]> {
  const { mishap, ...choice } = trouble;
  if (mishap.kind !== 'kill') return [];
  const player = memoryPlayer();
  const { run } = await subject.stage(player);
  const main = await player.play({ ...run, killAt: { ...choice, phase: mishap.phase } });
  const before = player.core.requests.length;
  await player.post(main);
  const boundaries = boundariesOf(player.core.requests.slice(before));
  return boundaries.map((postAt) => ({ ...trouble, mishap: { ...mishap, postAt } }));
}

/** Runs a case in this process. Oversized responses can be smaller here. */
export function playInProcess(subject: Subject, trouble: Case): Promise<CaseEnd> {
  return play(subject, trouble, memoryPlayer(), 256 * 1024);
}

export function playOnBundle(subject: Subject, trouble: Case): Promise<CaseEnd> {
  return onBundle((player) => play(subject, trouble, player));
}

async function play(
  subject: Subject,
  trouble: Case,
  player: Player,
  bytes?: number,
): Promise<CaseEnd> {
  const { core } = player;
  const { run, maxMs, judge, judgeNext, ...staging } = await subject.stage(player);
  const startedAt = core.clock.now();
  const { mishap, ...choice } = trouble;
  const ended = await playWith(player, run, mishap, choice, bytes);
  const { played } = ended;
  const problems = [...judge(ended, trouble), ...leaks(core, played)];
  if (played.exitCode !== exitCodeOf(played, mishap)) problems.push(`exit code ${played.exitCode}`);
  if (core.clock.now() - startedAt > maxMs) problems.push('ended after its deadline');
  const again = { ...run, attempt: (run.attempt ?? 1) + 1 };
  const next = await player.play(staging.next?.() ?? again);
  problems.push(
    ...judgeNext(next, trouble).map((problem) => `re-run: ${problem}`),
    ...core.violations,
  );
  if (mishap.kind === 'fault' && !core.requests.some(({ fault }) => fault !== null))
    problems.push('no request met the fault');
  if (core.otherOrigin.requests.length > 0) problems.push('followed a redirect');
  return { name: nameOf(subject, trouble), end: endOf(played), next: endOf(next), problems };
}

function exitCodeOf({ outputs: { outcome, reason } }: Played, mishap: Mishap): number | null {
  if (mishap.kind === 'kill') return null;
  return (outcome === 'failed' && reason !== 'cancelled') || outcome === 'timed-out' ? 1 : 0;
}

function nameOf({ name }: Subject, { mishap, at, nth }: Case): string {
  const { kind } = mishap;
  const what =
    kind === 'fault' ? `${mishap.fault.name}${mishap.isLasting === true ? ' for good' : ''}` : kind;
  const phase = 'phase' in mishap ? `, ${mishap.phase}` : '';
  return `${name}, ${what} at ${at} (${nth})${phase}`;
}
