import type { SimulatorCore } from '../../../simulator/core.ts';
import type { Comment } from '../../../simulator/github/types.ts';
import type { JobScript } from '../../../simulator/service/job.ts';
import { type MemoryRun, playMain } from '../in-process/play.ts';
import { writtenIn } from '../oracle/agent.ts';
import { killed, type Played, type Run } from '../played.ts';
import { serviceInputs } from '../usual.ts';

/** A command whose job is not watched by any run. */
export type LeftOpen = Awaited<ReturnType<typeof leaveOpen>>;

/** Changes to the usual run. The inputs are added to the usual ones. */
type Otherwise = Partial<MemoryRun>;

export interface LeftOptions extends Otherwise {
  readonly thread: number;
  readonly script?: Partial<JobScript>;
}

/** Runs a command with `wait: false`, so that no run watches its job. */
export async function leaveOpen(core: SimulatorCore, { thread, script, ...run }: LeftOptions) {
  const { github, service } = core;
  if (!github.threads.has(thread)) github.addThread({ number: thread });
  const command = github.comment('maintainer', thread, `/docs prompt ${thread}.`);
  if (script !== undefined) service.scriptNext(script);
  const played = await runCommand(core, command, run);
  const job = service.jobs.at(-1);
  const status = writtenIn(core, thread).at(-1);
  if (job === undefined || status === undefined)
    throw new Error(`Nothing was left in thread ${thread}`);
  return { command, status, job, played };
}

/** Leaves jobs unwatched in threads 1, 2, and so on. */
export async function leaveSeveral(
  core: SimulatorCore,
  count: number,
): Promise<readonly LeftOpen[]> {
  const left: LeftOpen[] = [];
  for (let thread = 1; thread <= count; thread += 1) left.push(await leaveOpen(core, { thread }));
  return left;
}

/** Runs a command without waiting for its job. */
export function runCommand(
  core: SimulatorCore,
  command: Comment,
  run: Otherwise = {},
): Promise<Played> {
  const inputs = { ...serviceInputs(core), wait: 'false', ...run.inputs };
  const event = core.github.issueCommentEvent(command);
  return playMain(core, { runId: command.id, event, ...run, inputs });
}

/** A finished collect run, and the requests that it sent. */
export type Collected = Awaited<ReturnType<typeof collect>>;

/** Runs collect mode. */
export async function collect(core: SimulatorCore, run: Otherwise = {}) {
  const before = core.requests.length;
  const played = await playMain(core, collecting(core, run));
  if (run.killAt !== undefined) killed(played, run.killAt);
  return { ...played, sent: core.requests.slice(before) };
}

/** Runs collect mode an hour later, when jobs have ended by default. */
export function collectLater(core: SimulatorCore, run: Otherwise = {}) {
  core.clock.advance(3_600_000);
  return collect(core, run);
}

/** A collect run, by default on a schedule. */
export function collecting(core: SimulatorCore, run: Otherwise = {}): Run {
  const inputs = { ...serviceInputs(core), mode: 'collect', ...run.inputs };
  return { runId: 6_900_000_009, event: core.github.scheduleEvent(), ...run, inputs };
}
