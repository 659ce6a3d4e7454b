import type { ScrubbedAll } from '../text/scrub.ts';
import {
  type DiscussionComment,
  type ThreadComment,
  toComment,
  toDiscussionComment,
} from './changes.ts';
import { type Connection, hasNext, perPage, withText } from './connection.ts';
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

/** The reaction that someone added. */
type Added = { readonly id: number; readonly user: { readonly login: string } | null };

/** Comments and the reactions to them. */
export function createComments(connection: Connection) {
  const { read, find, list } = connection;
  const { issues } = connection.rest;
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

  /** A method for a path below the repository's. octokit has a different one for each kind of place. */
  function methodAt(verb: 'GET' | 'POST' | 'DELETE', path: string) {
    const route = `${verb} /repos/{owner}/{repo}/${path}`;
    return (params: object) => connection.request(route, { ...params });
  }

  return {
    unreact: async (to: Reactable, content: Reaction, login: string) => {
      const doing = 'Removing a reaction';
      const path = `${pathOf(to)}/reactions`;
      const listThem = methodAt('GET', path);
      const own = await read(doing, listThem, { content, per_page: perPage }, (data: Added[]) =>
        required(data).find(({ user }) => user?.login === login),
      );
      if (own === undefined) return;
      await read(doing, methodAt('DELETE', `${path}/${own.id}`), {}, () => undefined);
    },

    react: (to: Reactable, content: Reaction) => {
      const add = methodAt('POST', `${pathOf(to)}/reactions`);
      return read('Adding a reaction', add, { content }, (data: Added) => void required(data).id);
    },

    /**
     * A thread's comments, newest page first. A `Link` header has the number of the last page (RFC
     * 8288), or else at least the next one.
     */
    async *readNewestFirst(issue_number: number): AsyncGenerator<readonly ThreadComment[], void> {
      let page = lastPageAtFirst(issue_number);
      const first = await readPage(issue_number, page);
      const known = new Map([[page, first.comments]]);
      for (let { link } = first; hasNext(link); ) {
        const lastPage = link?.match(/[?&]page=(\d+)[^>]*>;\s*rel="last"/)?.[1];
        page = lastPage === undefined ? page + 1 : Number(lastPage);
        const next = await readPage(issue_number, page);
        known.set(page, next.comments);
        link = next.link;
      }
      for (; page >= 1; page -= 1)
        yield known.get(page) ?? (await readPage(issue_number, page)).comments;
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

    /**
     * Whether an issue or a comment still exists. @throws GitHubError if its thread can't be found:
     * the token can't see it
     */
    isThere: async (place: Reactable, issue_number: number) => {
      const isDeleted = ({ status }: GitHubError) => status === 410;
      const findThread = () =>
        find('Reading the thread', issues.get, { issue_number }, () => true, isDeleted);
      if (place.kind === 'issue') return (await findThread()) === true;
      const get = methodAt('GET', pathOf(place));
      const toId = (data: { id: number }) => required(data).id;
      const id = await find('Reading the comment', get, {}, toId);
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

/** Where a place is in the API, below its repository. */
function pathOf({ kind, id }: Reactable): string {
  if (kind === 'issue') return `issues/${id}`;
  if (kind === 'comment') return `issues/comments/${id}`;
  return `pulls/comments/${id}`;
}

function lastPageOf(commentCount: number) {
  return Math.max(1, Math.ceil(commentCount / perPage));
}
