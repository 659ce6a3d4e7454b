import { badInput } from '../core/errors.ts';
import { type ModeResult, resultOfError, skipResult } from '../core/mode-result.ts';
import { ownerOf } from '../core/sign.ts';
import { type Deps, type DepsWithGitHub, hasGitHub } from '../deps.ts';
import { GitHubError } from '../github/errors.ts';
import type { Card } from '../requests/card/card.ts';
import { isOfApp } from '../requests/card/checks.ts';
import { isElsewhere, pullRefOf } from '../requests/card/pull.ts';
import { remarks } from '../requests/card/remarks.ts';
import type { Reminding } from '../requests/follow/remind.ts';
import { settle } from '../requests/follow/settle.ts';
import { findCards } from '../requests/thread/find.ts';
import { findLeftovers, requestsIn } from '../requests/thread/requests.ts';
import { code } from '../text/markdown.ts';
import type { CollectConfig } from './inputs.ts';
import { type Ledger, makeLedger } from './ledger.ts';
import { buildCollectResult } from './result.ts';
import { chooseOpenCards, chooseScope } from './scope.ts';

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
    if (!hasGitHub(deps)) {
      const hint = '`mode: collect` needs it to read and edit comments in the repository.';
      throw badInput('github-token', 'is missing', hint);
    }
    const skipped = skipOtherApp(config, deps.event);
    if (skipped !== undefined) return skipped;
    return await collect(config, deps);
  } catch (error) {
    return resultOfError(error, { mode: 'collect' });
  }
}

/** Skips the check suite of an app that the input `checks` doesn't mention. */
function skipOtherApp(config: CollectConfig, event: Deps['event']) {
  if (config.pullRequest !== undefined || event.kind !== 'check-suite') return undefined;
  if (isOfApp(event.app, config.checks)) return undefined;
  const app = event.app === '' ? 'this app' : code(event.app);
  const text = `Skipped: \`checks\` names no checks from ${app}.`;
  return skipResult({ reason: 'not-ours', text });
}

async function collect(config: CollectConfig, deps: DepsWithGitHub) {
  const scope = await chooseScope(config, deps);
  // A card belongs to the project whose key signed it.
  const owners = config.projects.map((project) => ownerOf(project, config, deps));
  const readAtMs = deps.clock.now();
  const cards = await findCards(scope.place, owners, deps);
  const requests = requestsIn(cards.ours);
  const openCards = await chooseOpenCards(requests, scope, deps);

  const isAboutAll = scope.pullRequests === undefined;
  let reminding: Reminding | undefined;
  if (isAboutAll && config.remindAfter !== undefined)
    reminding = { afterMs: config.remindAfter, cards: cards.ours, readAtMs };
  const options = {
    checks: config.checks,
    publishBranch: config.publishBranch,
    maxRequests: config.maxRequests,
    giveUpAfterMs: config.collectSince,
    openedUrl: scope.openedUrl,
    reminding,
    leftovers: isAboutAll ? findLeftovers(requests, cards.ours, deps.clock.now()) : [],
  };
  const settlement = await settle(openCards, options, deps);

  const notes: string[] = [];
  const unseen = settlement.settled.filter(({ pull }) => pull === 'unseen');
  // What the run came from exists, so a permission is missing.
  if (!isAboutAll && unseen.some(({ card }) => isHere(card, deps))) throw unseenEvent();
  // The first time, the status comment says so.
  if (unseen.some(({ card }) => card.pull?.state !== 'unseen')) {
    deps.runner.warning(remarks.unseenSince, { title: 'Docs Agent' });
    notes.push(remarks.unseenSince);
  }
  if (isAboutAll && cards.ofOtherKeys.length > 0) {
    const note = describeOtherKeys(cards.ofOtherKeys.length, owners.length);
    deps.runner.warning(note, { title: 'Docs Agent' });
    notes.push(note);
  }
  // Not a problem of this run: updating the workflow fixes it.
  if (isAboutAll && cards.newer.length > 0) deps.runner.info(describeNewer(cards.newer.length));
  notes.push(...settlement.notes);

  // The ledger counts all requests, so all comments must have been read.
  let ledger: Ledger | undefined;
  if (isAboutAll && cards.isWhole)
    ledger = makeLedger(requests, settlement.settled, config, deps.clock.now());

  const { comments, isWhole } = cards;
  return buildCollectResult({ ...settlement, comments, isWhole, notes, ledger }, config);
}

function isHere(card: Card, { context }: DepsWithGitHub): boolean {
  const ref = pullRefOf(card, context);
  return ref !== undefined && !isElsewhere(ref, context);
}

function unseenEvent() {
  const hint = 'Add `pull-requests: write` to this job’s `permissions`.';
  return new GitHubError('The token can’t see the pull request that this run is about', { hint });
}

/** A problem that no later run can fix, as a Markdown sentence. */
function describeOtherKeys(count: number, projectCount: number): string {
  const whose = projectCount === 1 ? 'this project' : 'these projects';
  return (
    `Status comments for ${whose} left unchanged, ` +
    `because they were signed with a different API key: ${count}.`
  );
}

function describeNewer(count: number): string {
  return `Status comments left unchanged, because a newer version wrote them: ${count}. Update this workflow, too.`;
}
