import { isoSeconds } from '../clock/clock.ts';
import type { GitHubStore } from './store.ts';
import type { Comment, GitHubUser, Reaction, Thread, WorkflowRun } from './types.ts';

type Json = Record<string, unknown>;

/** GitHub's JSON of what is in the store, for answers and webhook payloads alike. */
export class GitHubJson {
  readonly apiUrl: string;
  readonly serverUrl = 'https://github.com';
  readonly #store: GitHubStore;

  constructor(store: GitHubStore, apiUrl: string) {
    this.#store = store;
    this.apiUrl = apiUrl;
  }

  get repoUrl(): string {
    return `${this.apiUrl}/repos/${this.#store.fullName}`;
  }

  user(login: string): Json {
    const { id, type } = this.#store.findUser(login) ?? { id: 0, type: 'User' };
    return { login, id, type };
  }

  repository(): Json {
    const { id, owner, name } = this.#store.repository;
    return {
      id,
      name,
      full_name: this.#store.fullName,
      owner: { login: owner, id: 9_000_001, type: 'Organization' },
      html_url: `${this.serverUrl}/${this.#store.fullName}`,
      default_branch: 'main',
    };
  }

  threadUrl({ number, isPullRequest }: Thread): string {
    return `${this.serverUrl}/${this.#store.fullName}/${isPullRequest ? 'pull' : 'issues'}/${number}`;
  }

  /** @param full whether with `body_text`, as one media type has it. */
  thread(thread: Thread, full = false): Json {
    const { id, number, title, author, state, locked, isPullRequest, createdAt } = thread;
    const htmlUrl = this.threadUrl(thread);
    const pullRequest = { url: `${this.repoUrl}/pulls/${number}`, html_url: htmlUrl };
    return {
      id,
      number,
      title,
      state,
      locked,
      ...written(thread.body, full),
      user: this.user(author),
      author_association: this.#store.findUser(author)?.association ?? 'NONE',
      comments: this.#store.commentsOf(number).length,
      labels: thread.labels.map((name) => ({ name })),
      html_url: htmlUrl,
      ...(isPullRequest ? { pull_request: pullRequest } : {}),
      created_at: isoSeconds(createdAt),
      updated_at: isoSeconds(createdAt),
    };
  }

  comment(comment: Comment): Json {
    const { id, number, login, body, createdAt, updatedAt } = comment;
    const thread = this.#store.thread(number);
    return {
      id,
      html_url: `${this.threadUrl(thread)}#issuecomment-${id}`,
      issue_url: `${this.repoUrl}/issues/${number}`,
      user: this.user(login),
      author_association: this.#store.findUser(login)?.association ?? 'NONE',
      created_at: isoSeconds(createdAt),
      updated_at: isoSeconds(updatedAt),
      body,
    };
  }

  reaction({ id, content, login, at }: Reaction): Json {
    return { id, user: this.user(login), content, created_at: isoSeconds(at) };
  }

  permission({ login, permission, roleName }: GitHubUser): Json {
    return { permission, role_name: roleName, user: this.user(login) };
  }

  run({ id, createdAt, event }: WorkflowRun): Json {
    return {
      id,
      event,
      created_at: isoSeconds(createdAt),
      html_url: `${this.serverUrl}/${this.#store.fullName}/actions/runs/${id}`,
    };
  }
}

/** A text that people write; `null` if they wrote none. */
export function written(body: string, full: boolean): Json {
  if (body === '') return { body: null, ...(full ? { body_text: null, body_html: null } : {}) };
  return { body, ...(full ? { body_text: renderedText(body), body_html: `<p>${body}</p>` } : {}) };
}

/** What a reader of the rendered Markdown sees, as far as HTML goes: no comments and no tags. */
function renderedText(body: string): string {
  return body
    .replaceAll(/<!--[\s\S]*?(?:-->|$)/g, '')
    .replaceAll(/<\/?[a-z][^>]*>/gi, '')
    .trim();
}
