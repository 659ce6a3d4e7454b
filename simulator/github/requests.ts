import { type Call, type Refusal, wrongBody } from '../http/api.ts';
import { jsonAnswer, type RecordedRequest } from '../http/messages.ts';
import type { SimulatedGitHub } from './github.ts';
import { notFound, refuse } from './refusals.ts';
import type { GitHubToken } from './types.ts';

/** The longest comment that GitHub accepts, in UTF-16 code units. */
const MAX_COMMENT_CHARACTERS = 65_536;

/** The URL of a list in its `Link` header, and its query parameters besides `page` and `per_page`. */
interface ListAt {
  readonly url: string;
  readonly parameters?: readonly string[];
}

/** Functions that all endpoints share. */
export type Access = ReturnType<typeof createAccess>;

export function createAccess(github: SimulatedGitHub, violations: string[]) {
  return {
    /** Returns the request's token. Redirects requests to an earlier name, and refuses those to other repositories. */
    enter({ request, param }: Call): GitHubToken {
      const token = github.tokenOf(secretIn(request));
      const named = `${param('owner')}/${param('repo')}`;
      if (github.formerNames.has(named)) {
        const path = request.path.replace(/^(\/[^/]+){3}/, '');
        // GitHub's own redirect has the repository's ID instead of its new name.
        const location = `${github.json.repoUrl}${path}?${new URLSearchParams(request.query)}`;
        throw refuse(request.method === 'GET' ? 301 : 307, 'Moved Permanently', {
          headers: { location },
        });
      }
      if (named.toLowerCase() !== github.fullName.toLowerCase()) throw notFound();
      return token;
    },

    list<T>(
      call: Call,
      items: readonly T[],
      show: (item: T) => object,
      { url, parameters = [] }: ListAt,
    ) {
      const { path, query } = call.request;
      for (const name of Object.keys(query))
        if (!['page', 'per_page', ...parameters].includes(name))
          violations.push(`${path}: GitHub ignores the parameter ${name} here`);
      const { shown, headers } = pageOf(items, url, query);
      return jsonAnswer(200, shown.map(show), headers);
    },
  };
}

/** Parses a number in the path. Nothing is found for `NaN`. */
export function numberOf({ param }: Call, name: string): number {
  return Number(param(name));
}

/** Checks the headers that every request to GitHub needs. */
export function checkHeaders({ headers }: RecordedRequest): void {
  if ((headers['user-agent'] ?? '') === '') {
    const violation = 'the User-Agent header is missing';
    throw refuse(403, 'Request forbidden by administrative rules.', { violation });
  }
  const version = headers['x-github-api-version'];
  if (version !== undefined && version !== '2022-11-28') {
    throw refuse(400, `API version ${version} is not supported`, {
      violation: 'an unknown API version',
    });
  }
}

/** Whether the request's media type asks for `body_text`. */
export function asksForText({ headers }: RecordedRequest): boolean {
  return /application\/vnd\.github(\.v3)?\.full\+json/.test(headers.accept ?? '');
}

/** The value of a request's token. */
function secretIn({ headers }: RecordedRequest): string {
  return /^(?:bearer|token) (\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? '';
}

export function commentBody(request: RecordedRequest): string {
  const body = stringField(request, 'body');
  if (body.trim() === '') throw invalid('Body cannot be blank');
  if (body.length > MAX_COMMENT_CHARACTERS)
    throw invalid(`Body is too long (maximum is ${MAX_COMMENT_CHARACTERS} characters)`);
  return body;
}

export function stringField({ body }: RecordedRequest, field: string): string {
  if (typeof body === 'string' || body === undefined)
    throw refuse(400, 'Problems parsing JSON', { violation: 'no JSON body' });
  const problem = wrongBody(body, field);
  if (problem !== undefined)
    throw refuse(422, `Invalid request.\n\n${problem}.`, { violation: problem });
  return (body as Record<string, string>)[field] ?? '';
}

function invalid(message: string): Refusal {
  const errors = [{ resource: 'IssueComment', code: 'unprocessable', field: 'body', message }];
  return refuse(422, 'Validation Failed', { violation: message, errors });
}

type Query = Readonly<Record<string, string>>;

/** Parses paging parameters as GitHub does: invalid values are ignored, and a page has at most 100 entries. */
function readPaging(query: Query): { readonly page: number; readonly perPage: number } {
  return {
    page: Math.max(1, integer(query.page, 1)),
    perPage: Math.min(100, Math.max(1, integer(query.per_page, 30))),
  };
}

/** One page of a list, with a `Link` header if there are others. `most` limits the total number of items shown. */
export function pageOf<T>(items: readonly T[], url: string, query: Query, most = items.length) {
  const { page, perPage } = readPaging(query);
  const last = Math.max(1, Math.ceil(items.length / perPage));
  const to = (target: number, rel: string): string =>
    `<${url}?${new URLSearchParams({ ...query, page: String(target) })}>; rel="${rel}"`;
  const links: string[] = [];
  if (page > 1) links.push(to(Math.min(page - 1, last), 'prev'));
  if (page < last) links.push(to(page + 1, 'next'), to(last, 'last'));
  if (page > 1) links.push(to(1, 'first'));
  const shown = items.slice((page - 1) * perPage, Math.min(page * perPage, most));
  const headers: Record<string, string> = links.length === 0 ? {} : { link: links.join(', ') };
  return { shown, headers };
}

function integer(text: string | undefined, fallback: number): number {
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : fallback;
}
