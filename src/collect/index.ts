import { badInput } from '../core/errors.ts';
import { type ModeResult, resultOfError, skipped } from '../core/mode-result.ts';
import { type Owner, ownerOf } from '../core/sign.ts';
import type { Deps, DepsWithGitHub } from '../deps.ts';
import { ignoreGitHubError } from '../github/errors.ts';
import { isOfApp } from '../requests/card/checks.ts';
import { pullRequestRef } from '../requests/card/pull.ts';
import { cardsNaming } from '../requests/follow/naming.ts';
import { settle } from '../requests/follow/settle.ts';
import { type Found, find } from '../requests/thread/find.ts';
import { mayOpenPull } from '../requests/thread/jobs.ts';
import { isUnwatched, openCardsOf, requestsIn } from '../requests/thread/requests.ts';
import { formatCount } from '../text/counts.ts';
import { shortCode } from '../text/markdown.ts';
import type { CollectConfig } from './inputs.ts';
import { ledgerMs, ledgerOf } from './ledger.ts';
import { collectedResult } from './result.ts';

const needsToken = '`mode: collect` needs it to read and edit comments in the repository.';
/** The most pages of 100 comments. All pages are read before the first edit, because an edit changes the order of comments. */
const maxPages = 30;

/** Runs collect mode: finds requests that no run watches, checks their jobs and pull requests, and posts the results. */
export async function runCollect(
  config: CollectConfig,
  deps: Deps,
): Promise<ModeResult<'collect'>> {
  // These outputs remain if the run is killed.
  deps.runner.setOutput('outcome', 'failed');
  deps.runner.setOutput('reason', 'interrupted');
  try {
    return await collect(config, deps);
  } catch (error) {
    return resultOfError(error, { mode: 'collect' });
  }
}

async function collect(config: CollectConfig, deps: Deps): Promise<ModeResult<'collect'>> {
  const { github, event, clock } = deps;
  if (github === undefined) throw badInput('github-token', 'is missing', needsToken);
  const { checks, pullRequest: url } = config;
  if (url === undefined && event.kind === 'check-suite' && !isOfApp(event.app, checks)) {
    const text = `Skipped: \`checks\` names no checks from ${event.app === '' ? 'this app' : shortCode(event.app)}.`;
    return skipped({ reason: 'not-ours', text });
  }
  const withGitHub = { ...deps, github };
  const owners = config.projects.map((project) => ownerOf(project, config, deps));
  const { about, place, opened } = await scopeOf(config, withGitHub);
  const { comments, isWhole, ...found } = await find(place, owners, deps);
  const requests = requestsIn(found.ours);
  const unwatched = found.ours.filter(({ card }) => isUnwatched(card, clock.now()));
  const naming = await cardsNaming(unwatched, about ?? [], deps);
  // No card names a pull request that was just opened, because its job is still running.
  const led = naming.length === 0 && opened !== undefined ? unwatched.filter(mayOpenPull) : naming;
  const left = about ? { unwatched: led, obsolete: [] } : openCardsOf(requests, clock.now());
  const { maxRequests, collectSince: sinceMs, remindAfter: afterMs } = config;
  const isReminding = afterMs !== undefined && about === undefined;
  const reminding = isReminding ? { afterMs, cards: found.ours } : undefined;
  const options = { ...config, requests: maxRequests, sinceMs, opened, reminding };
  const { settled, whyPostponed, isCanceled, reminders, ...done } = await settle(
    left,
    options,
    withGitHub,
  );
  const notes = [...(about ? [] : noteUnchanged(found, owners, deps)), ...done.notes];
  // Only a run that has read all the comments knows what the requests led to.
  const isAll = about === undefined && opened === undefined && isWhole && !isCanceled;
  const cards = new Map(settled.map(({ open, card }) => [open.comment.id, card]));
  const latest = requests.map(({ last }) => ({
    ...last,
    card: cards.get(last.comment.id) ?? last.card,
  }));
  const ledger = isAll
    ? ledgerOf(latest, clock.now() - Math.min(2 * sinceMs, ledgerMs))
    : undefined;
  const cut = `Only the ${formatCount(comments)} newest comments were read. Lower \`collect-since\` so that fewer have to be read.`;
  const canceled = 'The run was canceled before it finished.';
  const unread = [...(isCanceled ? [canceled] : []), ...(isWhole ? [] : [cut])];
  return collectedResult(
    settled,
    { isCanceled, unread, whyPostponed, notes, reminders, ledger },
    config,
  );
}

/** Which pull requests the run is `about`, if not all; the place of their requests; and the URL of one that just `opened`. */
async function scopeOf({ pullRequest: url, collectSince }: CollectConfig, deps: DepsWithGitHub) {
  const { github, event, context, clock } = deps;
  // Comments are read as far back as a request can still be open.
  const recent = { sinceMs: clock.now() - 2 * collectSince, maxPages };
  if (url !== undefined) {
    const ref = pullRequestRef(url, context);
    const read = () => ref && github.at(ref).readPullRequestState(ref.number);
    // If it can't be read, the later look at it says why.
    const pull = await read()?.catch(ignoreGitHubError);
    const opened = pull?.state === 'open' ? url : undefined;
    return { about: [{ url }], place: pull ? { pullRequests: [pull] } : recent, opened };
  }
  const { opened, turned = undefined } = event.kind === 'thread' ? event : {};
  const ofSuite = event.kind === 'check-suite' ? await github.pullRequestsOf(event.sha) : undefined;
  const about = ofSuite ?? (turned && [turned]);
  return { about, place: about ? { pullRequests: about } : recent, opened };
}

/** Logs which status comments are left unchanged. Returns the problems that no later run can fix, as Markdown sentences. */
function noteUnchanged({ ofOtherKeys, newer }: Found, owners: readonly Owner[], { runner }: Deps) {
  const whose = owners.length === 1 ? 'this project' : 'these projects';
  const note = `Status comments for ${whose} left unchanged, because they were signed with a different API key: ${ofOtherKeys.length}.`;
  if (ofOtherKeys.length > 0) runner.warning(note, { title: 'Docs Agent' });
  const update = `Status comments left unchanged, because a newer version wrote them: ${newer.length}. Update this workflow, too.`;
  if (newer.length > 0) runner.info(update);
  return ofOtherKeys.length > 0 ? [note] : [];
}
