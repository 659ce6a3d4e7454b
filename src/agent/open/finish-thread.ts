import { Budget } from '../../core/budget.ts';
import { accessTo } from '../../core/inputs/projects.ts';
import { createMarkers } from '../../requests/marker.ts';
import { jobIdOf, jobOf } from '../known.ts';
import type { Session } from '../session.ts';
import { bestEffort } from '../thread/best-effort.ts';
import { jobIdsOf, leftIn } from './find.ts';
import { finishOpen } from './finish.ts';
import { Looks } from './looks.ts';
import { Teller } from './tell.ts';

/** A thread has few jobs that nobody watches. */
const mostRequests = 40;

/** Brings the open comments of the session's thread to their end, as far as that is possible. Its newest job was looked at. */
export async function finishThread(session: Session): Promise<void> {
  const { config, deps, known } = session;
  const { github, clock, context } = deps;
  const { memory = [], threadNumber: thread } = known;
  if (github === undefined || thread === undefined) return;
  const left = leftIn(memory, thread, clock.now());
  await bestEffort('Finishing what was left open in the thread', session, async () => {
    const looks = new Looks(new Budget(mostRequests), deps);
    const newest = jobIdOf(known);
    if (newest !== undefined) looks.add(newest, jobOf(known));
    await looks.at(jobIdsOf(left.open));

    const { repositoryId } = context;
    const markersOf = () => createMarkers({ service: accessTo(config), repositoryId, thread });
    const teller = new Teller({ github, command: config.command }, deps);
    await finishOpen(left, looks, teller, { clock, sinceMs: undefined, markersOf });
  });
}
