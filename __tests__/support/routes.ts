import type { RecordedRequest, Route } from '../../simulator/http/messages.ts';

/** The endpoints that the action uses, by purpose. */
export const routes = {
  createJob: 'POST /v2/agent/{project}/job',
  sendMessage: 'POST /v2/agent/{project}/job/{id}/message',
  getJob: 'GET /v2/agent/{project}/job/{id}',
  readVisitors: 'GET /v1/analytics/{project}/visitors',
  readAssistant: 'GET /v1/analytics/{project}/assistant',
  lookUpPermission: 'GET /repos/{owner}/{repo}/collaborators/{username}/permission',
  react: 'POST /repos/{owner}/{repo}/issues/comments/{comment_id}/reactions',
  readThread: 'GET /repos/{owner}/{repo}/issues/{issue_number}/comments',
  /** Usually posts a claim. Refusals and replies to `help` and `status` are posted without one. */
  writeComment: 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments',
  readComment: 'GET /repos/{owner}/{repo}/issues/comments/{comment_id}',
  editComment: 'PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}',
  deleteComment: 'DELETE /repos/{owner}/{repo}/issues/comments/{comment_id}',
  readIssue: 'GET /repos/{owner}/{repo}/issues/{issue_number}',
  readPullRequest: 'GET /repos/{owner}/{repo}/pulls/{pull_number}',
  readFiles: 'GET /repos/{owner}/{repo}/pulls/{pull_number}/files',
  readReviewComments: 'GET /repos/{owner}/{repo}/pulls/{pull_number}/comments',
  requestReview: 'POST /repos/{owner}/{repo}/pulls/{pull_number}/requested_reviewers',
  readAnnotations: 'GET /repos/{owner}/{repo}/check-runs/{check_run_id}/annotations',
  readChecks: 'GET /repos/{owner}/{repo}/commits/{ref}/check-runs',
  compare: 'GET /repos/{owner}/{repo}/compare/{basehead}',
  readAllComments: 'GET /repos/{owner}/{repo}/issues/comments',
  readRun: 'GET /repos/{owner}/{repo}/actions/runs/{run_id}',
} as const satisfies Record<string, Route>;

/** Selects the requests to an endpoint. */
export function isFor(route: Route): (request: RecordedRequest) => boolean {
  return (request) => request.route === route;
}
