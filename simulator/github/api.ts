import { Api, type Call } from '../http/api.ts';
import { type Answer, jsonAnswer, type RecordedRequest } from '../http/messages.ts';
import { type Refusal, wrongBody } from '../http/refusal.ts';
import type { SimulatedGitHub } from './github.ts';
import { linkHeader, readPaging } from './paging.ts';
import { notFound, refuse } from './refusals.ts';
import { type Comment, type GitHubToken, isReactionContent, type Thread } from './types.ts';

/** As the API counts them; over it, a comment is refused. */
const MAX_COMMENT_CHARACTERS = 65_536;

const NO_CONTENT: Answer = { status: 204, headers: {}, body: Buffer.alloc(0) };

/** The part of GitHub's REST API that the action uses. */
export function githubApi(github: SimulatedGitHub, violations: string[]): Api {
  const { json } = github;
  const api = new Api({
    violations,
    refuseUnknown: () => notFound('an endpoint that the action has no business with'),
    check: checkHeaders,
    headers: () => github.limits.headers(),
  });

  /** Who asks, once the limits and the repository are checked. */
  const enter = ({ request, param }: Call): GitHubToken => {
    const token = tokenOf(github, request);
    github.limits.take(request);
    const isOurs =
      param('repository_id') === String(github.repository.id) ||
      `${param('owner')}/${param('repo')}`.toLowerCase() === github.fullName.toLowerCase();
    if (!isOurs) throw notFound();
    return token;
  };

  const openThread = (call: Call, access: 'read' | 'write'): { token: GitHubToken; thread: Thread } => {
    const token = enter(call);
    const thread = github.thread(numberOf(call, 'issue_number'));
    github.require(token, github.capabilityFor(thread.number), access);
    return { token, thread };
  };

  const openComment = (call: Call, access: 'read' | 'write'): { token: GitHubToken; comment: Comment } => {
    const token = enter(call);
    const comment = github.findComment(numberOf(call, 'comment_id'));
    github.require(token, github.capabilityFor(comment.number), access);
    return { token, comment };
  };

  api.on('GET /repos/{owner}/{repo}/collaborators/{username}/permission', (call) => {
    github.require(enter(call), 'metadata', 'read');
    const login = call.param('username');
    const user = github.findUser(login);
    if (user === undefined || user.type === 'Bot') throw refuse(404, `${login} is not a user`);
    return jsonAnswer(200, json.permission(user));
  });

  api.on('GET /repos/{owner}/{repo}/issues/{issue_number}', (call) =>
    jsonAnswer(200, json.thread(openThread(call, 'read').thread)),
  );

  const listComments = (call: Call): Answer => {
    const { thread } = openThread(call, 'read');
    const { path, query } = call.request;
    for (const name of Object.keys(query))
      if (!['page', 'per_page', 'since'].includes(name))
        violations.push(`${path}: GitHub ignores the parameter ${name} here`);
    const since = Date.parse(query.since ?? '') || 0;
    const comments = github.commentsOf(thread.number).filter(({ updatedAt }) => updatedAt >= since);
    const paging = readPaging(query);
    // GitHub's own links go by the repository's id, which outlives a renaming.
    const url = `${json.apiUrl}/repositories/${github.repository.id}/issues/${thread.number}/comments`;
    const link = linkHeader(url, query, paging, comments.length);
    const { page, perPage } = paging;
    const shown = comments.slice((page - 1) * perPage, page * perPage);
    return jsonAnswer(
      200,
      shown.map((comment) => json.comment(comment)),
      link === undefined ? {} : { link },
    );
  };
  api.on('GET /repos/{owner}/{repo}/issues/{issue_number}/comments', listComments);
  api.on('GET /repositories/{repository_id}/issues/{issue_number}/comments', listComments);

  api.on('POST /repos/{owner}/{repo}/issues/{issue_number}/comments', (call) => {
    const { token, thread } = openThread(call, 'write');
    if (thread.locked) throw refuse(403, 'Unable to create comment because issue is locked.');
    const comment = github.comment(token.login, thread.number, commentBody(call.request));
    return jsonAnswer(201, json.comment(comment));
  });

  api.on('GET /repos/{owner}/{repo}/issues/comments/{comment_id}', (call) =>
    jsonAnswer(200, json.comment(openComment(call, 'read').comment)),
  );

  api.on('PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}', (call) => {
    const { token, comment } = openComment(call, 'write');
    return jsonAnswer(200, json.comment(github.edit(comment.id, commentBody(call.request), token.login)));
  });

  api.on('DELETE /repos/{owner}/{repo}/issues/comments/{comment_id}', (call) => {
    github.delete(openComment(call, 'write').comment.id);
    return NO_CONTENT;
  });

  const react = (
    request: RecordedRequest,
    token: GitHubToken,
    target: Comment | Thread,
    thread: Thread,
  ): Answer => {
    if (thread.locked) throw refuse(403, 'Unable to create reaction because issue is locked.');
    const { reaction, isNew } = github.react(target, reactionContent(request), token.login);
    return jsonAnswer(isNew ? 201 : 200, json.reaction(reaction));
  };

  api.on('POST /repos/{owner}/{repo}/issues/comments/{comment_id}/reactions', (call) => {
    const { token, comment } = openComment(call, 'write');
    return react(call.request, token, comment, github.thread(comment.number));
  });

  api.on('POST /repos/{owner}/{repo}/issues/{issue_number}/reactions', (call) => {
    const { token, thread } = openThread(call, 'write');
    return react(call.request, token, thread, thread);
  });

  api.on('GET /repos/{owner}/{repo}/actions/runs/{run_id}', (call) => {
    github.require(enter(call), 'actions', 'read');
    const run = github.runs.get(numberOf(call, 'run_id'));
    if (run === undefined) throw notFound();
    return jsonAnswer(200, json.run(run));
  });

  return api;
}

