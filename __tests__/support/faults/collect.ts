import type { SimulatorCore } from '../../../simulator/core.ts';
import { BOT_LOGIN } from '../../../simulator/github/store.ts';
import type { Comment } from '../../../simulator/github/types.ts';
import type { RecordedRequest } from '../../../simulator/http/messages.ts';
import { createInMemorySimulator } from '../../../simulator/in-memory.ts';
import { playedOf, runAction, withSimulator } from '../bundle/run.ts';
import { collect } from '../in-process/collect.ts';
import { readable } from '../oracle/agent.ts';
import { endOf, leaks, type Played } from '../oracle/played.ts';
import { routes } from '../routes.ts';
import { leaveOpen, runCommand, stageCollect } from '../scenarios/left-open.ts';
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

async function stage(core: SimulatorCore): Promise<readonly Comment[]> {
  await leaveOpen(core, { thread: 1 });
  await leaveOpen(core, { thread: 2, script: { end: 'failed' } });
  await leaveOpen(core, { thread: 3, killedAt: { at: routes.createJob, phase: 'handled' } });
  const { command } = await leaveOpen(core, { thread: 4, script: { end: 'failed', activeMs: 0 } });
  await runCommand(core, command, { attempt: 2, killedAt: { at: routes.deleteComment, phase: 'arrived' } });
  core.clock.advance(2 * 3_600_000);
  return core.github.comments.filter(({ login }) => login === BOT_LOGIN);
}

/** What people read there, or that it was deleted. */
function textsOf(comments: readonly Comment[]): string[] {
  return comments.map((comment) => (comment.deleted ? 'deleted' : readable(comment)));
}

interface Undisturbed {
  readonly requests: readonly RecordedRequest[];
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** The run that nothing is in the way of; one for all cases. */
let known: Promise<Undisturbed> | undefined;
function undisturbed(): Promise<Undisturbed> {
  const play = async (): Promise<Undisturbed> => {
    const core = createInMemorySimulator();
    const comments = await stage(core);
    const before = textsOf(comments);
    const collected = await collect(core);
    if (endOf(collected) !== complete) throw new Error(`Without a fault it ends as ${endOf(collected)}`);
    return { requests: collected.sent, before, after: textsOf(comments) };
  };
  known ??= play();
  return known;
}

async function inProcess(one: FaultCase): Promise<FaultEnd> {
  const core = createInMemorySimulator();
  const comments = await stage(core);
  lieInWait(core, one, oversizedBytes);
  const main = await collect(core);
  const problems = await judge(core, comments, one, main);
  core.faults.clear();
  problems.push(...(await judgeNext(comments, await collect(core))));
  return { name: nameOf(collectSubject.name, one), end: endOf(main), problems };
}

function onBundle(one: FaultCase): Promise<FaultEnd> {
  return withSimulator({}, async (simulator) => {
    const comments = await stage(simulator);
    lieInWait(simulator, one);
    const main = await runAction({ simulator, ...stageCollect(simulator) });
    const problems = await judge(simulator, comments, one, playedOf(main));
    if (main.killedByBound || main.signal !== null) problems.push(`ended by ${main.signal}`);
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
  const startedAt = core.requests.find(({ fault }) => fault !== null)?.at ?? core.clock.now();
  if (core.clock.now() - startedAt > mostMs) problems.push('ended after its deadline');
  if (core.service.jobs.length !== 4) problems.push('asked the agent');
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
