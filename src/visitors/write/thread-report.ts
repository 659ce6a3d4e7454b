import { chooseThread, type ThreadChoice } from '../../core/common-inputs.ts';
import { describeError } from '../../core/errors.ts';
import { createSigner, type Signer } from '../../core/sign.ts';
import type { Deps, DepsWithGitHub } from '../../deps.ts';
import type { ThreadComment } from '../../github/changes.ts';
import { missingThread } from '../../github/errors.ts';
import type { ServiceOptions } from '../../service/client.ts';
import type { Report } from '../judge/report.ts';
import { maxCommentBytes, renderReport } from './render.ts';
import { digestOfAll } from './report-files.ts';

type ThreadConfig = Pick<ServiceOptions, 'baseUrl' | 'apiKey'> & { readonly thread: ThreadChoice };

/**
 * Posts the report to the chosen thread, or edits it there, and returns the comment’s URL. An error
 * is only a warning.
 */
export async function postReport(report: Report, config: ThreadConfig, deps: Deps) {
  const { event, github } = deps;
  const threadOfEvent = 'thread' in event ? event.thread : undefined;
  const thread = chooseThread(config.thread, threadOfEvent);
  if (thread === undefined) return undefined;
  if (!github) {
    deps.runner.warning(`The report was not posted to #${thread}: \`github-token\` is missing`);
    return undefined;
  }
  try {
    return await writeComment(report, config, thread, { ...deps, github });
  } catch (error) {
    deps.signal.throwIfAborted();
    const problem = `The comment in #${thread} could not be written or updated.`;
    deps.runner.warning(`${problem} The report is in the job summary. ${describeError(error)}`);
    return undefined;
  }
}

/** The comment's signed marker contains its ID, so a copied marker is ignored. */
async function writeComment(
  report: Report,
  config: ThreadConfig,
  thread: number,
  deps: DepsWithGitHub,
) {
  const { github } = deps;
  const { repository, repositoryId } = deps.context;
  const projectId = projectsIdOf(report);
  const key = keyOf(report, projectId);
  const service = { baseUrl: config.baseUrl, apiKey: config.apiKey, projectId };
  const signer = createSigner({ service, repositoryId, thread, scrub: deps.scrub });
  const bodyOf = (comment?: { readonly id: number }) => {
    const marker = signer.sign({ key, comment });
    return `${marker}\n${renderReport(report, maxCommentBytes - marker.length - 1)}`;
  };
  let id: number | undefined;
  try {
    id = await findPosted(github.readNewestFirst(thread), signer, key);
  } catch (error) {
    const missing = missingThread(error, thread, repository);
    if (missing !== undefined && typeof config.thread === 'number') throw missing;
    throw error;
  }
  // If the edit of a new comment fails, the next run still finds it, unless someone edits it.
  id ??= (await github.createComment(thread, bodyOf())).id;
  return (await github.updateComment(id, bodyOf({ id }))).url;
}

/** The project; of several, regardless of their order. */
function projectsIdOf({ sites }: Report) {
  const ids = sites.map(({ project }) => project.id);
  return ids.length === 1 ? ids.join('') : digestOfAll(ids.toSorted());
}

function keyOf({ window, settings }: Report, projectId: string) {
  const key = `visitors:${projectId}:${window.start}:${window.end}`;
  if (settings.pages.length === 0) return key;
  return `${key}:${digestOfAll(settings.pages)}`;
}

/** The ID of the comment with this report. */
async function findPosted(
  pages: AsyncIterable<readonly ThreadComment[]>,
  signer: Signer,
  key: string,
) {
  let unnamed: number | undefined;
  for await (const comments of pages) {
    for (const comment of comments.toReversed()) {
      const payload = signer.open(comment);
      if (payload?.key !== key) continue;
      if (payload.comment?.id === comment.id) return comment.id;
      // A marker without its comment's ID may be a copy. Only the oldest such comment counts, and
      // only if no one has edited it.
      if (comment.unedited) unnamed = comment.id;
    }
  }
  return unnamed;
}