/** A number in the path; where it is none, GitHub has no such endpoint. */
function numberOf({ param }: Call, name: string): number {
  const text = param(name);
  if (!/^\d+$/.test(text)) throw notFound(`${name} ${JSON.stringify(text)} is no number`);
  return Number(text);
}

function checkHeaders({ headers }: RecordedRequest): void {
  if ((headers['user-agent'] ?? '') === '') {
    const violation = 'the User-Agent header is missing';
    throw refuse(403, 'Request forbidden by administrative rules.', { violation });
  }
  const version = headers['x-github-api-version'];
  if (version !== undefined && version !== '2022-11-28') {
    throw refuse(400, `API version ${version} is not supported`, { violation: 'an unknown API version' });
  }
}

function tokenOf({ tokens }: SimulatedGitHub, { headers }: RecordedRequest): GitHubToken {
  const value = /^(?:bearer|token) (\S+)$/i.exec(headers.authorization ?? '')?.[1];
  if (value === undefined) {
    const violation = 'the Authorization header is missing';
    throw refuse(401, 'Requires authentication', { violation });
  }
  const token = tokens.get(value);
  if (token === undefined) throw refuse(401, 'Bad credentials');
  return token;
}

function commentBody(request: RecordedRequest): string {
  const body = stringField(request, 'body');
  if (body.trim() === '') throw invalid('IssueComment', 'body', 'Body cannot be blank');
  if (body.length > MAX_COMMENT_CHARACTERS) {
    throw invalid(
      'IssueComment',
      'body',
      `Body is too long (maximum is ${MAX_COMMENT_CHARACTERS} characters)`,
    );
  }
  return body;
}

function reactionContent(request: RecordedRequest): string {
  const content = stringField(request, 'content');
  if (!isReactionContent(content))
    throw invalid('Reaction', 'content', 'content is not included in the list');
  return content;
}

function stringField({ body }: RecordedRequest, field: string): string {
  if (typeof body === 'string' || body === undefined)
    throw refuse(400, 'Problems parsing JSON', { violation: 'no JSON body' });
  const problem = wrongBody(body, field);
  if (problem !== undefined) throw refuse(422, `Invalid request.\n\n${problem}.`, { violation: problem });
  return (body as Record<string, string>)[field] ?? '';
}

function invalid(resource: string, field: string, message: string): Refusal {
  const errors = [{ resource, code: 'unprocessable', field, message }];
  return refuse(422, 'Validation Failed', { violation: message, errors });
}
