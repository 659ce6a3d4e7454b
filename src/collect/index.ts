import { InputError } from '../core/errors.ts';
import { accessTo } from '../core/inputs/projects.ts';
import { type ModeResult, resultOfError } from '../core/mode-result.ts';
import type { Outcome } from '../core/reasons.ts';
import type { Deps } from '../deps.ts';
import type { RepositoryComment } from '../github/changes.ts';
import type { GitHub } from '../github/client.ts';
import { GitHubError } from '../github/errors.ts';
import { isLeft, leftIn, type Owner } from '../requests/left.ts';
import { findCardsOf } from '../requests/repository.ts';
import { permissionsHint } from '../requests/saver.ts';
import { settle } from '../requests/settle.ts';
import { createSigner, mayBeSigned } from '../requests/sign.ts';
import { unverifiedKeyOf } from '../requests/store.ts';
import type { CollectConfig } from './inputs.ts';
import { remind } from './remind.ts';
import { collectedResult } from './result.ts';

const tokenTakes = 'missing. `mode: collect` reads and edits comments in the repository.';
/** With 100 comments each: all are read before the first edit, which moves them. */
const mostPages = 30;

/**
 * Collect mode: finds the status comments that no run follows anymore, checks their jobs and pull requests, and posts results.
 * Errors and cancellation are results too.
 */
export async function runCollect(config: CollectConfig, deps: Deps): Promise<ModeResult> {
  // The outputs of a run that is killed; a run that finishes overwrites them.
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
  const { github, event, clock, runner, context, scrub } = deps;
  if (github === undefined) throw new InputError([{ input: 'github-token', takes: tokenTakes }]);
  // The projects share the listing, the requests and the writes.
  const owners = config.projects.map((project): Owner => {
    const access = { service: accessTo(config, project), repositoryId: context.repositoryId, scrub };
    return { project, signerOf: (thread) => createSigner({ ...access, thread }) };
  });
  // If a pull request was just merged, closed, or reopened, only its own requests are handled.
  const turned = event.kind === 'thread' ? event.turned : undefined;
  const { comments, isWhole } =
    turned === undefined ? await readComments(github, config, deps) : { comments: [], isWhole: true };
  const threads = Map.groupBy(comments, ({ thread }) => thread);
  const left =
    turned === undefined
      ? owners.flatMap((owner) => leftIn(threads, owner, clock.now()))
      : (await findCardsOf(turned, owners, { ...deps, github }).catch(namingPermission)).naming.filter(
          (one) => isLeft(one, clock.now()),
        );
  const notes = ofOtherKeys(comments, owners);
  for (const note of notes) runner.warning(note, { title: 'Docs Agent' });
  const { settled, whyLeft, isCanceled, saver } = await settle(
    left,
    {
      requests: config.maxRequests,
      sinceMs: config.collectSince,
      opened: event.kind === 'thread' ? event.opened : undefined,
    },
    { ...deps, github },
  );
  const { remindAfter: afterMs } = config;
  // When a pull request was just merged, closed, or reopened, no one needs a reminder of it.
  const isReminding = afterMs !== undefined && turned === undefined && !isCanceled;
  const reminders = isReminding ? await remind(settled, afterMs, comments, saver, { ...deps, github }) : 0;
  const unseen = [
    ...(isCanceled ? ['The run was canceled before it finished.'] : []),
    ...(isWhole ? [] : ['There are more comments than a single run can read; the oldest weren’t checked.']),
  ];
  return collectedResult(settled, { isCanceled, unseen, whyLeft, notes, reminders }, config);
}

/**
 * Reads the comments of all threads that may be ours, as far back as a job can still be open. `isWhole` says whether all of them
 * were read.
 *
 * @throws GitHubError, or the signal's reason.
 */
async function readComments(github: GitHub, { collectSince }: CollectConfig, { clock, signal }: Deps) {
  const options = { sinceMs: clock.now() - 2 * collectSince, maxPages: mostPages };
  const { comments, isWhole } = await github.readRepositoryComments(options, signal).catch(namingPermission);
  // Most comments aren't ours. Deriving no key for them saves time.
  return { comments: comments.filter(({ body }) => mayBeSigned(body)), isWhole };
}

function namingPermission(error: unknown): never {
  if (!(error instanceof GitHubError) || !error.forbidden) throw error;
  throw new GitHubError(error.what, { said: error.said, cause: error, hint: permissionsHint });
}

/**
 * Counts the comments that were signed with an earlier API key, in a sentence. They can't be edited, so people should know that
 * they are still open.
 */
function ofOtherKeys(comments: readonly RepositoryComment[], owners: readonly Owner[]): string[] {
  const isOtherKeys = (one: RepositoryComment) =>
    owners.some(({ signerOf }) => unverifiedKeyOf(one, signerOf(one.thread)) !== undefined);
  const count = comments.filter(isOtherKeys).length;
  if (count === 0) return [];
  const whose = owners.length === 1 ? 'this project' : 'these projects';
  return [
    `Status comments for ${whose} that were signed with a different API key and left unchanged: ${count}.`,
  ];
}
