import * as z from 'zod/mini';
import { chooseThread, type ThreadChoice } from '../../core/common-inputs.ts';
import { describeError } from '../../core/errors.ts';
import { createSigner, type Signer } from '../../core/sign.ts';
import type { Deps, DepsWithGitHub } from '../../deps.ts';
import type { ThreadComment } from '../../github/changes.ts';
import { missingThread } from '../../github/errors.ts';
import type { ServiceOptions } from '../../service/client.ts';
import type { Report } from '../judge/report.ts';
import { commentBytes, renderReport } from './render.ts';
import { digestOfAll } from './report-files.ts';

type ThreadConfig = Pick<ServiceOptions, 'baseUrl' | 'apiKey'> & { readonly thread: ThreadChoice };

/** Posts the report to the chosen thread, or edits it there, and returns the comment’s URL. An error is only a warning. */
export async function postReport(report: Report, config: ThreadConfig, deps: Deps) {
  const { event, github, runner, signal } = deps;
  const ofEvent = event.kind === 'thread' || event.kind === 'comment' ? event.thread : undefined;
  const thread = chooseThread(config.thread, ofEvent);
  if (thread === undefined) return undefined;
  try {
    if (github !== undefined)
      return await writeComment(report, config, thread, { ...deps, github });
    runner.warning(`The report was not posted to #${thread}: \`github-token\` is missing`);
  } catch (error) {
    signal.throwIfAborted();
    runner.warning(
      `The comment in #${thread} could not be written or updated. The report is in the job summary. ${describeError(error)}`,
    );
  }
  return undefined;
}

/** The comment's signed marker contains its ID, so a copied marker is ignored. */
async function writeComment(
  report: Report,
  config: ThreadConfig,
  thread: number,
  deps: DepsWithGitHub,
) {
  const { baseUrl, apiKey, thread: choice } = config;
  const { github, context, scrub } = deps;
  const { repository, repositoryId } = context;
  const { sites, window, settings } = report;
  const ids = sites.map(({ project }) => project.id);
  // Regardless of their order.
  const projectId = ids.length === 1 ? ids.join('') : digestOfAll(ids.toSorted());
  const signer = createSigner({
    service: { baseUrl, apiKey, projectId },
    repositoryId,
    thread,
    scrub,
  });
  const about = settings.pages.length === 0 ? '' : `:${digestOfAll(settings.pages)}`;
  const key = `visitors:${projectId}:${window.start}:${window.end}${about}`;
  const bodyOf = (comment?: { readonly id: number }) => {
    const line = signer.sign({ key, comment });
    return `${line}\n${renderReport(report, commentBytes - line.length - 1)}`;
  };
  const posted = await findPosted(github.readNewestFirst(thread), signer, key).catch((error) => {
    throw (typeof choice === 'number' && missingThread(error, choice, repository)) || error;
  });
  // If the edit of a new comment fails, the next run still finds the comment, unless someone edits it.
  const { id } = posted ?? (await github.createComment(thread, bodyOf()));
  return (await github.updateComment(id, bodyOf({ id }))).url;
}

const noteSchema = z.object({ key: z.string(), comment: z.optional(z.object({ id: z.number() })) });

async function findPosted(
  pages: AsyncIterable<readonly ThreadComment[]>,
  signer: Signer,
  key: string,
) {
  let unnamed: ThreadComment | undefined;
  for await (const comments of pages) {
    for (const comment of comments.toReversed()) {
      const note = noteSchema.safeParse(signer.open(comment)).data;
      if (note?.key !== key) continue;
      if (note.comment?.id === comment.id) return comment;
      // A marker without its comment's ID may be a copy. Only the oldest such comment counts, and only if no one has edited it.
      if (comment.unedited) unnamed = comment;
    }
  }
  return unnamed;
}
