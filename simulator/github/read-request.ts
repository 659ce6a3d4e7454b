import type { Call } from '../http/api.ts';
import type { RecordedRequest } from '../http/messages.ts';
import { type Refusal, wrongBody } from '../http/refusal.ts';
import { notFound, refuse } from './refusals.ts';
import { type GitHubToken, isReactionContent, type ReactionContent } from './types.ts';

/** How long a comment may be, in UTF-16 code units. */
const MAX_COMMENT_CHARACTERS = 65_536;

/** A number in the path. If it is none, GitHub has no such endpoint. */
export function numberOf({ param }: Call, name: string): number {
  const text = param(name);
  if (!/^\d+$/.test(text)) throw notFound(`${name} ${JSON.stringify(text)} is no number`);
  return Number(text);
}

/** Checks the headers that every request to GitHub must have. */
export function checkHeaders({ headers }: RecordedRequest): void {
  if ((headers['user-agent'] ?? '') === '') {
    const violation = 'the User-Agent header is missing';
    throw refuse(403, 'Request forbidden by administrative rules.', { violation });
  }
  const version = headers['x-github-api-version'];
  if (version !== undefined && version !== '2022-11-28') {
    throw refuse(400, `API version ${version} is not supported`, { violation: 'an unknown API version' });
  }
}

/** Whether a request asks for `body_text` beside `body` ("Media types"). */
export function asksForText({ headers }: RecordedRequest): boolean {
  return /application\/vnd\.github(\.v3)?\.full\+json/.test(headers.accept ?? '');
}

/** The token that a request was sent with. */
export function tokenOf(tokens: ReadonlyMap<string, GitHubToken>, { headers }: RecordedRequest): GitHubToken {
  const value = /^(?:bearer|token) (\S+)$/i.exec(headers.authorization ?? '')?.[1];
  if (value === undefined) {
    const violation = 'the Authorization header is missing';
    throw refuse(401, 'Requires authentication', { violation });
  }
  const token = tokens.get(value);
  if (token === undefined) throw refuse(401, 'Bad credentials');
  return token;
}

export function commentBody(request: RecordedRequest): string {
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

export function reactionContent(request: RecordedRequest): ReactionContent {
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
