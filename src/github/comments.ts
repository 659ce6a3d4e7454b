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

  /** The pages that were read. The discussion in a thread uses them again. */
  const pages = new Map<string, ScrubbedAll<DiscussionComment[]>>();

  /** One page of a thread's comments, oldest first, with the text that readers see. */
  async function readPage(issue_number: number, page: number) {
    const answer = await read(
      `Reading the comments in thread ${issue_number}`,
      issues.listComments,
      { ...withText, issue_number, per_page: perPage, page },
      (data, link) => ({ comments: required(data).map(toDiscussionComment), link }),
    );
    pages.set(`${issue_number}/${page}`, answer.comments);
    return answer;
  }

  /** The last page at the time of the event. Without the event's thread, the first page. */
  function lastPageAtFirst(issue_number: number) {
    const { thread } = connection.options;
    return thread?.number === issue_number ? lastPageOf(thread.commentCount) : 1;
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
     * A thread's comments, newest page first. A `Link` header has the number of the last page (RFC
     * 8288), or else at least the next one.
     */
    async *readNewestFirst(issue_number: number): AsyncGenerator<readonly ThreadComment[], void> {
      let page = lastPageAtFirst(issue_number);
      const first = await readPage(issue_number, page);
      const read = new Map([[page, first.comments]]);
      for (let { link } = first; hasNext(link); ) {
        const lastPage = link?.match(/[?&]page=(\d+)[^>]*>;\s*rel="last"/)?.[1];
        page = lastPage === undefined ? page + 1 : Number(lastPage);
        const next = await readPage(issue_number, page);
        read.set(page, next.comments);
        link = next.link;
      }
      for (; page >= 1; page -= 1)
        yield read.get(page) ?? (await readPage(issue_number, page)).comments;
    },

    readCommentsSince,

    /**
     * The newest comments in a thread, oldest first: those on pages that were read earlier, or else
     * on the newest `minPages` pages. `older` is how many come before them, at most.
     */
    readDiscussion: async (issue_number: number, commentCount: number, minPages: number) => {
      const lastPage = lastPageOf(commentCount);
      const comments: ScrubbedAll<DiscussionComment>[] = [];
      let page = lastPage;
      for (; page >= 1; page -= 1) {
        const known = pages.get(`${issue_number}/${page}`);
        if (known === undefined && page <= lastPage - minPages) break;
        comments.unshift(...(known ?? (await readPage(issue_number, page)).comments));
      }
      return { comments, older: page * perPage };
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

function lastPageOf(commentCount: number) {
  return Math.max(1, Math.ceil(commentCount / perPage));
}
