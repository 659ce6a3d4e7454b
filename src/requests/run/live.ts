import { type Card, jobOf } from '../card/card.ts';
import { isTerminal, pullRequestOf } from '../card/job.ts';
import { claimed, stopped, watched } from '../card/transitions.ts';
import { openFollower } from '../follow/pull.ts';
import { watch } from '../follow/watch.ts';
import { holderOf, outdated, statusCommentOf } from '../thread/claims.ts';
import { merged, type PostedCard } from '../thread/find.ts';
import { learn, withoutThread } from './read-thread.ts';
import type { LiveRun } from './run.ts';
import { sendPrompt } from './send.ts';
import { show, withGrace } from './show.ts';
import type { Ports } from './work.ts';

/** What a run writes. */
export function livePorts(run: LiveRun): Ports {
  return {
    claim: (card) => claim(card, run),
    send: (card, choice) => sendPrompt(card, choice, run),
    follow: (card) => follow(card, run),
  };
}

async function claim(begun: Card, run: LiveRun): Promise<Card> {
  const { deps } = run;
  const last = statusCommentOf(run.cards, begun, begun.login);
  const generation = (last?.card.generation ?? 0) + 1;
  const card = run.keep(claimed({ ...begun, comment: undefined, generation }, deps.clock.now()));
  const store = run.storeOf(card);
  if (store === undefined) return card;
  try {
    const { written, around } = await withGrace(deps, (within) => store.claim(card, run.beganAtMs, within));
    const before = run.found ?? { ours: [], ofOtherKeys: [], newer: [] };
    run.found = {
      ours: merged(before.ours, around.ours),
      ofOtherKeys: before.ofOtherKeys,
      newer: [...before.newer, ...around.newer],
    };
    // Save the claim only after the older claim is deleted. If the run is killed in between, `post` reads the thread again.
    await tidy(written, run);
    return learn(run.found, written, run);
  } catch (error) {
    return withoutThread(error, card, run);
  }
}

/** Deletes the request's obsolete comments. If a comment can't be deleted, a later run tries again. */
export async function tidy(card: Card, run: LiveRun, within = run.deps.signal): Promise<void> {
  const { found } = run;
  const store = run.storeOf(card);
  if (store === undefined || found === undefined) return;
  const gone: PostedCard[] = [];
  for (const posted of outdated(found.ours, holderOf(found.ours, card, run.deps.clock.now()), card))
    if (await run.bestEffort(() => store.withdraw(posted, within), { meaning: 'A later run tries again.' }))
      gone.push(posted);
  run.found = { ...found, ours: found.ours.filter((posted) => !gone.includes(posted)) };
}

/** Watches the job to its end, or leaves it running, and looks at its pull request. */
async function follow(begun: Card, run: LiveRun): Promise<Card> {
  const { deps, plan, takenOver } = run;
  const job = jobOf(begun);
  if (begun.stop !== undefined || job === undefined) return begun;
  let card = begun;
  if (card.state.is === 'working') {
    // Right after a follow-up, the job's status may be from before the follow-up.
    const isOver = isTerminal(job.status) && card.state.before === undefined;
    if (!isOver && !plan.ask.wait)
      return run.keep(stopped(card, { outcome: 'detached', reason: 'not-waited' }));
    const isChecked = takenOver !== undefined || card.ask === 'attach';
    const begunWatch = watched(card, deps.clock.now() + plan.timeoutMs);
    // Show the job in the thread right away, because re-runs and follow-ups look for it there. If the thread shows a result, keep
    // it there even if a later follow-up made the job active again.
    const isNews = !isOver && takenOver?.state.is !== 'ended';
    const { card: shown } = isNews ? await show(begunWatch, run) : { card: begunWatch };
    const keep = (now: Card) => run.keep(now);
    card = keep(await watch(shown, { timeoutMs: plan.timeoutMs, isChecked, keep }, deps));
  }
  const isLinked = card.state.is === 'ended' && pullRequestOf(jobOf(card)) !== undefined;
  return isLinked && card.stop === undefined ? run.keep(await lookAtPull(card, run)) : card;
}

/** Looks at the pull request of an ended job. If this token can't see it, collect mode may have a token that can. */
export async function lookAtPull(card: Card, { deps, plan, asides }: LiveRun): Promise<Card> {
  const { github } = deps;
  if (github === undefined) return card;
  const { follow, notes } = openFollower(plan.checks, new Set(), { ...deps, github });
  const after = await follow(card);
  asides.push(...notes());
  return after.answer === 'unseen' ? card : after.card;
}
