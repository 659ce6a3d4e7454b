import { isoSeconds } from '../clock/clock.ts';
import { type Api, type Call, createApi } from '../http/api.ts';
import { type Answer, jsonAnswer } from '../http/messages.ts';
import type { SimulatedGitHub } from './github.ts';
import { notFound, refuse } from './refusals.ts';
import { addRepositoryEndpoints } from './repository/api.ts';
import {
  asksForText,
  checkHeaders,
  commentBody,
  createAccess,
  numberOf,
  stringField,
} from './requests.ts';
import type { Comment, GitHubToken, Thread } from './types.ts';

const NO_CONTENT: Answer = { status: 204, headers: {}, body: Buffer.alloc(0) };

type Needed = 'read' | 'write';
type Reactable = Pick<Comment, 'number' | 'reactions'>;

/** The part of GitHub's REST API that the action uses. */
export function githubApi(github: SimulatedGitHub, violations: string[]): Api {
  const { json } = github;
  const api = createApi({
    violations,
    refuseUnknown: () => notFound('an endpoint that the action has no business with'),
    check: checkHeaders,
    headers: () => ({ 'x-ratelimit-remaining': String(github.requestsLeft) }),
  });

  const { enter, list } = createAccess(github, violations);

  /** GitHub's links use the repository's ID, because it survives renames. */
  const repositoryUrl = () => `${json.apiUrl}/repositories/${github.repository.id}`;
  const showComment = (comment: Comment) => json.comment(comment);

  const openThread = (call: Call, access: Needed) => {
    const token = enter(call);
    const thread = github.thread(numberOf(call, 'issue_number'));
    github.require(token, [github.capabilityFor(thread.number)], access);
    return { token, thread };
  };

  const openComment = (call: Call, access: Needed) => {
    const token = enter(call);
    const comment = github.findComment(numberOf(call, 'comment_id'));
    github.require(token, [github.capabilityFor(comment.number)], access);
    return { token, comment };
  };

  /** In a locked thread, only people with write access can write, and the workflow's own token isn't a person. */
  const refuseIfLocked = ({ locked }: Thread, { login }: GitHubToken, what: string): void => {
    const permission = github.users.get(login)?.permission;
    if (locked && permission !== 'admin' && permission !== 'write')
      throw refuse(403, `Unable to create ${what} because issue is locked.`);
  };

  api.on('GET /repos/{owner}/{repo}/collaborators/{username}/permission', (call) => {
    github.require(enter(call), ['metadata'], 'read');
    const login = call.param('username');
    const user = github.users.get(login);
    if (user === undefined || user.type === 'Bot') throw refuse(404, `${login} is not a user`);
    return jsonAnswer(200, { permission: user.permission, role_name: user.permission });
  });

  api.on('GET /repos/{owner}/{repo}/issues/comments', (call) => {
    github.require(enter(call), ['issues', 'pull-requests'], 'read');
    const { sort, direction } = call.request.query;
    const sign = sort !== undefined && direction !== 'asc' ? -1 : 1;
    const comments = listed(call).toSorted((one, other) => {
      const difference = sort === 'updated' ? one.updatedAt - other.updatedAt : 0;
      return sign * (difference || one.id - other.id);
    });
    const parameters = ['sort', 'direction', 'since'];
    return list(call, comments, showComment, {
      url: `${repositoryUrl()}/issues/comments`,
      parameters,
    });
  });

  api.on('GET /repos/{owner}/{repo}/issues/{issue_number}', (call) =>
    jsonAnswer(200, json.thread(openThread(call, 'read').thread, asksForText(call.request))),
  );

  /** The listed comments that changed at or after the query's `since`. */
  const listed = ({ request: { query } }: Call): readonly Comment[] => {
    const since = Date.parse(query.since ?? '') || 0;
    return github.listedComments().filter(({ updatedAt }) => updatedAt >= since);
  };

  api.on('GET /repos/{owner}/{repo}/issues/{issue_number}/comments', (call) => {
    const { thread } = openThread(call, 'read');
    const comments = listed(call).filter(({ number }) => number === thread.number);
    const url = `${repositoryUrl()}/issues/${thread.number}/comments`;
    const show = (comment: Comment) => json.comment(comment, asksForText(call.request));
    return list(call, comments, show, { url, parameters: ['since'] });
  });

  api.on('POST /repos/{owner}/{repo}/issues/{issue_number}/comments', (call) => {
    const { token, thread } = openThread(call, 'write');
    refuseIfLocked(thread, token, 'comment');
    const comment = github.comment(token.login, thread.number, commentBody(call.request));
    return jsonAnswer(201, json.comment(comment));
  });

  api.on('GET /repos/{owner}/{repo}/issues/comments/{comment_id}', (call) =>
    jsonAnswer(200, json.comment(openComment(call, 'read').comment)),
  );

  api.on('PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}', (call) => {
    const { token, comment } = openComment(call, 'write');
    if (!github.mayEditInLocked) refuseIfLocked(github.thread(comment.number), token, 'comment');
    const edited = github.edit(comment.id, commentBody(call.request), token.login);
    return jsonAnswer(200, json.comment(edited));
  });

  api.on('DELETE /repos/{owner}/{repo}/issues/comments/{comment_id}', (call) => {
    github.delete(openComment(call, 'write').comment.id);
    return NO_CONTENT;
  });

  /** Adds the endpoints for reactions to issues, issue comments, or review comments. */
  const addReactions = (
    kind: 'issues/{issue_number}' | 'issues/comments/{comment_id}' | 'pulls/comments/{comment_id}',
    open: (call: Call, access: Needed) => { token: GitHubToken; comment: Reactable },
  ): void => {
    const path = `/repos/{owner}/{repo}/${kind}/reactions` as const;
    api.on(`POST ${path}`, (call) => {
      const { token, comment } = open(call, 'write');
      refuseIfLocked(github.thread(comment.number), token, 'reaction');
      const { reaction, isNew } = github.react(
        comment,
        stringField(call.request, 'content'),
        token.login,
      );
      return jsonAnswer(isNew ? 201 : 200, json.reaction(reaction));
    });

    api.on(`GET ${path}`, (call) => {
      const { reactions } = open(call, 'read').comment;
      const { content } = call.request.query;
      const asked = reactions.filter(
        (reaction) => content === undefined || reaction.content === content,
      );
      const url = `${json.apiUrl}${call.request.path}`;
      return list(call, asked, (reaction) => json.reaction(reaction), {
        url,
        parameters: ['content'],
      });
    });

    api.on(`DELETE ${path}/{reaction_id}`, (call) => {
      const { token, comment } = open(call, 'write');
      const reaction = comment.reactions.find(({ id }) => id === numberOf(call, 'reaction_id'));
      if (reaction === undefined) throw notFound();
      // GitHub's real response is undocumented. We refuse the request, so that a careless client is noticed.
      if (reaction.login !== token.login)
        throw refuse(403, 'Resource not accessible by integration');
      comment.reactions.splice(comment.reactions.indexOf(reaction), 1);
      return NO_CONTENT;
    });
  };

  const openReviewComment = (call: Call, access: Needed) => {
    const token = enter(call);
    github.require(token, ['pull-requests'], access);
    const id = numberOf(call, 'comment_id');
    const comment = github.reviews.comments.find(
      (written) => written.id === id && !written.deleted,
    );
    if (comment === undefined) throw notFound();
    return { token, comment };
  };

  api.on('GET /repos/{owner}/{repo}/pulls/comments/{comment_id}', (call) =>
    jsonAnswer(200, json.reviewComment(openReviewComment(call, 'read').comment)),
  );
  const openIssue = (call: Call, access: Needed) => {
    const { token, thread } = openThread(call, access);
    return { token, comment: thread };
  };
  addReactions('issues/{issue_number}', openIssue);
  addReactions('issues/comments/{comment_id}', openComment);
  addReactions('pulls/comments/{comment_id}', openReviewComment);

  api.on('GET /repos/{owner}/{repo}/actions/runs/{run_id}', (call) => {
    github.require(enter(call), ['actions'], 'read');
    const run = github.runs.get(numberOf(call, 'run_id'));
    if (run === undefined) throw notFound();
    return jsonAnswer(200, { id: run.id, event: run.event, created_at: isoSeconds(run.createdAt) });
  });

  addRepositoryEndpoints(api, github, { enter, list });
  return api;
}
