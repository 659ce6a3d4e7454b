import { chooseThread, type ThreadChoice } from '../../core/common-inputs.ts';
import { describeError } from '../../core/errors.ts';
import { hashList } from '../../core/hash.ts';
import { createSigner, type Signer } from '../../core/sign.ts';
import { type Deps, type DepsWithGitHub, hasGitHub } from '../../deps.ts';
import type { ThreadComment } from '../../github/changes.ts';
import { missingThread } from '../../github/errors.ts';
import type { ServiceOptions } from '../../service/client.ts';
import type { Report } from '../judge/report.ts';
import { maxCommentBytes, renderReport } from './render.ts';

type ThreadConfig = Pick<ServiceOptions, 'baseUrl' | 'apiKey'> & {
  readonly thread: ThreadChoice;
  readonly reportComment: 'each' | 'one';
};

/**
 * Posts the report to the chosen thread, or edits it there, and returns the comment’s URL. An error
 * is only a warning.
 */
export async function postReport(report: Report, config: ThreadConfig, deps: Deps) {
  const { event } = deps;
  const threadOfEvent = 'thread' in event ? event.thread : undefined;
  const thread = chooseThread(config.thread, threadOfEvent);
  if (thread === undefined) return undefined;
  if (!hasGitHub(deps)) {
    deps.runner.warning(`The report was not posted to #${thread}: \`github-token\` is missing`);
    return undefined;
  }
  try {
    return await writeComment(report, config, thread, deps);
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
  const series = seriesOf(report, projectId, config, deps.context);
  const key = `${series} ${report.window.end}`;
  const service = { baseUrl: config.baseUrl, apiKey: config.apiKey, projectId };
  const signer = createSigner({ service, repositoryId, thread, scrub: deps.scrub });
  const bodyOf = (comment?: { readonly id: number }) => {
    const marker = signer.sign({ key, comment });
    return `${marker}\n${renderReport(report, maxCommentBytes - marker.length - 1)}`;
  };
  let posted: PostedReport | undefined;
  try {
    posted = await findPosted(github.readNewestFirst(thread), signer, series);
  } catch (error) {
    const missing = missingThread(error, thread, repository);
    if (missing !== undefined && typeof config.thread === 'number') throw missing;
    throw error;
  }
  // The keys of a series differ only in the date at their end.
  if (posted !== undefined && posted.key > key) {
    deps.runner.info(`The report in #${thread} is about a later period, so it wasn’t replaced.`);
    return undefined;
  }
  // If the edit of a new comment fails, the next run still finds it, unless someone edits it.
  const id = posted?.id ?? (await github.createComment(thread, bodyOf())).id;
  return (await github.updateComment(id, bodyOf({ id }))).url;
}

/** The project; of several, regardless of their order. */
function projectsIdOf({ sites }: Report) {
  const ids = sites.map(({ project }) => project.id);
  return ids.length === 1 ? ids.join('') : hashList(ids.toSorted());
}

/**
 * What the reports in one comment have in common: the days that they are about or, with
 * `report-comment: one`, the step that writes them and the kind of period.
 */
function seriesOf(
  { window, settings }: Report,
  projectId: string,
  { reportComment }: ThreadConfig,
  { workflow, stepId }: Deps['context'],
): string {
  const scope = `visitors:${projectId}:${hashList(settings.pages)}`;
  if (reportComment === 'each') return `${scope}:${window.start}:${window.end}`;
  return `${scope}:${workflow}:${stepId}:${window.kind}`;
}

/** A comment with a report of a series. */
type PostedReport = Readonly<{ id: number; key: string }>;

/** The comment with the newest report of a series. */
async function findPosted(
  pages: AsyncIterable<readonly ThreadComment[]>,
  signer: Signer,
  series: string,
): Promise<PostedReport | undefined> {
  let unnamed: PostedReport | undefined;
  for await (const comments of pages) {
    for (const comment of comments.toReversed()) {
      const payload = signer.open(comment);
      if (!payload?.key?.startsWith(`${series} `)) continue;
      const posted = { id: comment.id, key: payload.key };
      if (payload.comment?.id === comment.id) return posted;
      // A marker without its comment's ID may be a copy. Only the oldest such comment counts, and
      // only if no one has edited it.
      if (comment.unedited) unnamed = posted;
    }
  }
  return unnamed;
}
