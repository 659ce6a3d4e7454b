import type { WebhookEvent } from '../../../simulator/github/types.ts';
import type { RecordedRequest } from '../../../simulator/http/messages.ts';
import type { InMemorySimulator } from '../../../simulator/in-memory.ts';
import type { Played } from '../oracle/played.ts';
import { stageCollect } from '../scenarios/left-open.ts';
import type { Life } from './life.ts';
import { playMain } from './play.ts';

export interface Collecting {
  /** Inputs besides the usual ones. */
  readonly with?: Readonly<Record<string, string>>;
  /** A schedule by default. */
  readonly event?: WebhookEvent;
  /** What kills it. */
  readonly life?: Life;
}

export interface Collected extends Played {
  /** The requests it sent. */
  readonly sent: readonly RecordedRequest[];
}

/** Plays a run of collect mode. */
export async function collect(
  core: InMemorySimulator,
  { with: inputs, event, ...more }: Collecting = {},
): Promise<Collected> {
  const identity = { runId: 6_900_000_009, attempt: 1 };
  const staged = stageCollect(core, inputs, event);
  const before = core.requests.length;
  const played = await playMain({ core, staged, identity, ...more });
  return { ...played, sent: core.requests.slice(before) };
}
