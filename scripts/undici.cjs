/*
 * The part of undici that the action uses. It replaces undici in the bundle, because the whole package also evaluates its fetch,
 * WebSocket, cache, and mock modules at startup, which delays the first request by about a fifth (`npm run bench`).
 *
 * Everything else is undefined, for dependencies, too. For example, @actions/github uses undici's `fetch` as a default, which
 * `src/github/connection.ts` replaces. `__tests__/acceptance/ways-out.test.ts` tests every kind of connection with the bundle.
 */
'use strict';

const Dispatcher = require('undici/lib/dispatcher/dispatcher.js');

// undici's index adds these and three more. Proxies need `connect`.
Dispatcher.prototype.connect = require('undici/lib/api/api-connect.js');
Dispatcher.prototype.request = require('undici/lib/api/api-request.js');

module.exports = {
  Dispatcher,
  EnvHttpProxyAgent: require('undici/lib/dispatcher/env-http-proxy-agent.js'),
  interceptors: { decompress: require('undici/lib/interceptor/decompress.js') },
  ProxyAgent: require('undici/lib/dispatcher/proxy-agent.js'),
};
