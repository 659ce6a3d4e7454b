import { isoSeconds, type SimClock } from '../clock/clock.ts';
import { GitHubJson } from './json.ts';
import { GitHubLimits } from './limits.ts';
import { GitHubStore } from './store.ts';
import type { Comment, Repository, WebhookEvent } from './types.ts';

export interface GitHubOptions {
  /** Where the API is reached, without a trailing slash. */
  readonly apiUrl: string;
  readonly serverUrl?: string;
  readonly repository?: Partial<Omit<Repository, 'archived'>>;
}

/** The simulated GitHub: one repository, rate limits, and webhook payloads with the fields that workflows read. */
export class SimulatedGitHub extends GitHubStore {
  readonly limits: GitHubLimits;
  readonly json: GitHubJson;

  constructor(clock: SimClock, { apiUrl, serverUrl = 'https://github.com', repository = {} }: GitHubOptions) {
    super(clock, repository);
    this.limits = new GitHubLimits(clock);
    this.json = new GitHubJson(this, apiUrl, serverUrl);
  }

  issueCommentEvent(comment: Comment, action: 'created' | 'edited' | 'deleted' = 'created'): WebhookEvent {
    const before = comment.history.at(-2)?.body ?? comment.body;
    return this.#event('issue_comment', comment.login, {
      action,
      issue: this.json.thread(this.thread(comment.number)),
      comment: this.json.comment(comment),
      ...(action === 'edited' ? { changes: { body: { from: before } } } : {}),
    });
  }

  issuesEvent(number: number, action = 'opened'): WebhookEvent {
    const thread = this.thread(number);
    return this.#event('issues', thread.author, { action, issue: this.json.thread(thread) });
  }

  pullRequestEvent(number: number, action = 'opened'): WebhookEvent {
    const thread = this.thread(number);
    const { pull_request: _, ...issue } = this.json.thread(thread);
    const pullRequest = {
      ...issue,
      url: `${this.json.repoUrl}/pulls/${number}`,
      draft: false,
      merged: false,
      head: { ref: 'change', sha: 'b'.repeat(40), repo: this.json.repository() },
      base: { ref: 'main', sha: 'a'.repeat(40), repo: this.json.repository() },
    };
    return this.#event('pull_request', thread.author, { action, number, pull_request: pullRequest });
  }

  pushEvent(): WebhookEvent {
    const head = {
      id: 'b'.repeat(40),
      message: 'Change the docs',
      timestamp: isoSeconds(Date.UTC(2026, 0, 5)),
    };
    return this.#event('push', 'maintainer', {
      ref: 'refs/heads/main',
      before: 'a'.repeat(40),
      after: 'b'.repeat(40),
      commits: [head],
      head_commit: head,
    });
  }

  scheduleEvent(schedule = '0 6 * * 1'): WebhookEvent {
    return this.#event('schedule', 'maintainer', { schedule });
  }

  workflowDispatchEvent(inputs: Readonly<Record<string, string>> = {}): WebhookEvent {
    const workflow = '.github/workflows/docs.yml';
    return this.#event('workflow_dispatch', 'maintainer', { inputs, ref: 'refs/heads/main', workflow });
  }

  #event(name: string, actor: string, payload: Record<string, unknown>): WebhookEvent {
    const repository = this.json.repository();
    return { name, actor, payload: { ...payload, repository, sender: this.json.user(actor) } };
  }
}
