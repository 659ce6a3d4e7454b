import type { VisitorsConfig } from '../config/parse.ts';
import { chooseThread } from '../config/thread.ts';
import type { Deps } from '../deps.ts';
import type { GitHub } from '../github/client.ts';
import type { ThreadRef } from '../github/event.ts';
import type { ThreadComment } from '../github/schemas.ts';
import { createMarkers, type Markers } from '../lib/marker.ts';

/** The thread the report goes to; `undefined` for none. */
export function threadOf({ thread }: VisitorsConfig, { event }: Deps): ThreadRef | undefined {
  return chooseThread(thread, event.kind === 'thread' || event.kind === 'comment' ? event.thread : undefined);
}

interface Posting {
  readonly github: GitHub;
  readonly thread: ThreadRef;
  /** What the comment is about: one comment a key in the whole thread. */
  readonly key: string;
  readonly markdown: string;
}

/**
 * Posts a report as one comment, or edits the comment that has it already; gives the comment's address. Only a comment whose
 * signed marker names it is edited: a pasted marker redirects nothing.
 *
 * @throws GitHubError, or the signal's reason.
 */
export async function postReport(posting: Posting, config: VisitorsConfig, deps: Deps): Promise<string> {
  const { github, thread, key, markdown } = posting;
  const { context, signal } = deps;
  const { repositoryId } = context;
  const markers = createMarkers({ service: config.service, repositoryId, thread: thread.number });
  const bodyOf = (comment?: number) =>
    `${markers.write({
      key,
      phase: 'ended',
      run: context.runId,
      attempt: context.runAttempt,
      ...(comment === undefined ? {} : { comment }),
    })}\n${markdown}`;

  const found = await findPosted(posting, markers, signal);
  const { id } = found ?? (await github.createComment(thread.number, bodyOf(), signal));
  return (await github.updateComment(id, bodyOf(id), signal)).url;
}

async function findPosted(
  { github, thread, key }: Posting,
  markers: Markers,
  signal: AbortSignal,
): Promise<ThreadComment | undefined> {
  for await (const comments of github.readNewestFirst(thread, signal)) {
    const found = comments.find((comment) => {
      const marker = markers.read(comment);
      return marker?.key === key && marker.comment === comment.id;
    });
    if (found !== undefined) return found;
  }
  return undefined;
}
