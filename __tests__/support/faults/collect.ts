import type { SimulatorCore } from '../../../simulator/core.ts';
import type { Comment } from '../../../simulator/github/types.ts';
import { createInMemorySimulator } from '../../../simulator/in-memory.ts';
import { playedOf, runAction, withSimulator } from '../bundle/run.ts';
import { playMain } from '../in-process/play.ts';
import { endOf, leaks, type Played } from '../oracle/played.ts';
import { leaveOpen, readable, stageCollect } from '../scenarios/left-open.ts';
import {
  brokenCase,
  type FaultCase,
  type FaultEnd,
  lieInWait,
  nameOf,
  oversizedBytes,
  type Subject,
} from './case.ts';

const complete = 'collected (complete)';
const ends: ReadonlySet<string> = new Set([complete, 'collected (incomplete)', 'failed (github-error)']);

/** What a run may take at the worst: waits of minutes for GitHub, and half a minute for each request to the service. */
const mostMs = 45 * 60_000;

/** A run of collect mode over a job with a pull request, one that failed, a lost claim, and a claim to be taken back. */
export const collectSubject: Subject = {
  name: 'collect',
  requests: async () => (await undisturbed()).requests,
  inProcess,
  onBundle,
};

function stage(core: SimulatorCore): readonly Comment[] {
  const done = leaveOpen(core, { thread: 1 });
  const failed = leaveOpen(core, { thread: 2, script: { end: 'failed' }, marker: { outcome: 'timed-out' } });
  const lost = leaveOpen(core, { thread: 3, marker: { phase: 'claimed', job: undefined } });
  const { nonce, key } = { nonce: 'nonce-of-both', key: 'comment:1' };
  const first = leaveOpen(core, { thread: 4, marker: { phase: 'claimed', job: undefined, nonce, key } });
  const second = leaveOpen(core, { thread: 4, marker: { nonce, key, generation: 2 } });
  core.clock.advance(2 * 3_600_000);
  return [done, failed, lost, first, second].map(({ status }) => status);
}

/** What stands there for readers, or that it was deleted. */
function textsOf(comments: readonly Comment[]): string[] {
  return comments.map((comment) => (comment.deleted ? 'deleted' : readable(comment)));
}

interface Undisturbed {
  readonly requests: SimulatorCore['requests'];
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** The run that nothing is in the way of; one for all cases. */
let known: Promise<Undisturbed> | undefined;
function undisturbed(): Promise<Undisturbed> {
  const play = async (): Promise<Undisturbed> => {
    const core = createInMemorySimulator();
    const comments = stage(core);
    const before = textsOf(comments);
    const end = endOf(await collectIn(core, core.dispatcher));
    if (end !== complete) throw new Error(`Without a fault it ends as ${end}`);
    return { requests: core.requests, before, after: textsOf(comments) };
  };
  known ??= play();
  return known;
}

function collectIn(
  core: SimulatorCore,
  dispatcher: Parameters<typeof playMain>[0]['dispatcher'],
): Promise<Played> {
  return playMain({ core, dispatcher, staged: stageCollect(core), identity: { runId: 1, attempt: 1 } });
}

async function inProcess(one: FaultCase): Promise<FaultEnd> {
  const core = createInMemorySimulator();
  const comments = stage(core);
  lieInWait(core, one, oversizedBytes);
  const main = await collectIn(core, core.dispatcher);
  const problems = await judge(core, comments, one, main);
  core.faults.clear();
  problems.push(...(await judgeNext(comments, await collectIn(core, core.dispatcher))));
  return { name: nameOf(collectSubject.name, one), end: endOf(main), problems };
}

function onBundle(one: FaultCase): Promise<FaultEnd> {
  return withSimulator({}, async (simulator) => {
    const comments = stage(simulator);
    lieInWait(simulator, one);
    const main = await runAction({ simulator, ...stageCollect(simulator) });
    const problems = await judge(simulator, comments, one, playedOf(main));
    if (main.killedByBound || main.signal !== null) problems.push(`ended by ${main.signal}`);
    if (simulator.otherOrigin.requests.length > 0) problems.push('followed a redirect');
    return { name: nameOf(collectSubject.name, one), end: endOf(main), problems };
  });
}

/** All that is wrong with what the case left behind. */
async function judge(
  core: SimulatorCore,
  comments: readonly Comment[],
  one: FaultCase,
  played: Played,
): Promise<string[]> {
  const { before, after } = await undisturbed();
  const end = endOf(played);
  const problems = [...core.violations, ...brokenCase(core), ...leaks(core, played)];
  for (const [index, text] of textsOf(comments).entries())
    if (text !== before[index] && text !== after[index]) problems.push(`a comment says ${text}`);
  if (!ends.has(end)) problems.push(`ends as ${end}`);
  if (isBorne(one) && end !== complete) problems.push(`not ${complete}`);
  if (played.exitCode !== (played.outputs.outcome === 'failed' ? 1 : 0))
    problems.push(`exit code ${played.exitCode}`);
  const startedAt = core.requests[0]?.at ?? core.clock.now();
  if (core.clock.now() - startedAt > mostMs) problems.push('ended after its deadline');
  if (core.service.jobs.some(({ rounds }) => rounds.length > 1)) problems.push('sent a message');
  return problems;
}

/** A run after the fault finishes all that the first one left. */
async function judgeNext(comments: readonly Comment[], next: Played): Promise<string[]> {
  const { after } = await undisturbed();
  const problems = endOf(next) === complete ? [] : [`ends as ${endOf(next)}`];
  for (const [index, text] of textsOf(comments).entries())
    if (text !== after[index]) problems.push(`a comment says ${text}`);
  return problems.map((problem) => `next run: ${problem}`);
}

/** Whether a fault passes by itself: not a refusal that means an hour, nor a redirect of the service. */
function isBorne({ fault: { costs, spec }, isLasting }: FaultCase): boolean {
  return !isLasting && costs !== 'refused' && spec.kind !== 'redirect';
}
