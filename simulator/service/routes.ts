import { type Context, Hono } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';

import type { SimClock } from '../clock/clock.ts';
import type { RecordedRequest, RouteApp, RouteEnv } from '../http/exchange.ts';
import { Refusal, wrongBody } from '../http/refusal.ts';
import type { Project, ServiceUse, ServiceWorld } from './service.ts';
import { parseVisitorsQuery } from './visitors/query.ts';

const MAX_BODY_BYTES = 5 * 1024 * 1024;

/** The service's endpoints, as the interface document has them. */
export function serviceRoutes(world: ServiceWorld, clock: SimClock, violations: string[]): RouteApp {
  const app = new Hono<RouteEnv>();

  /** What every endpoint does before its own work. */
  const enter = async (c: Context<RouteEnv>, use: ServiceUse): Promise<Project> => {
    if (world.latencyMs > 0) await clock.pass(world.latencyMs);
    world.checkErrorOnDemand(use);
    return world.authorize(c.req.param('projectId') ?? '', bearerOf(c.env.record));
  };

  app.post('/v2/agent/:projectId/job', async (c) => {
    const project = await enter(c, 'create');
    return c.json(world.createJob(promptOf(c.env.record), project.id).view(), 201);
  });

  app.post('/v2/agent/:projectId/job/:id/message', async (c) => {
    const project = await enter(c, 'message');
    return c.json(world.sendMessage(c.req.param('id'), promptOf(c.env.record), project.id).view());
  });

  app.get('/v2/agent/:projectId/job/:id', async (c) => {
    const project = await enter(c, 'get');
    return c.json(world.getJob(c.req.param('id'), project.id).view());
  });

  app.get('/v1/analytics/:projectId/visitors', async (c) => {
    const project = await enter(c, 'visitors');
    world.visitors.use(project.organisation);
    return c.json(world.visitors.page(parseVisitorsQuery(c.env.record.query)));
  });

  app.notFound(() => {
    throw new Refusal(404, { error: 'Not Found' }, { violation: 'the service has no such endpoint' });
  });

  app.onError((error, c) => {
    if (!(error instanceof Refusal)) throw error;
    const { method, path } = c.env.record;
    if (error.violation !== undefined) violations.push(`${method} ${path}: ${error.violation}`);
    return c.json(error.body, error.status as ContentfulStatusCode, { ...error.headers });
  });

  return app;
}

function bearerOf({ headers }: RecordedRequest): string {
  const match = /^Bearer (\S+)$/.exec(headers.authorization ?? '');
  if (match?.[1] === undefined) {
    const violation = 'the Authorization header is missing or is no Bearer';
    throw new Refusal(401, { error: 'Unauthorized: missing API key' }, { violation });
  }
  return match[1];
}

function promptOf({ headers, body, bodyText }: RecordedRequest): string {
  const contentType = headers['content-type'] ?? '';
  if (!/^application\/json(\s*;|$)/i.test(contentType)) {
    throw badRequest(`content-type is ${JSON.stringify(contentType)}, not application/json`);
  }
  if (Buffer.byteLength(bodyText) > MAX_BODY_BYTES) {
    throw new Refusal(413, { error: 'Payload too large' }, { violation: 'the body is over the limit' });
  }
  const problem = wrongBody(body, 'prompt');
  if (problem !== undefined) throw badRequest(problem);
  const { prompt } = body as { prompt: string };
  if (prompt === '') throw badRequest('prompt must have at least 1 character');
  return prompt;
}

function badRequest(problem: string): Refusal {
  return new Refusal(400, { error: `Bad request: ${problem}` }, { violation: problem });
}
