import { type Context, Hono } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';

import type { RecordedRequest, RouteApp, RouteEnv } from '../http/exchange.ts';
import { Refusal, wrongBody } from '../http/refusal.ts';
import { type GitHubWorld, MAX_COMMENT_CHARACTERS } from './github.ts';
import { linkHeader, readPaging } from './paging.ts';
import { notFound, refuse } from './refusals.ts';
import { type Comment, type GitHubToken, isReactionContent, type Thread } from './types.ts';

type Ctx = Context<RouteEnv>;
const REPO = '/repos/:owner/:repo';

/** The part of GitHub's REST API that the action uses. */
export function githubRoutes(world: GitHubWorld, violations: string[]): RouteApp {
  const app = new Hono<RouteEnv>();

  app.use(async (c, next) => {
    checkHeaders(c.env.record);
    await next();
    setHeaders(c, world.limits.headers());
  });

  /** Who asks, once the limits and the repository are checked. */
  const enter = (c: Ctx): GitHubToken => {
    const token = tokenOf(world, c.env.record);
    world.limits.take(c.env.record);
    const { owner, repo, repositoryId } = c.req.param() as Record<string, string | undefined>;
    const { repository, fullName } = world;
    const isOurs =
      repositoryId === undefined
        ? `${owner}/${repo}`.toLowerCase() === fullName.toLowerCase()
        : Number(repositoryId) === repository.id;
    if (!isOurs) throw notFound();
    return token;
  };

  app.get(`${REPO}/collaborators/:login/permission`, (c) => {
    world.require(enter(c), 'metadata', 'read');
    const login = c.req.param('login');
    const user = world.findUser(login);
    if (user === undefined || user.type === 'Bot') throw refuse(404, `${login} is not a user`);
    return c.json(world.shapes.permission(user));
  });

  app.get(`${REPO}/issues/:number{[0-9]+}`, (c) => {
    const { thread } = openThread(world, enter(c), c.req.param('number'), 'read');
    return c.json(world.shapes.thread(thread));
  });

  const listComments = (c: Ctx): Response => {
    const { thread } = openThread(world, enter(c), c.req.param('number') ?? '', 'read');
    const { since, page, perPage, ignored } = readPaging(c.env.record.query);
    for (const name of ignored)
      violations.push(`${c.env.record.path}: GitHub ignores the parameter ${name} here`);
    const comments = world.commentsOf(thread.number).filter(({ updatedAt }) => updatedAt >= since);
    // GitHub's own links go by the repository's id, which outlives a renaming.
    const url = `${world.shapes.apiUrl}/repositories/${world.repository.id}/issues/${thread.number}/comments`;
    const link = linkHeader(url, c.env.record.query, { page, perPage, count: comments.length });
    if (link !== undefined) c.header('link', link);
    const shown = comments.slice((page - 1) * perPage, page * perPage);
    return c.json(shown.map((comment) => world.shapes.comment(comment)));
  };
  app.get(`${REPO}/issues/:number{[0-9]+}/comments`, listComments);
  app.get('/repositories/:repositoryId/issues/:number{[0-9]+}/comments', listComments);

  app.post(`${REPO}/issues/:number{[0-9]+}/comments`, (c) => {
    const { token, thread } = openThread(world, enter(c), c.req.param('number'), 'write');
    if (thread.locked) throw refuse(403, 'Unable to create comment because issue is locked.');
    return c.json(
      world.shapes.comment(world.comment(token.login, thread.number, commentBody(c.env.record))),
      201,
    );
  });

  app.get(`${REPO}/issues/comments/:id{[0-9]+}`, (c) => {
    return c.json(world.shapes.comment(openComment(world, enter(c), c.req.param('id'), 'read').comment));
  });

  app.patch(`${REPO}/issues/comments/:id{[0-9]+}`, (c) => {
    const { token, comment } = openComment(world, enter(c), c.req.param('id'), 'write');
    return c.json(world.shapes.comment(world.edit(comment.id, commentBody(c.env.record), token.login)));
  });

  app.delete(`${REPO}/issues/comments/:id{[0-9]+}`, (c) => {
    world.delete(openComment(world, enter(c), c.req.param('id'), 'write').comment.id);
    return c.body(null, 204);
  });

  const react = (c: Ctx, token: GitHubToken, target: Comment | Thread, thread: Thread): Response => {
    if (thread.locked) throw refuse(403, 'Unable to create reaction because issue is locked.');
    const { reaction, isNew } = world.react(target, reactionContent(c.env.record), token.login);
    return c.json(world.shapes.reaction(reaction), isNew ? 201 : 200);
  };

  app.post(`${REPO}/issues/comments/:id{[0-9]+}/reactions`, (c) => {
    const { token, comment } = openComment(world, enter(c), c.req.param('id'), 'write');
    return react(c, token, comment, world.thread(comment.number));
  });

  app.post(`${REPO}/issues/:number{[0-9]+}/reactions`, (c) => {
    const { token, thread } = openThread(world, enter(c), c.req.param('number'), 'write');
    return react(c, token, thread, thread);
  });

  app.get(`${REPO}/actions/runs/:runId{[0-9]+}`, (c) => {
    world.require(enter(c), 'actions', 'read');
    const run = world.runs.get(Number(c.req.param('runId')));
    if (run === undefined) throw notFound();
    return c.json(world.shapes.run(run));
  });

  app.notFound(() => {
    throw notFound('an endpoint that the action has no business with');
  });

  app.onError((error, c) => {
    if (!(error instanceof Refusal)) throw error;
    const { method, path } = c.env.record;
    if (error.violation !== undefined) violations.push(`${method} ${path}: ${error.violation}`);
    setHeaders(c, { ...world.limits.headers(), ...error.headers });
    return c.json(error.body, error.status as ContentfulStatusCode);
  });

  return app;
}

