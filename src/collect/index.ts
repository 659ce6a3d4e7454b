import { badInput } from '../core/errors.ts';
import { type ModeResult, resultOfError, skipResult } from '../core/mode-result.ts';
import { ownerOf } from '../core/sign.ts';
import type { Deps, DepsWithGitHub } from '../deps.ts';
import { isOfApp } from '../requests/card/checks.ts';
import { settle } from '../requests/follow/settle.ts';
import { type Found, findCards } from '../requests/thread/find.ts';
import { shortCode } from '../text/markdown.ts';
import type { CollectConfig } from './inputs.ts';
import { makeLedger } from './ledger.ts';
import { buildCollectResult } from './result.ts';
import { chooseCards, chooseScope } from './scope.ts';

/**
 * Runs collect mode: finds requests that no run watches, checks their jobs and pull requests, and
 * posts the results.
 */
export async function startCollect(
  config: CollectConfig,
  deps: Deps,
): Promise<ModeResult<'collect'>> {
  // These outputs remain if the run is killed.
  deps.runner.setOutput('outcome', 'failed');
  deps.runner.setOutput('reason', 'interrupted');
  try {
    const { github } = deps;
    const needsIt = '`mode: collect` needs it to read and edit comments in the repository.';
    if (github === undefined) throw badInput('github-token', 'is missing', needsIt);
    return skipOtherApp(config, deps.event) ?? (await collect(config, { ...deps, github }));
  } catch (error) {
    return resultOfError(error, { mode: 'collect' });
  }
}

/** Ends a run that was started by an app whose checks `checks` doesn't name. */
function skipOtherApp(config: CollectConfig, event: Deps['event']) {
  if (config.pullRequest !== undefined || event.kind !== 'check-suite') return undefined;
  if (isOfApp(event.app, config.checks)) return undefined;
  const app = event.app === '' ? 'this app' : shortCode(event.app);
  const text = `Skipped: \`checks\` names no checks from ${app}.`;
  return skipResult({ reason: 'not-ours', text });
}

async function collect(config: CollectConfig, deps: DepsWithGitHub) {
  const scope = await chooseScope(config, deps);
  const owners = config.projects.map((project) => ownerOf(project, config, deps));
  const found = await findCards(scope.place, owners, deps);
  const cards = await chooseCards(found.ours, scope, deps);

  const isAboutAll = scope.pullRequests === undefined;
  const afterMs = config.remindAfter;
  const isReminding = isAboutAll && afterMs !== undefined;
  const options = {
    checks: config.checks,
    publishBranch: config.publishBranch,
    maxRequests: config.maxRequests,
    giveUpAfterMs: config.collectSince,
    openedUrl: scope.opened,
    reminding: isReminding ? { afterMs, cards: found.ours } : undefined,
  };
  const settlement = await settle(cards, options, deps);
  const collected = { ...found, ...settlement };
  if (!isAboutAll) return buildCollectResult(collected, config);

  const notes = [...noteUnchanged(found, owners.length, deps.runner), ...settlement.notes];
  const whole = { ...collected, notes };
  // Only a run that has read and checked everything knows what the requests led to.
  const hasAll = found.isWhole && scope.opened === undefined && !settlement.isCanceled;
  if (!hasAll) return buildCollectResult(whole, config);
  const ledger = makeLedger(found.ours, settlement.settled, config, deps.clock.now());
  return buildCollectResult({ ...whole, ledger }, config);
}

/**
 * Logs which status comments are left unchanged. Returns the problems that no later run can fix, as
 * Markdown sentences.
 */
function noteUnchanged({ ofOtherKeys, newer }: Found, projects: number, runner: Deps['runner']) {
  const notes: string[] = [];
  if (ofOtherKeys.length > 0) {
    const whose = projects === 1 ? 'this project' : 'these projects';
    const note =
      `Status comments for ${whose} left unchanged, ` +
      `because they were signed with a different API key: ${ofOtherKeys.length}.`;
    runner.warning(note, { title: 'Docs Agent' });
    notes.push(note);
  }
  const note = `Status comments left unchanged, because a newer version wrote them: ${newer.length}. Update this workflow, too.`;
  if (newer.length > 0) runner.info(note);
  return notes;
}
