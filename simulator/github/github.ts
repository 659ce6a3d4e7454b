import type { SimClock } from '../clock/clock.ts';
import { GitHubJson } from './json.ts';
import { Checks } from './repository/checks.ts';
import { PullRequests } from './repository/pull-requests.ts';
import { Releases } from './repository/releases.ts';
import { type Review, type ReviewComment, Reviews } from './repository/reviews.ts';
import { GitHubStore } from './store.ts';
import type { Comment, WebhookEvent } from './types.ts';

/** The SHA in a push that creates or deletes a branch. */
export const NO_COMMIT = '0'.repeat(40);

/** The simulated GitHub: one repository, and the webhook events that it sends. */
export class SimulatedGitHub extends GitHubStore {
  readonly json: GitHubJson;
  readonly checks: Checks;
  readonly pullRequests: PullRequests;
  readonly releases: Releases;
  readonly reviews: Reviews;

  constructor(clock: SimClock, apiUrl: string) {
    super(clock);
    this.json = new GitHubJson(this, apiUrl);
    this.checks = new Checks(this);
    this.pullRequests = new PullRequests(this);
    this.releases = new Releases(this);
    this.reviews = new Reviews(this);
  }

  issueCommentEvent(comment: Comment): WebhookEvent {
    return this.#event('issue_comment', comment.login, {
      action: 'created',
      issue: this.json.thread(this.thread(comment.number)),
      comment: this.json.comment(comment),
    });
  }

  reviewCommentEvent(comment: ReviewComment): WebhookEvent {
    return this.#event('pull_request_review_comment', comment.login, {
      action: 'created',
      comment: this.json.reviewComment(comment),
      pull_request: this.json.listedPullRequest(this.pullRequests.of(comment.number)),
    });
  }

  reviewEvent(review: Review, action = 'submitted'): WebhookEvent {
    return this.#event('pull_request_review', review.login, {
      action,
      // In an event, unlike in a response, an empty body is `null`.
      review: { ...this.json.review(review), body: review.body || null },
      pull_request: this.json.listedPullRequest(this.pullRequests.of(review.number)),
    });
  }

  /** @param changes says, for a transferred issue, where it was before */
  issuesEvent(number: number, action = 'opened', changes?: object): WebhookEvent {
    const thread = this.thread(number);
    const issue = this.json.thread(thread);
    const more = changes === undefined ? {} : { changes };
    return this.#event('issues', thread.author, { action, issue, ...more });
  }

  pullRequestEvent(number: number, action = 'opened'): WebhookEvent {
    const pullRequest = this.pullRequests.of(number);
    return this.#event('pull_request', this.thread(number).author, {
      action,
      number,
      pull_request: {
        ...this.json.listedPullRequest(pullRequest),
        merged: pullRequest.mergedAt !== null,
      },
    });
  }

  /** A push to a branch; by default, of the last commit on `main`. */
  pushEvent(
    options: Partial<Record<'ref' | 'before' | 'after' | 'pusher', string>> = {},
  ): WebhookEvent {
    const { ref = 'refs/heads/main', pusher = 'maintainer', ...shas } = options;
    const tip = this.git.resolve(shas.after ?? ref);
    const after = shas.after ?? tip?.sha ?? 'b'.repeat(40);
    const before = shas.before ?? tip?.parents[0] ?? 'a'.repeat(40);
    const deleted = after === NO_COMMIT;
    const message = this.git.commits.get(after)?.message ?? 'Change the docs';
    const head_commit = deleted ? null : { message };
    return this.#event('push', pusher, { ref, before, after, deleted, head_commit });
  }

  /** A full release also sends `released`: when it is published, or when a prerelease becomes one. */
  releaseEvent(tag: string, action = 'published'): WebhookEvent {
    const release = this.releases.get(tag);
    return this.#event('release', release.author, {
      action,
      release: this.json.release(release),
    });
  }

  /** An app has finished all its checks of a commit. GitHub names only open pull requests. */
  checkSuiteEvent(head_sha: string, slug = 'mintlify'): WebhookEvent {
    const open = this.pullRequests
      .associatedWith(head_sha)
      .filter(({ mergedAt }) => mergedAt === null);
    const pull_requests = open.map(({ number }) => ({ number }));
    return this.#event('check_suite', `${slug}[bot]`, {
      action: 'completed',
      check_suite: {
        id: this.newId(),
        head_sha,
        status: 'completed',
        app: { slug },
        pull_requests,
      },
    });
  }

  scheduleEvent(): WebhookEvent {
    return this.#event('schedule', 'maintainer', { schedule: '0 6 * * 1' });
  }

  workflowDispatchEvent(inputs: Readonly<Record<string, string>> = {}): WebhookEvent {
    const workflow = '.github/workflows/docs.yml';
    return this.#event('workflow_dispatch', 'maintainer', {
      inputs,
      ref: 'refs/heads/main',
      workflow,
    });
  }

  #event(name: string, actor: string, payload: Record<string, unknown>): WebhookEvent {
    const repository = this.json.repository();
    return { name, actor, payload: { ...payload, repository, sender: this.json.user(actor) } };
  }
}
