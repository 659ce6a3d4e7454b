import { type Api, type Call, createApi, Refusal, wrongBody } from '../http/api.ts';
import { jsonAnswer, type RecordedRequest, type Route } from '../http/messages.ts';
import type { Project, SimulatedService } from './service.ts';
import { parseAnalyticsQuery } from './visitors/query.ts';
import { READER_LISTS, type ReaderList } from './visitors/readers.ts';

const MAX_BODY_BYTES = 5 * 1024 * 1024;

/** The service's endpoints, as its documentation describes them. */
export function serviceApi(service: SimulatedService, violations: string[]): Api {
  const api = createApi({
    violations,
    refuseUnknown: () =>
      new Refusal(404, { error: 'Not Found' }, { violation: 'the service has no such endpoint' }),
  });

  const on = (
    route: Route,
    status: number,
    respond: (call: Call, project: Project) => unknown,
  ): void =>
    api.on(route, (call) => {
      const project = service.authorize(call.param('project'), bearerOf(call.request));
      return jsonAnswer(status, respond(call, project));
    });

  on('POST /v2/agent/{project}/job', 201, ({ request }, { id }) =>
    service.createJob(promptOf(request), id).view(),
  );
  on('POST /v2/agent/{project}/job/{id}/message', 200, ({ request, param }, { id }) =>
    service.sendMessage(param('id'), promptOf(request), id).view(),
  );
  on('GET /v2/agent/{project}/job/{id}', 200, ({ param }, { id }) =>
    service.getJob(param('id'), id).view(),
  );
  on('GET /v1/analytics/{project}/visitors', 200, ({ request }, { id, organization }) => {
    service.visitors.countUse(organization);
    const query = parseAnalyticsQuery(request.query, { usual: 50, most: 250, position: 'offset' });
    return service.visitors.page(query, id);
  });
  for (const list of Object.keys(READER_LISTS) as ReaderList[])
    on(`GET /v1/analytics/{project}/${list}`, 200, ({ request }, { organization }) => {
      service.visitors.countUse(organization);
      return service.visitors.readers.page(list, request.query);
    });
  return api;
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
    throw new Refusal(
      413,
      { error: 'Payload too large' },
      { violation: 'the body is over the limit' },
    );
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
