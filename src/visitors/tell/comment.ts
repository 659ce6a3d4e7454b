import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { explain } from '../../core/failure.ts';
import type { Projects } from '../../core/inputs/projects.ts';
import { chooseThread } from '../../core/inputs/thread.ts';
import type { Deps } from '../../deps.ts';
import type { ThreadComment } from '../../github/changes.ts';
import type { GitHub } from '../../github/client.ts';
import { missingPermission, missingThread } from '../../github/errors.ts';
import type { ThreadRef } from '../../github/event.ts';
import { createSigner, type Signer } from '../../requests/sign.ts';
import type { VisitorsConfig } from '../inputs.ts';
import type { Window } from '../read/period.ts';
import { commentLimit } from './blocks.ts';
import type { Telling } from './telling.ts';

/**
 * Posts the report to the thread that was chosen, if there is one, and gives the comment's address. A report that cannot be
 * posted is a warning only, since the summary has it in any case.
 *
 * @throws the signal's reason.
 */
export async function postReport(
  window: Window,
  telling: Telling,
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
    return await writeComment({ window, telling, github, thread }, config, deps);
  } catch (error) {
    signal.throwIfAborted();
    runner.warning(
      `The report was not posted to #${thread.number}, and is in the job summary alone: ${whyNot(error)}`,
    );
    return undefined;
  }
}

function whyNot(error: unknown): string {
  return missingPermission(error) ?? explain(error).text;
}

interface Posting {
  readonly window: Window;
  readonly telling: Telling;
  readonly github: GitHub;
  readonly thread: ThreadRef;
}

/**
 * Each window of the same projects, in any order, has one comment: when it is reported again, that comment is edited. The
 * comment is known by its signed marker, which names the comment it stands in, so that a copy of it in another comment counts
 * for nothing.
 */
async function writeComment(
  { window, telling, github, thread }: Posting,
  { apiKey, baseUrl, projects, thread: choice }: VisitorsConfig,
  { context, runner, signal, scrub }: Deps,
): Promise<string> {
  const { repository, repositoryId } = context;
  const projectId = idOfAll(projects);
  const signer = createSigner({
    service: { apiKey, baseUrl, projectId },
    repositoryId,
    thread: thread.number,
    scrub,
  });
  const key = `visitors:${projectId}:${window.start}:${window.end}`;
  const bodyOf = (comment?: number) => {
    const marker = signer.sign({ key, ...(comment === undefined ? {} : { comment: { id: comment } }) });
    const room = commentLimit.most - commentLimit.measure(`${marker}\n`);
    return `${marker}\n${telling.render({ ...commentLimit, most: room })}`;
  };
  const edit = async (id: number) => (await github.updateComment(id, bodyOf(id), signal)).url;
  const pages = github.readNewestFirst(thread, signal);
  const posted = await findPosted(pages, signer, key).catch((error: unknown) => {
    if (choice.kind !== 'number') throw error;
    throw missingThread(error, choice.number, repository) ?? error;
  });
  if (posted !== undefined) return edit(posted.id);
  const { id, url } = await github.createComment(thread.number, bodyOf(), signal);
  return edit(id).catch((error: unknown) => {
    signal.throwIfAborted();
    // The report is there, and a comment that was never edited is found again without its name.
    runner.info(`The report’s comment does not name itself: ${whyNot(error)}`);
    return url;
  });
}

/** What a report's comment remembers. */
const noteSchema = z.object({ key: z.string(), comment: z.optional(z.object({ id: z.number() })) });

/** What stands for the projects together, in whatever order they were given; of one, its id. */
function idOfAll([first, ...others]: Projects): string {
  if (others.length === 0) return first.id;
  const ids = [first, ...others].map(({ id }) => id).sort();
  return createHash('sha256').update(JSON.stringify(ids)).digest('hex');
}

async function findPosted(
  pages: AsyncIterable<readonly ThreadComment[]>,
  signer: Signer,
  key: string,
): Promise<ThreadComment | undefined> {
  let unnamed: ThreadComment | undefined;
  for await (const comments of pages) {
    for (const comment of comments.toReversed()) {
      const note = noteSchema.safeParse(signer.open(comment)).data;
      if (note?.key !== key) continue;
      if (note.comment?.id === comment.id) return comment;
      // One that does not name itself yet may be a copy, unless it is older than any and was never edited.
      if (comment.unedited) unnamed = comment;
    }
  }
  return unnamed;
}
