import type { Call } from '../http/api.ts';
import { type Answer, jsonAnswer } from '../http/messages.ts';
import type { SimulatedGitHub } from './github.ts';
import { linkHeader, readPaging } from './paging.ts';
import { tokenOf } from './read-request.ts';
import { notFound } from './refusals.ts';
import type { GitHubToken } from './types.ts';

export interface ListOptions<T> {
  /** Its address in the `Link` header. */
  readonly url: string;
  /** The query parameters that this list has besides `page` and `per_page`. */
  readonly parameters: readonly string[];
  readonly show: (item: T) => object;
}

/** What the endpoints share. */
export interface Access {
  /** The token of the request, after the checks of limits and repository that every endpoint makes. */
  enter(call: Call): GitHubToken;
  /** One page of a list. */
  list<T>(call: Call, items: readonly T[], options: ListOptions<T>): Answer;
}

export function createAccess(github: SimulatedGitHub, violations: string[]): Access {
  return {
    enter: ({ request, param }) => {
      const token = tokenOf(github.tokens, request);
      github.limits.take(request);
      const isOurs =
        param('repository_id') === String(github.repository.id) ||
        `${param('owner')}/${param('repo')}`.toLowerCase() === github.fullName.toLowerCase();
      if (!isOurs) throw notFound();
      return token;
    },

    list: ({ request: { path, query } }, items, { url, parameters, show }) => {
      for (const name of Object.keys(query))
        if (!['page', 'per_page', ...parameters].includes(name))
          violations.push(`${path}: GitHub ignores the parameter ${name} here`);
      const paging = readPaging(query);
      const link = linkHeader(url, query, paging, items.length);
      const end = paging.page * paging.perPage;
      const shown = items.slice(end - paging.perPage, end).map(show);
      return jsonAnswer(200, shown, link === undefined ? {} : { link });
    },
  };
}
