import type { ScrubbedAll } from '../text/scrub.ts';
import {
  type DiscussionComment,
  type ThreadComment,
  toComment,
  toDiscussionComment,
} from './changes.ts';
import { type Connection, hasNext, type Method, perPage, withText } from './connection.ts';
import { type GitHubError, isAmbiguous } from './errors.ts';
import { required } from './response.ts';

/** Without a dated response, our clock may be off when we look for a comment that we just posted. */
const clockSkewMs = 60_000;

export type Reaction = 'eyes' | 'rocket' | '+1' | 'confused';

/**
 * A comment in a thread (`kind: comment`), an issue, whose `id` is its number, or a comment on lines
 * of a pull request.
 */
type Reactable = { readonly kind: string; readonly id: number };

/** The endpoints for the reactions to a place. */
interface ReactionMethods<Place> {
  readonly create: Method<Place & { content: Reaction }, { id: number }>;
  readonly list: Method<
    Place & { content: Reaction; per_page: number },
    { id: number; user: { login: string } | null }[]
  >;
  readonly remove: Method<Place & { reaction_id: number }, unknown>;
}

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

  const readPageWithText = (issue_number: number, page: number) =>
    read(
      `Reading the comments in thread ${issue_number}`,
      issues.listComments,
      { ...withText, issue_number, per_page: perPage, page },
      (data, link) => ({ comments: required(data).map(toDiscussionComment), link }),
    );

  /**
   * The first page of each thread that was read. In most threads, it is the only one, so the
   * discussion takes no other request.
   */
  const firstPages = new Map<number, ScrubbedAll<DiscussionComment[]>>();

  async function readFirstPage(issue_number: number) {
    const page = await readPageWithText(issue_number, 1);
    firstPages.set(issue_number, page.comments);
    return page;
  }

  function reactionsTo({ kind, id }: Reactable) {
    if (kind === 'issue') {
      const { createForIssue: create, listForIssue: list, deleteForIssue: remove } = reactions;
      return bindReactions({ create, list, remove }, { issue_number: id });
    }
    const ofComment = {
      create: reactions.createForIssueComment,
      list: reactions.listForIssueComment,
      remove: reactions.deleteForIssueComment,
    };
    const ofReviewComment = {
      create: reactions.createForPullRequestReviewComment,
      list: reactions.listForPullRequestReviewComment,
      remove: reactions.deleteForPullRequestComment,
    };
    return bindReactions(kind === 'comment' ? ofComment : ofReviewComment, { comment_id: id });
  }

  /** The reactions to one place, which the methods find by these parameters. */
  function bindReactions<Place>(methods: ReactionMethods<Place>, place: Place) {
    const removing = 'Removing a reaction';
    return {
      create: (content: Reaction) =>
        read('Adding a reaction', methods.create, { ...place, content }, (data) => {
          return void required(data).id;
        }),
      findBy: (login: string, content: Reaction) => {
        const params = { ...place, content, per_page: perPage };
        return read(removing, methods.list, params, (data) =>
          required(data).find(({ user }) => user?.login === login),
        );
      },
      remove: (reaction_id: number) =>
        read(removing, methods.remove, { ...place, reaction_id }, () => undefined),
    };
  }

  return {
    react: (to: Reactable, content: Reaction) => reactionsTo(to).create(content),

    unreact: async (to: Reactable, content: Reaction, login: string) => {
      const reactions = reactionsTo(to);
      const own = await reactions.findBy(login, content);
      if (own !== undefined) await reactions.remove(own.id);
    },

    /**
     * A thread's comments, newest page first. The first page's `Link` header has the number of the
     * last (RFC 8288).
     */
    async *readNewestFirst(issue_number: number) {
      const first = await readFirstPage(issue_number);
      const lastPage = first.link?.match(/[?&]page=(\d+)[^>]*>;\s*rel="last"/)?.[1];
      if (lastPage === undefined) {
        // The header doesn't name the last page, so every page is read, usually only one.
        const pages: { comments: ThreadComment[]; link: string | undefined }[] = [first];
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

    /**
     * One page of a thread's comments, oldest first, with the text that readers see. The first page
     * may have been read earlier.
     */
    readDiscussionPage: async (issue_number: number, page: number) => {
      const known = page === 1 ? firstPages.get(issue_number) : undefined;
      if (known !== undefined) return known;
      return (await readPageWithText(issue_number, page)).comments;
    },

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
      const isDeleted = ({ status }: GitHubError) => status === 410;
      const findThread = () =>
        find('Reading the thread', issues.get, { issue_number }, () => true, isDeleted);
      if (kind === 'issue') return (await findThread()) === true;
      const { getReviewComment } = connection.rest.pulls;
      const method = kind === 'comment' ? issues.getComment : getReviewComment;
      const toId = (data: { id: number }) => required(data).id;
      const id = await find('Reading the comment', method, { comment_id }, toId);
      if (id !== undefined) return true;
      await findThread();
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
