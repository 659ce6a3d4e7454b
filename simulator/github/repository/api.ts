import type { Api, Call } from '../../http/api.ts';
import { jsonAnswer } from '../../http/messages.ts';
import type { SimulatedGitHub } from '../github.ts';
import { notFound, refuse } from '../refusals.ts';
import { type Access, asksForText, numberOf, pageOf } from '../requests.ts';
import { changesBetween, type FileChange } from './diff.ts';
import { ancestorsOf, commitsBetween, type GitCommit, mergeBaseOf } from './git.ts';
import type { PullRequest } from './pull-requests.ts';
import type { Release } from './releases.ts';
import type { ReviewComment } from './reviews.ts';

/** Adds the endpoints for commits, pull requests, and releases, with GitHub's limits. */
export function addRepositoryEndpoints(
  api: Api,
  github: SimulatedGitHub,
  { enter, list }: Access,
): void {
  const { git, checks, pullRequests, releases, reviews, listLimits, json } = github;
  const { repoUrl } = json;

  const openPullRequest = (call: Call): PullRequest => {
    github.require(enter(call), ['pull-requests'], 'read');
    const { number, isPullRequest } = github.thread(numberOf(call, 'pull_number'));
    if (!isPullRequest) throw notFound();
    return pullRequests.of(number);
  };

  const changesOf = ({ base, head }: PullRequest): FileChange[] => {
    const from = mergeBaseOf(git.commits, base.sha, head.sha)?.tree ?? new Map();
    return changesBetween(from, git.commits.get(head.sha)?.tree ?? new Map());
  };

  api.on('GET /repos/{owner}/{repo}', (call) => {
    github.require(enter(call), ['metadata'], 'read');
    return jsonAnswer(200, json.repository());
  });

  api.on('GET /repos/{owner}/{repo}/pulls', (call) => {
    github.require(enter(call), ['pull-requests'], 'read');
    const { base, state, sort, direction } = call.request.query;
    // The action never requests another order.
    if (sort !== 'updated' || direction !== 'desc') throw notFound('another list');
    const all = pullRequests.updated().filter((pull) => {
      if (state === 'closed' && pull.closedAt === null) return false;
      return base === undefined || pull.base.ref === base;
    });
    const parameters = ['base', 'state', 'sort', 'direction'];
    return list(call, all, (pull) => json.listedPullRequest(pull, asksForText(call.request)), {
      url: `${repoUrl}/pulls`,
      parameters,
    });
  });

  api.on('GET /repos/{owner}/{repo}/pulls/{pull_number}', (call) => {
    const pullRequest = openPullRequest(call);
    return jsonAnswer(
      200,
      json.pullRequest(pullRequest, changesOf(pullRequest), asksForText(call.request)),
    );
  });

  api.on('POST /repos/{owner}/{repo}/pulls/{pull_number}/requested_reviewers', (call) => {
    const token = enter(call);
    github.require(token, ['pull-requests'], 'write');
    const pullRequest = pullRequests.of(numberOf(call, 'pull_number'));
    const [login = ''] =
      (call.request.body as { readonly reviewers?: readonly string[] }).reviewers ?? [];
    if (login === github.thread(pullRequest.number).author)
      throw refuse(422, 'Review cannot be requested from pull request author.');
    const { permission = 'none', type = 'Bot' } = github.users.get(login) ?? {};
    if (type === 'Bot' || (permission !== 'admin' && permission !== 'write'))
      throw refuse(422, 'Reviews may only be requested from collaborators.');
    pullRequest.reviewers.push(login);
    return jsonAnswer(201, json.listedPullRequest(pullRequest));
  });

  api.on('GET /repos/{owner}/{repo}/pulls/{pull_number}/files', (call) => {
    const pullRequest = openPullRequest(call);
    const changes = changesOf(pullRequest);
    const url = `${repoUrl}/pulls/${pullRequest.number}/files`;
    // GitHub's `Link` header counts all files, although only some are listed, so it can point to empty pages.
    const { shown, headers } = pageOf(
      changes,
      url,
      call.request.query,
      listLimits.pullRequestFiles,
    );
    return jsonAnswer(200, json.files(shown, pullRequest.head.sha), headers);
  });

  api.on('GET /repos/{owner}/{repo}/pulls/{pull_number}/comments', (call) => {
    const { number } = openPullRequest(call);
    const sign = call.request.query.direction === 'desc' ? -1 : 1;
    const comments = reviews.comments.filter(
      (written) => written.number === number && !written.deleted,
    );
    comments.sort((one, other) => sign * (one.id - other.id));
    const show = (comment: ReviewComment) => json.reviewComment(comment, asksForText(call.request));
    const parameters = ['sort', 'direction', 'since'];
    return list(call, comments, show, { url: `${repoUrl}/pulls/${number}/comments`, parameters });
  });

  api.on('GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}', (call) => {
    const { number } = openPullRequest(call);
    const id = numberOf(call, 'review_id');
    const review = reviews.all.find(
      (submitted) => submitted.number === number && submitted.id === id,
    );
    if (review === undefined) throw notFound();
    return jsonAnswer(200, json.review(review));
  });

  const openCommit = (call: Call, name: string): GitCommit => {
    const ref = call.param(name);
    const commit = git.resolve(ref);
    if (commit === undefined) throw refuse(422, `No commit found for SHA: ${ref}`);
    return commit;
  };

  api.on('GET /repos/{owner}/{repo}/commits/{commit_sha}/pulls', (call) => {
    github.require(enter(call), ['pull-requests'], 'read');
    const { sha } = openCommit(call, 'commit_sha');
    const show = (pullRequest: PullRequest) => json.listedPullRequest(pullRequest);
    return list(call, pullRequests.associatedWith(sha), show, {
      url: `${repoUrl}/commits/${sha}/pulls`,
    });
  });

  api.on('GET /repos/{owner}/{repo}/commits/{ref}/check-runs', (call) => {
    github.require(enter(call), ['checks'], 'read');
    const { sha } = openCommit(call, 'ref');
    const runs = checks.of(sha);
    const { shown, headers } = pageOf(
      runs,
      `${repoUrl}/commits/${sha}/check-runs`,
      call.request.query,
    );
    const check_runs = shown.map((run) => json.checkRun(run));
    return jsonAnswer(200, { total_count: runs.length, check_runs }, headers);
  });

  api.on('GET /repos/{owner}/{repo}/check-runs/{check_run_id}/annotations', (call) => {
    github.require(enter(call), ['checks'], 'read');
    const run = checks.find(numberOf(call, 'check_run_id'));
    if (run === undefined) throw notFound();
    const show = (note: string) => {
      const [path = '', line = '1', message = ''] = note.split(/:(\d+): /);
      return {
        path,
        start_line: Number(line),
        end_line: Number(line),
        annotation_level: 'failure',
        message,
      };
    };
    return list(call, run.annotations, show, {
      url: `${repoUrl}/check-runs/${run.id}/annotations`,
    });
  });

  api.on('GET /repos/{owner}/{repo}/commits/{ref}', (call) => {
    github.require(enter(call), ['contents'], 'read');
    return jsonAnswer(200, json.commit(openCommit(call, 'ref')));
  });

  api.on('GET /repos/{owner}/{repo}/commits', (call) => {
    github.require(enter(call), ['contents'], 'read');
    if (git.commits.size === 0) throw refuse(409, 'Git Repository is empty.');
    const { sha = 'main', until } = call.request.query;
    const from = git.resolve(sha);
    if (from === undefined) throw notFound();
    const lastAt = until === undefined ? Number.POSITIVE_INFINITY : Date.parse(until);
    const all = [...ancestorsOf(git.commits, from.sha).values()].reverse();
    const commits = all.filter(({ at }) => at <= lastAt);
    const url = `${repoUrl}/commits`;
    return list(call, commits, (commit) => json.commit(commit), {
      url,
      parameters: ['sha', 'until'],
    });
  });

  api.on('GET /repos/{owner}/{repo}/compare/{basehead}', (call) => {
    github.require(enter(call), ['contents'], 'read');
    const [base, head] = call
      .param('basehead')
      .split('...')
      .map((ref) => git.resolve(ref));
    if (base === undefined || head === undefined) throw notFound();
    const mergeBase = mergeBaseOf(git.commits, base.sha, head.sha);
    if (mergeBase === undefined)
      throw refuse(404, `No common ancestor between ${base.sha} and ${head.sha}.`);
    const ahead = commitsBetween(git.commits, base.sha, head.sha);
    const behind = commitsBetween(git.commits, head.sha, base.sha);
    // GitHub doesn't say that there are more commits or files. The action never requests another page.
    const commits = ahead.slice(-listLimits.comparedCommits);
    const changes = changesBetween(mergeBase.tree, head.tree).slice(0, listLimits.comparedFiles);
    return jsonAnswer(200, {
      merge_base_commit: json.commit(mergeBase),
      status: statusOf(ahead.length, behind.length),
      total_commits: ahead.length,
      commits: commits.map((commit) => json.commit(commit)),
      files: json.files(changes),
    });
  });

  api.on('GET /repos/{owner}/{repo}/git/trees/{tree_sha}', (call) => {
    github.require(enter(call), ['contents'], 'read');
    const commit = git.treeOf(call.param('tree_sha')) ?? git.resolve(call.param('tree_sha'));
    if (commit === undefined) throw notFound();
    // Any value of `recursive` means the whole tree. The action never requests anything else.
    if (call.request.query.recursive === undefined) throw notFound('a tree that is not recursive');
    return jsonAnswer(200, json.tree(commit));
  });

  api.on('GET /repos/{owner}/{repo}/releases/tags/{tag}', (call) => {
    github.require(enter(call), ['contents'], 'read');
    const release = releases.get(call.param('tag'));
    return jsonAnswer(200, json.release(release, asksForText(call.request)));
  });

  api.on('GET /repos/{owner}/{repo}/releases', (call) => {
    github.require(enter(call), ['contents'], 'read');
    const show = (release: Release) => json.release(release, asksForText(call.request));
    return list(call, releases.listed(), show, { url: `${repoUrl}/releases` });
  });
}

function statusOf(ahead: number, behind: number): string {
  if (ahead === 0) return behind === 0 ? 'identical' : 'behind';
  return behind === 0 ? 'ahead' : 'diverged';
}
