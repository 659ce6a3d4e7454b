import type { SimulatorCore } from '../../../simulator/core.ts';
import { BOT_LOGIN } from '../../../simulator/github/store.ts';
import type { Comment, WebhookEvent } from '../../../simulator/github/types.ts';
import type { RequestMoment } from '../../../simulator/http/exchange.ts';
import type { Job, JobScript } from '../../../simulator/service/job.ts';
import { Life } from '../in-process/life.ts';
import { playMain } from '../in-process/play.ts';
import type { Played } from '../oracle/played.ts';
import { serviceInputs } from '../usual.ts';
import type { Staged } from './agent.ts';

/** A command whose job no run watches. */
export interface LeftOpen {
  readonly command: Comment;
  readonly status: Comment;
  readonly job: Job;
}

export interface CommandRun {
  /** Inputs besides the usual ones and `wait: false`. */
  readonly inputs?: Readonly<Record<string, string>>;
  readonly attempt?: number;
  /** When it is killed; not at all by default. */
  readonly killedAt?: RequestMoment;
}

export interface LeftOptions extends CommandRun {
  readonly thread: number;
  readonly script?: Partial<JobScript>;
}

/** A command as a run with `wait: false` leaves it: the product's modules play that run. */
export async function leaveOpen(
  core: SimulatorCore,
  { thread, script, ...run }: LeftOptions,
): Promise<LeftOpen> {
  const { github, service } = core;
  if (!github.threads.has(thread)) github.addThread({ number: thread });
  const command = github.comment('maintainer', thread, `/docs prompt ${thread}.`);
  if (script !== undefined) service.scriptNext(script);
  await runCommand(core, command, run);
  const job = service.jobs.at(-1);
  const status = github.commentsOf(thread).findLast(({ login }) => login === BOT_LOGIN);
  if (job === undefined || status === undefined) throw new Error(`Nothing was left in thread ${thread}`);
  return { command, status, job };
}

/** Commands in the threads 1, 2, …, left one after the other. */
export async function leaveSeveral(core: SimulatorCore, count: number): Promise<readonly LeftOpen[]> {
  const left: LeftOpen[] = [];
  for (let thread = 1; thread <= count; thread += 1) left.push(await leaveOpen(core, { thread }));
  return left;
}

/** Plays a run of a command that does not wait for its job. */
export function runCommand(
  core: SimulatorCore,
  command: Comment,
  { inputs, attempt = 1, killedAt }: CommandRun = {},
): Promise<Played> {
  const life = new Life();
  if (killedAt !== undefined) core.once(killedAt, () => life.kill());
  const staged = {
    event: core.github.issueCommentEvent(command),
    inputs: { ...serviceInputs(core), wait: 'false', ...inputs },
  };
  return playMain({ core, staged, identity: { runId: command.id, attempt }, life });
}

/** What a run of collect mode is given, by default on a schedule. */
export function stageCollect(
  core: SimulatorCore,
  inputs: Readonly<Record<string, string>> = {},
  event: WebhookEvent = core.github.scheduleEvent(),
): Pick<Staged, 'event' | 'inputs'> {
  return { event, inputs: { ...serviceInputs(core), mode: 'collect', ...inputs } };
}