type Opened = { readonly token: GitHubToken };

function openThread(
  world: GitHubWorld,
  token: GitHubToken,
  number: string,
  access: 'read' | 'write',
): Opened & { readonly thread: Thread } {
  const thread = world.thread(Number(number));
  world.require(token, world.capabilityFor(thread.number), access);
  return { token, thread };
}

function openComment(
  world: GitHubWorld,
  token: GitHubToken,
  id: string,
  access: 'read' | 'write',
): Opened & { readonly comment: Comment } {
  const comment = world.findComment(Number(id));
  world.require(token, world.capabilityFor(comment.number), access);
  return { token, comment };
}

function setHeaders(c: Ctx, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) c.header(name, value);
}

function checkHeaders({ headers }: RecordedRequest): void {
  if ((headers['user-agent'] ?? '') === '') {
    throw refuse(403, 'Request forbidden by administrative rules.', 'the User-Agent header is missing');
  }
  const version = headers['x-github-api-version'];
  if (version !== undefined && version !== '2022-11-28') {
    throw refuse(400, `API version ${version} is not supported`, 'an unknown API version');
  }
}

function tokenOf(world: GitHubWorld, { headers }: RecordedRequest): GitHubToken {
  const value = /^(?:bearer|token) (\S+)$/i.exec(headers.authorization ?? '')?.[1];
  if (value === undefined)
    throw refuse(401, 'Requires authentication', 'the Authorization header is missing');
  const token = world.tokens.get(value);
  if (token === undefined) throw refuse(401, 'Bad credentials');
  return token;
}

function commentBody(record: RecordedRequest): string {
  const body = stringField(record, 'body');
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

function reactionContent(record: RecordedRequest): string {
  const content = stringField(record, 'content');
  if (!isReactionContent(content))
    throw invalid('Reaction', 'content', 'content is not included in the list');
  return content;
}

function stringField({ body }: RecordedRequest, field: string): string {
  if (typeof body === 'string' || body === undefined)
    throw refuse(400, 'Problems parsing JSON', 'no JSON body');
  const problem = wrongBody(body, field);
  if (problem !== undefined) throw refuse(422, `Invalid request.\n\n${problem}.`, problem);
  return (body as Record<string, string>)[field] ?? '';
}

function invalid(resource: string, field: string, message: string): Refusal {
  return refuse(422, 'Validation Failed', message, [{ resource, code: 'unprocessable', field, message }]);
}
