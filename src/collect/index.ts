import { InputError } from '../core/errors.ts';
import { accessTo } from '../core/inputs/projects.ts';
import { type ModeResult, resultOfError } from '../core/mode-result.ts';
import type { Outcome } from '../core/reasons.ts';
import type { Deps } from '../deps.ts';
import type { RepositoryComment } from '../github/changes.ts';
import type { GitHub } from '../github/client.ts';
import { GitHubError } from '../github/errors.ts';
import { isLeft, type Left, leftIn, type Owner } from '../requests/left.ts';
import { findCardsOf } from '../requests/repository.ts';
import { permissionsHint } from '../requests/saver.ts';
import { settle } from '../requests/settle.ts';
import { createSigner, mayBeSigned } from '../requests/sign.ts';
import { unverifiedKeyOf } from '../requests/store.ts';
import type { CollectConfig } from './inputs.ts';
import { remind } from './remind.ts';
import { collectedResult } from './result.ts';

/** Of 100 comments each: all before the first edit, which moves them. */
const mostPages = 30;

/**
 * Collect mode: finds the status comments that no run follows any more, looks at their jobs and pull requests, and writes what
 * has ended. Errors and cancellation are results too.
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
  const { github, event, clock, runner, context, scrub } = deps;
  if (github === undefined) throw new InputError([noToken]);
  // The projects share the listing, the requests and the writes.
  const owners = config.projects.map((project): Owner => {
    const access = { service: accessTo(config, project), repositoryId: context.repositoryId, scrub };
    return { project, signerOf: (thread) => createSigner({ ...access, thread }) };
  });
  // Of a pull request that was merged, closed or reopened just now, only its own requests are handled.
  const turned = event.kind === 'thread' ? event.turned : undefined;
  const { comments, isWhole } =
    turned === undefined ? await readComments(github, config, deps) : { comments: [], isWhole: true };
  const threads = Map.groupBy(comments, ({ thread }) => thread);
  const left =
    turned === undefined
      ? owners.flatMap((owner) => leftIn(threads, owner, clock.now()))
      : (await findCardsOf(turned, owners, { ...deps, github }).catch(namingPermission)).naming
          .filter((one) => isLeft(one, clock.now()))
          .map((one): Left => ({ ...one, isOutdated: false }));
  const notes = ofOtherKeys(comments, owners);
  for (const note of notes) runner.warning(note, { title: 'Docs Agent' });
  const { settled, whyLeft, isCut } = await settle(
    left,
    {
      requests: config.maxRequests,
      sinceMs: config.collectSince,
      opened: event.kind === 'thread' ? event.opened : undefined,
    },
    { ...deps, github },
  );
  const { remindAfter: afterMs } = config;
  // Only a listing shows what was reminded of before.
  const isReminding = afterMs !== undefined && turned === undefined && !isCut;
  const reminders = isReminding ? await remind(settled, afterMs, comments, { ...deps, github }) : 0;
  const unseen = [
    ...(isCut ? ['The run was cancelled before it was through.'] : []),
    ...(isWhole ? [] : ['There are more comments than a run reads: the oldest were not looked at.']),
  ];
  return collectedResult(settled, { isCut, unseen, whyLeft, notes, reminders }, config);
}

/**
 * Reads the comments of all threads that may be ours, back to when a job is given up at the latest. `isWhole` says whether all
 * of them were read.
 *
 * @throws GitHubError, or the signal's reason.
 */
async function readComments(github: GitHub, { collectSince }: CollectConfig, { clock, signal }: Deps) {
  const options = { sinceMs: clock.now() - 2 * collectSince, maxPages: mostPages };
  const { comments, isWhole } = await github.readRepositoryComments(options, signal).catch(namingPermission);
  // Most comments are none of ours: they cost no key.
  return { comments: comments.filter(({ body }) => mayBeSigned(body)), isWhole };
}

function namingPermission(error: unknown): never {
  if (!(error instanceof GitHubError) || !error.forbidden) throw error;
  throw new GitHubError(error.what, { said: error.said, cause: error, hint: permissionsHint });
}

/**
 * After a key was rotated, what the key before has signed cannot be edited: that must not look as if all had ended. Counts such
 * comments in a sentence; empty without any.
 */
function ofOtherKeys(comments: readonly RepositoryComment[], owners: readonly Owner[]): string[] {
  const isOtherKeys = (one: RepositoryComment) =>
    owners.some(({ signerOf }) => unverifiedKeyOf(one, signerOf(one.thread)) !== undefined);
  const count = comments.filter(isOtherKeys).length;
  if (count === 0) return [];
  const whose = owners.length === 1 ? 'this project' : 'these projects';
  return [`Comments of ${whose} that were signed with another API key, and stay as they are: ${count}.`];
}

const noToken = {
  input: 'github-token',
  got: undefined,
  takes: 'missing. `mode: collect` reads and edits the comments of the repository.',
};
