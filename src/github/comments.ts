import { type ThreadComment, toComment, toDiscussionComment } from './changes.ts';
import { type Connection, hasNext, perPage, withText } from './connection.ts';
import { type GitHubError, isAmbiguous } from './errors.ts';
import { required } from './response.ts';

/**
 * Allows for a difference between GitHub's clock and ours when we look for a comment that we just
 * posted.
 */
const clockSkewMs = 60_000;

export type Reaction = 'eyes' | 'rocket' | '+1' | 'confused';

/** A comment in a thread (`kind: comment`), or on lines of a pull request. */
type Reactable = { readonly kind: string; readonly id: number };

/** Comments and the reactions to them. */
export function createComments(connection: Connection) {
  const { read, find, list } = connection;
  const { issues, reactions } = connection.rest;
  const { clock, scrub } = connection.options;

  const readCommentsSince = (issue_number: number, sinceMs: number) =>
    list(
      `Reading the comments in thread ${issue_number}`,
      issues.listComments,
      { issue_number, since: new Date(sinceMs).toISOString() },
      toComment,
    );

  const readPage = (issue_number: number, page: number) =>
    read(
      `Reading the comments in thread ${issue_number}`,
      issues.listComments,
      { issue_number, per_page: perPage, page },
      (data, link) => ({ comments: required(data).map(toComment), link }),
    );

  function reactionsTo({ kind }: Reactable) {
    if (kind === 'comment')
      return {
        create: reactions.createForIssueComment,
        list: reactions.listForIssueComment,
        delete: reactions.deleteForIssueComment,
      };
    return {
      create: reactions.createForPullRequestReviewComment,
      list: reactions.listForPullRequestReviewComment,
      delete: reactions.deleteForPullRequestComment,
    };
  }

  return {
    react: (to: Reactable, content: Reaction) =>
      read(
        'Reacting to the comment',
        reactionsTo(to).create,
        { comment_id: to.id, content },
        (data) => void required(data).id,
      ),

    unreact: async (to: Reactable, content: Reaction, login: string) => {
      const doing = 'Removing a reaction';
      const methods = reactionsTo(to);
      const params = { comment_id: to.id, content, per_page: perPage };
      const own = await read(doing, methods.list, params, (data) =>
        required(data).find(({ user }) => user?.login === login),
      );
      if (own === undefined) return;
      const ids = { comment_id: to.id, reaction_id: own.id };
      await read(doing, methods.delete, ids, () => undefined);
    },

    /**
     * A thread's comments, newest page first. The first page's `Link` header has the number of the
     * last (RFC 8288).
     */
    async *readNewestFirst(issue_number: number) {
      const first = await readPage(issue_number, 1);
      const lastPage = first.link?.match(/[?&]page=(\d+)[^>]*>;\s*rel="last"/)?.[1];
      if (lastPage === undefined) {
        // The header doesn't name the last page, so every page is read, usually only one.
        const pages = [first];
        while (hasNext(pages.at(-1)?.link))
          pages.push(await readPage(issue_number, pages.length + 1));
        for (const page of pages.reverse()) yield page.comments;
        return;
      }
      for (let page = Number(lastPage); page > 1; page -= 1)
        yield (await readPage(issue_number, page)).comments;
      yield first.comments;
    },

    readCommentsSince,

    /** One page of a thread's comments, oldest first, with the text that readers see. */
    readDiscussionPage: (issue_number: number, page: number) =>
      read(
        `Reading the discussion in thread ${issue_number}`,
        issues.listComments,
        { ...withText, issue_number, per_page: perPage, page },
        (data) => required(data).map(toDiscussionComment),
      ),

    /**
     * The comments in all threads that were posted or edited since a given time, at most `maxPages`
     * pages.
     */
    readRepositoryComments: async (place: { sinceMs: number; maxPages: number }) => {
      const { sinceMs, maxPages } = place;
      const items = await list(
        'Reading the comments',
        issues.listCommentsForRepo,
        { sort: 'updated', direction: 'desc', since: new Date(sinceMs).toISOString() },
        toComment,
        maxPages,
      );
      // If a comment is edited while the pages are read, it may appear twice.
      const comments = new Map(items.map((comment) => [comment.id, comment]));
      return { comments: [...comments.values()], isWhole: items.length < maxPages * perPage };
    },

    /** One page of 100 comments in all threads, the ones that were posted last first. */
    readRepositoryPage: (page: number) =>
      read(
        'Reading the comments',
        issues.listCommentsForRepo,
        { sort: 'created', direction: 'desc', per_page: perPage, page },
        (data) => required(data).map(toComment),
      ),

    /** `undefined` if there is no such comment (404). */
    readComment: (comment_id: number) =>
      find('Reading the comment', issues.getComment, { comment_id }, toComment),

    /** @throws GitHubError if the comment and its thread are missing: the token can't see them */
    isThere: async ({ kind, id: comment_id }: Reactable, issue_number: number) => {
      const { getReviewComment } = connection.rest.pulls;
      const method = kind === 'comment' ? issues.getComment : getReviewComment;
      const toId = (data: { id: number }) => required(data).id;
      const id = await find('Reading the comment', method, { comment_id }, toId);
      if (id !== undefined) return true;
      const isDeleted = ({ status }: GitHubError) => status === 410;
      await find('Reading the thread', issues.get, { issue_number }, () => undefined, isDeleted);
      return false;
    },

    /**
     * Posts a comment exactly once. If a failed try may have posted the comment, the thread is
     * checked before the next try.
     */
    createComment: (thread: number, text: string): Promise<ThreadComment> => {
      const body = scrub(text);
      const sinceMs = clock.now() - clockSkewMs;
      let mayBePosted = false;
      return connection.call('Writing the comment', async () => {
        if (mayBePosted) {
          const recent = await readCommentsSince(thread, sinceMs);
          const posted = recent.find((comment) => comment.body === body);
          if (posted !== undefined) return posted;
        }
        try {
          const params = { ...connection.common, issue_number: thread, body };
          return toComment((await issues.createComment(params)).data);
        } catch (error) {
          mayBePosted ||= isAmbiguous(error);
          throw error;
        }
      });
    },

    updateComment: (comment_id: number, text: string) =>
      read(
        'Editing the comment',
        issues.updateComment,
        { comment_id, body: scrub(text) },
        toComment,
      ),

    deleteComment: (comment_id: number) =>
      read('Deleting the comment', issues.deleteComment, { comment_id }, () => undefined),
  };
}
