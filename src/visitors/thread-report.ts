import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { explain } from '../core/errors.ts';
import { chooseThread, type ThreadChoice } from '../core/inputs/common.ts';
import type { Deps } from '../deps.ts';
import type { ThreadComment } from '../github/changes.ts';
import type { GitHub } from '../github/client.ts';
import { missingPermission, missingThread } from '../github/errors.ts';
import type { ThreadRef } from '../github/event.ts';
import { commentLimit, type SizeLimit } from '../report/blocks.ts';
import type { Window } from '../report/window.ts';
import { createSigner, type Signer } from '../requests/sign.ts';

/** A report that is to be posted. */
export interface Posting {
  readonly choice: ThreadChoice;
  /** Where the service is and whose key it takes: they sign the comment. */
  readonly service: { readonly baseUrl: string; readonly apiKey: string };
  /** The projects' ids, in any order, and the window: each window of the same projects has one comment. */
  readonly projects: readonly string[];
  readonly window: Pick<Window, 'start' | 'end'>;
  readonly render: (limit: SizeLimit) => string;
}

/**
 * Posts the report to the thread that was chosen, if there is one, and gives the comment's address. When the window is reported
 * again, its comment is edited. A report that cannot be posted is only a warning, since the summary has it in any case.
 *
 * @throws the signal's reason.
 */
export async function postReport(posting: Posting, deps: Deps): Promise<string | undefined> {
  const { event, github, runner, signal } = deps;
  const ofEvent = event.kind === 'thread' || event.kind === 'comment' ? event.thread : undefined;
  const thread = chooseThread(posting.choice, ofEvent);
  if (thread === undefined) return undefined;
  if (github === undefined) {
    runner.warning(`The report was not posted to #${thread.number}: that takes a \`github-token\``);
    return undefined;
  }
  try {
    return await writeComment(posting, thread, github, deps);
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

/** Writes the comment, or edits the one that a run before wrote. Its signed marker names the comment, so that a copy counts for nothing. */
async function writeComment(
  { choice, service, projects, window, render }: Posting,
  thread: ThreadRef,
  github: GitHub,
  { context, runner, signal, scrub }: Deps,
): Promise<string> {
  const { repository, repositoryId } = context;
  const projectId = idOfAll(projects);
  const signer = createSigner({
    service: { ...service, projectId },
    repositoryId,
    thread: thread.number,
    scrub,
  });
  const key = `visitors:${projectId}:${window.start}:${window.end}`;
  const bodyOf = (comment?: number) => {
    const line = signer.sign({ key, ...(comment === undefined ? {} : { comment: { id: comment } }) });
    return `${line}\n${render({ ...commentLimit, most: commentLimit.most - line.length - 1 })}`;
  };
  const edit = async (id: number) => (await github.updateComment(id, bodyOf(id), signal)).url;
  const posted = await findPosted(github.readNewestFirst(thread, signal), signer, key).catch(
    (error: unknown) => {
      if (choice.kind !== 'number') throw error;
      throw missingThread(error, choice.number, repository) ?? error;
    },
  );
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

/** What stands for the projects together, in whatever order they were given; a single one's id. */
function idOfAll(projects: readonly string[]): string {
  const [only = ''] = projects;
  if (projects.length === 1) return only;
  return createHash('sha256').update(JSON.stringify(projects.toSorted())).digest('hex');
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
