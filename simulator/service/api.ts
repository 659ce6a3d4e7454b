import { Api, type Call, Refusal, wrongBody } from '../http/api.ts';
import { jsonAnswer, type RecordedRequest } from '../http/messages.ts';
import type { Project, SimulatedService } from './service.ts';
import { parseAnalyticsQuery } from './visitors/query.ts';
import { READER_LISTS, type ReaderList } from './visitors/readers.ts';

const MAX_BODY_BYTES = 5 * 1024 * 1024;

/** The service's endpoints, as its documentation describes them. */
export function serviceApi(service: SimulatedService, violations: string[]): Api {
  const api = new Api({
    violations,
    refuseUnknown: () =>
      new Refusal(404, { error: 'Not Found' }, { violation: 'the service has no such endpoint' }),
  });

  const enter = ({ request, param }: Call): Project => service.authorize(param('project'), bearerOf(request));

  api.on('POST /v2/agent/{project}/job', (call) => {
    const project = enter(call);
    return jsonAnswer(201, service.createJob(promptOf(call.request), project.id).view());
  });

  api.on('POST /v2/agent/{project}/job/{id}/message', (call) => {
    const project = enter(call);
    const job = service.sendMessage(call.param('id'), promptOf(call.request), project.id);
    return jsonAnswer(200, job.view());
  });

  api.on('GET /v2/agent/{project}/job/{id}', (call) => {
    const project = enter(call);
    return jsonAnswer(200, service.getJob(call.param('id'), project.id).view());
  });

  api.on('GET /v1/analytics/{project}/visitors', (call) => {
    const project = enter(call);
    service.visitors.countUse(project.organization);
    const query = parseAnalyticsQuery(call.request.query, { usual: 50, most: 250, position: 'offset' });
    return jsonAnswer(200, service.visitors.page(query, project.id));
  });

  for (const list of Object.keys(READER_LISTS) as ReaderList[]) {
    api.on(`GET /v1/analytics/{project}/${list}`, (call) => {
      const project = enter(call);
      service.visitors.countUse(project.organization);
      return jsonAnswer(200, service.visitors.readers.page(list, call.request.query, project.id));
    });
  }

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
