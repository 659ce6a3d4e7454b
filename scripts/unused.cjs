/*
 * Stands in for @actions/exec and @actions/http-client in the bundle. @actions/core and @actions/github import them for functions
 * that the action never calls, and loading them delays the first request. Only `HttpClient` is used: @actions/github asks it for
 * a proxy when it loads. `src/github/connection.ts` sends its requests through our own dispatcher instead.
 */
'use strict';

function unused() {
  throw new Error('This function is left out of the bundle: see scripts/unused.cjs.');
}

exports.getExecOutput = unused;
exports.BearerCredentialHandler = unused;
exports.HttpClient = class {
  getAgent() {}
  getAgentDispatcher() {}
};
