import { Budget } from '../core/budget.ts';
import { InputError } from '../core/errors.ts';
import { accessTo } from '../core/inputs/projects.ts';
import { type ModeResult, resultOfError } from '../core/mode-result.ts';
import type { Outcome } from '../core/reasons.ts';
import type { Deps } from '../deps.ts';
import { jobOf } from '../requests/card.ts';
import { Looks } from '../requests/looks.ts';
import { Saver } from '../requests/saver.ts';
import { afterLook } from '../requests/settle.ts';
import { createSigner } from '../requests/sign.ts';
import { code } from '../text/markdown.ts';
import type { CollectConfig } from './inputs.ts';
import { lookAtAll, ofOtherKeys, openIn, type Part, readComments, untilOpened } from './open.ts';
import { type Collected, collectedResult } from './result.ts';

/**
 * Collect mode: finds the status comments that no run follows any more, looks at their jobs, and writes what has ended. Errors
 * and cancellation are results too.
 */
export async function runCollect(config: CollectConfig, deps: Deps): Promise<ModeResult> {
  // The outputs of a run that is killed: a run that comes to its end writes over them.
  deps.runner.setOutput('outcome', 'failed' satisfies Outcome);
  deps.runner.setOutput('reason', 'interrupted');
  try {
    return await collect(config, deps);
  } catch (error) {
    const failed = resultOfError(error);
    return { ...failed, result: { ...failed.result, mode: 'collect' } };
  }
}

async function collect(config: CollectConfig, deps: Deps): Promise<ModeResult> {
  const { github, event, clock, signal, context } = deps;
  if (github === undefined) throw new InputError([noToken]);

  // Read: all that is open, before the first edit. The projects share the listing, the requests and the writes.
  const { comments, isWhole } = await readComments(github, config, deps);
  const budget = new Budget(config.maxRequests);
  const saver = new Saver(github, deps);
  const parts = config.projects.map((project): Part => {
    const service = accessTo(config, project);
    const signerOf = (thread: number) =>
      createSigner({ service, repositoryId: context.repositoryId, thread, scrub: deps.scrub });
    return {
      ...openIn(comments, signerOf, clock.now()),
      project,
      signerOf,
      looks: new Looks(budget, { ...deps, service: deps.service.forProject(project.id) }),
    };
  });
  const notes = ofOtherKeys(comments, parts);
  for (const note of notes) deps.runner.warning(note, { title: 'Docs Agent' });

  // Look: at each job once, and after an opened pull request until its job is found. Nothing is changed before that.
  const areMore = await lookAtAll(parts, config.maxRequests, deps);
  if (event.kind === 'thread' && event.opened !== undefined) await untilOpened(event.opened, parts);

  // Write: what has ended, the oldest of a project first, and delete what no longer counts.
  const all: Collected[] = [];
  try {
    for (const { project, open, outdated, looks, signerOf } of parts) {
      for (const one of open) {
        const { thread, card } = one;
        const after = afterLook(one, looks.found(jobOf(card)?.id), clock.now(), config.collectSince);
        const isOver = after !== undefined && after !== card;
        const saved = isOver ? await saver.save(one, after, signerOf(thread)) : undefined;
        all.push({ project, open: one, card: after, saved });
        // What was looked at in vain is last next time, since there are more jobs than requests.
        if (areMore && after === card)
          await saver.mark(one, { ...card, checkedAt: clock.now() }, signerOf(thread));
      }
      for (const one of outdated) await saver.delete(one);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    // What was written before is written, and is reported.
    const unseen = ['The run was cancelled before it was through.'];
    const sofar = collectedResult(all, { unseen, whyLeft: [], notes }, config);
    return { ...sofar, result: { ...sofar.result, outcome: 'failed', reason: 'cancelled' }, red: false };
  }
  const unseen = isWhole ? [] : ['There are more comments than a run reads: the oldest were not looked at.'];
  const whyLeft = [...gapsOf(parts), ...budgetGap(budget), ...saver.gaps];
  return collectedResult(all, { unseen, whyLeft, notes }, config);
}

/** What kept jobs from being looked at; of several projects, whose. */
function gapsOf(parts: readonly Part[]): string[] {
  return parts.flatMap(({ project, looks }) => {
    const whose = parts.length === 1 ? '' : `${code(project.name)}: `;
    return [...looks.gaps].map((gap) => `${whose}${gap}`);
  });
}

function budgetGap({ left, most }: Budget): string[] {
  return left > 0 ? [] : [`All requests were sent that \`max-requests\` allows (now ${most}).`];
}

const noToken = {
  input: 'github-token',
  got: undefined,
  takes: 'missing. `mode: collect` reads and edits the comments of the repository.',
};
