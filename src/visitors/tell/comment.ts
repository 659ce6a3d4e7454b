import type { VisitorsConfig } from '../../config/parse.ts';
import { chooseThread } from '../../config/thread.ts';
import type { Deps } from '../../deps.ts';
import type { GitHub } from '../../github/client.ts';
import { missingPermission } from '../../github/errors.ts';
import type { ThreadRef } from '../../github/event.ts';
import type { ThreadComment } from '../../github/schemas.ts';
import { messageOf } from '../../lib/errors.ts';
import { createMarkers, type Markers } from '../../lib/marker.ts';
import { commentLimit } from './blocks.ts';
import type { ReportContent } from './content.ts';
import { renderReport } from './report.ts';

/**
 * Posts the report to the thread that was chosen, if there is one, and gives the comment's address. A report that cannot be
 * posted is a warning only, since the summary has it in any case.
 *
 * @throws the signal's reason.
 */
export async function postReport(
  content: ReportContent,
  config: VisitorsConfig,
  deps: Deps,
): Promise<string | undefined> {
  const { event, github, runner, signal } = deps;
  const ofEvent = event.kind === 'thread' || event.kind === 'comment' ? event.thread : undefined;
  const thread = chooseThread(config.thread, ofEvent);
  if (thread === undefined) return undefined;
  if (github === undefined) {
    runner.warning(`The report was not posted to #${thread.number}: that takes a \`github-token\``);
    return undefined;
  }
  try {
    return await writeComment({ content, github, thread }, config, deps);
  } catch (error) {
    signal.throwIfAborted();
    runner.warning(`The report was not posted: ${missingPermission(error) ?? messageOf(error)}`);
    return undefined;
  }
}

interface Posting {
  readonly content: ReportContent;
  readonly github: GitHub;
  readonly thread: ThreadRef;
}

/**
 * Each window has one comment: when it is reported again, that comment is edited. The comment is known by its signed marker,
 * which names the comment it stands in, so that a copy of it in another comment counts for nothing.
 */
async function writeComment(
  { content, github, thread }: Posting,
  { service }: VisitorsConfig,
  { context, signal }: Deps,
): Promise<string> {
  const { repositoryId, runId, runAttempt } = context;
  const { start, end } = content.windows.now.window;
  const markers = createMarkers({ service, repositoryId, thread: thread.number });
  const key = `visitors:${content.projectId}:${start}:${end}`;
  const bodyOf = (comment?: number) => {
    const named = comment === undefined ? {} : { comment };
    const marker = markers.write({ key, phase: 'ended', run: runId, attempt: runAttempt, ...named });
    const room = commentLimit.most - commentLimit.measure(`${marker}\n`);
    return `${marker}\n${renderReport(content, { ...commentLimit, most: room })}`;
  };
  const posted = await findPosted(github.readNewestFirst(thread, signal), markers, key);
  const { id } = posted ?? (await github.createComment(thread.number, bodyOf(), signal));
  return (await github.updateComment(id, bodyOf(id), signal)).url;
}

async function findPosted(
  pages: AsyncIterable<readonly ThreadComment[]>,
  markers: Markers,
  key: string,
): Promise<ThreadComment | undefined> {
  let unnamed: ThreadComment | undefined;
  for await (const comments of pages) {
    for (const comment of comments.toReversed()) {
      const marker = markers.read(comment);
      if (marker?.key !== key) continue;
      if (marker.comment === comment.id) return comment;
      // One that does not name itself yet may be a copy, unless it is older than any and was never edited.
      if (comment.unedited) unnamed = comment;
    }
  }
  return unnamed;
}
