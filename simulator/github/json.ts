import { isoSeconds } from '../clock/clock.ts';
import type { GitHubStore } from './store.ts';
import {
  type Comment,
  type GitHubUser,
  REACTION_CONTENTS,
  type Reaction,
  type Thread,
  type WorkflowRun,
} from './types.ts';

type Json = Record<string, unknown>;

/** GitHub's JSON of what is in the store, for answers and webhook payloads alike. */
export class GitHubJson {
  readonly apiUrl: string;
  readonly serverUrl: string;
  readonly #store: GitHubStore;

  constructor(store: GitHubStore, apiUrl: string, serverUrl: string) {
    this.#store = store;
    this.apiUrl = apiUrl;
    this.serverUrl = serverUrl;
  }

  get repoUrl(): string {
    return `${this.apiUrl}/repos/${this.#store.fullName}`;
  }

  user(login: string): Json {
    const { id, type } = this.#store.findUser(login) ?? { id: 0, type: 'User' };
    return {
      login,
      id,
      node_id: `U_${id}`,
      type,
      site_admin: false,
      url: `${this.apiUrl}/users/${encodeURIComponent(login)}`,
      html_url: `${this.serverUrl}/${type === 'Bot' ? `apps/${slugOf(login)}` : login}`,
    };
  }

  repository(): Json {
    const { id, owner, name, archived } = this.#store.repository;
    return {
      id,
      node_id: `R_${id}`,
      name,
      full_name: this.#store.fullName,
      private: false,
      owner: { login: owner, id: 9_000_001, type: 'Organization' },
      html_url: `${this.serverUrl}/${this.#store.fullName}`,
      url: this.repoUrl,
      default_branch: 'main',
      archived,
    };
  }

  threadUrl({ number, isPullRequest }: Thread): string {
    return `${this.serverUrl}/${this.#store.fullName}/${isPullRequest ? 'pull' : 'issues'}/${number}`;
  }

  /** @param full whether with `body_text`, as one media type has it. */
  thread(thread: Thread, full = false): Json {
    const { id, number, title, author, state, locked, isPullRequest, createdAt, reactions } = thread;
    const htmlUrl = this.threadUrl(thread);
    const pullRequest = { url: `${this.repoUrl}/pulls/${number}`, html_url: htmlUrl };
    return {
      id,
      node_id: `I_${id}`,
      number,
      title,
      state,
      locked,
      ...written(thread.body, full),
      user: this.user(author),
      author_association: this.#store.findUser(author)?.association ?? 'NONE',
      comments: this.#store.commentsOf(number).length,
      labels: thread.labels.map((name) => ({ name, color: 'ededed', default: false })),
      assignees: [],
      url: `${this.repoUrl}/issues/${number}`,
      comments_url: `${this.repoUrl}/issues/${number}/comments`,
      html_url: htmlUrl,
      ...(isPullRequest ? { pull_request: pullRequest } : {}),
      created_at: isoSeconds(createdAt),
      updated_at: isoSeconds(createdAt),
      reactions: reactionCounts(reactions),
    };
  }

  comment(comment: Comment): Json {
    const { id, number, login, body, createdAt, updatedAt, reactions } = comment;
    const thread = this.#store.thread(number);
    return {
      id,
      node_id: `IC_${id}`,
      url: `${this.repoUrl}/issues/comments/${id}`,
      html_url: `${this.threadUrl(thread)}#issuecomment-${id}`,
      issue_url: `${this.repoUrl}/issues/${number}`,
      user: this.user(login),
      author_association: this.#store.findUser(login)?.association ?? 'NONE',
      created_at: isoSeconds(createdAt),
      updated_at: isoSeconds(updatedAt),
      body,
      reactions: reactionCounts(reactions),
      performed_via_github_app: this.#app(login),
    };
  }

  /** The app behind a bot; `null` for people. */
  #app(login: string): Json | null {
    const user = this.#store.findUser(login);
    if (user?.type !== 'Bot') return null;
    const slug = slugOf(login);
    return { id: user.id, node_id: `A_${user.id}`, slug, name: slug };
  }

  reaction({ id, content, login, at }: Reaction): Json {
    return { id, node_id: `REA_${id}`, user: this.user(login), content, created_at: isoSeconds(at) };
  }

  permission({ login, permission, roleName }: GitHubUser): Json {
    const allows = (...levels: string[]): boolean => levels.includes(permission);
    const permissions = {
      admin: allows('admin'),
      maintain: allows('admin') || roleName === 'maintain',
      push: allows('admin', 'write'),
      triage: allows('admin', 'write') || roleName === 'triage',
      pull: !allows('none'),
    };
    return {
      permission,
      role_name: roleName,
      user: { ...this.user(login), role_name: roleName, permissions },
    };
  }

  run({ id, createdAt, event }: WorkflowRun): Json {
    return {
      id,
      name: 'docs',
      event,
      status: 'in_progress',
      conclusion: null,
      run_number: 1,
      run_attempt: 1,
      created_at: isoSeconds(createdAt),
      run_started_at: isoSeconds(createdAt),
      updated_at: isoSeconds(createdAt),
      html_url: `${this.serverUrl}/${this.#store.fullName}/actions/runs/${id}`,
    };
  }
}

/** A text that somebody has written; `null` where nobody has. */
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

/** The name of an app in addresses: its bot's login without `[bot]`. */
function slugOf(login: string): string {
  return login.replace(/\[bot\]$/, '');
}

function reactionCounts(reactions: readonly Reaction[]): Json {
  const counts = REACTION_CONTENTS.map((content) => [
    content,
    reactions.filter((reaction) => reaction.content === content).length,
  ]);
  return { total_count: reactions.length, ...Object.fromEntries(counts) };
}
