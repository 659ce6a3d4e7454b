import { isoSeconds } from '../clock/clock.ts';
import type { GitHubWorld } from './github.ts';
import type { Comment, WebhookEvent } from './types.ts';

/** Webhook payloads as the runner hands them over, cut to what workflows read. */
export class GitHubEvents {
  readonly #world: GitHubWorld;

  constructor(world: GitHubWorld) {
    this.#world = world;
  }

  issueComment(comment: Comment, action: 'created' | 'edited' | 'deleted'): WebhookEvent {
    const { shapes } = this.#world;
    const before = comment.history.at(-2)?.body ?? comment.body;
    return this.#event('issue_comment', comment.login, {
      action,
      issue: shapes.thread(this.#world.thread(comment.number)),
      comment: shapes.comment(comment),
      ...(action === 'edited' ? { changes: { body: { from: before } } } : {}),
    });
  }

  issues(number: number, action: string): WebhookEvent {
    const thread = this.#world.thread(number);
    return this.#event('issues', thread.author, { action, issue: this.#world.shapes.thread(thread) });
  }

  pullRequest(number: number, action: string): WebhookEvent {
    const thread = this.#world.thread(number);
    const { shapes } = this.#world;
    const { pull_request: _, ...issue } = shapes.thread(thread);
    const pullRequest = {
      ...issue,
      url: `${shapes.repoUrl}/pulls/${number}`,
      draft: false,
      merged: false,
      head: { ref: 'change', sha: 'b'.repeat(40), repo: shapes.repository() },
      base: { ref: 'main', sha: 'a'.repeat(40), repo: shapes.repository() },
    };
    return this.#event('pull_request', thread.author, { action, number, pull_request: pullRequest });
  }

  push(): WebhookEvent {
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

  schedule(schedule: string): WebhookEvent {
    return this.#event('schedule', 'maintainer', { schedule });
  }

  workflowDispatch(inputs: Readonly<Record<string, string>>): WebhookEvent {
    const workflow = '.github/workflows/docs.yml';
    return this.#event('workflow_dispatch', 'maintainer', { inputs, ref: 'refs/heads/main', workflow });
  }

  #event(name: string, actor: string, payload: Record<string, unknown>): WebhookEvent {
    const { shapes } = this.#world;
    return {
      name,
      actor,
      payload: { ...payload, repository: shapes.repository(), sender: shapes.user(actor) },
    };
  }
}
