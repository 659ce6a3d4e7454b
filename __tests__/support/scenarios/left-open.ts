import type { SimulatorCore } from '../../../simulator/core.ts';
import { BOT_LOGIN } from '../../../simulator/github/store.ts';
import type { Comment, WebhookEvent } from '../../../simulator/github/types.ts';
import type { Job, JobScript } from '../../../simulator/service/job.ts';
import type { Marker } from '../../../src/requests/marker.ts';
import { serviceInputs } from '../usual.ts';
import { markersOf, type Staged } from './agent.ts';

/** A command whose job nobody waits for. */
export interface LeftOpen {
  readonly command: Comment;
  readonly status: Comment;
  readonly job: Job;
}

export interface LeftOptions {
  readonly thread: number;
  readonly script?: Partial<JobScript>;
  readonly marker?: Partial<Marker>;
  /** The service's usual one unless told otherwise. */
  readonly projectId?: string;
}

/** A command in a thread of its own, as a run with `wait: false` leaves it. */
export function leaveOpen(
  core: SimulatorCore,
  { thread, script = {}, marker = {}, projectId = core.service.projectId }: LeftOptions,
): LeftOpen {
  const { github, service, clock } = core;
  if (!github.threads.has(thread)) github.addThread({ number: thread });
  const command = github.comment('maintainer', thread, `/docs prompt ${thread}.`);
  service.scriptNext(script);
  const job = service.createJob(`prompt ${thread}.`, projectId);
  const status = github.comment(BOT_LOGIN, thread, 'Asking the writing agent …');
  const remembered: Marker = {
    key: `comment:${command.id}`,
    phase: 'working',
    run: '6900000001',
    attempt: 1,
    nonce: `nonce-${command.id}`,
    generation: 1,
    comment: status.id,
    job: job.id,
    askedAt: Math.round(clock.now() / 1000),
    outcome: 'detached',
    ...marker,
  };
  const line = markersOf(core, { thread, projectId }).write(remembered);
  const folded = `<details><summary>Request</summary>\n\nJob: \`${job.id}\`\n\n</details>`;
  github.edit(status.id, `${line}\n⏳ **Started; this run does not wait.**\n\n${folded}`);
  return { command, status, job };
}

/** What a run of collect mode is given, on a schedule unless told otherwise. */
export function stageCollect(
  core: SimulatorCore,
  inputs: Readonly<Record<string, string>> = {},
  event: WebhookEvent = core.github.scheduleEvent(),
): Pick<Staged, 'event' | 'inputs'> {
  return { event, inputs: { ...serviceInputs(core), mode: 'collect', ...inputs } };
}

/** A comment as a reader sees it: without the marker in its first line. */
export function readable({ body }: { readonly body: string }): string {
  return body.replace(/^<!--.*-->\n/, '');
}
