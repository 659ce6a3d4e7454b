/*
 * The part of undici that the action uses, put in undici's place in the bundle. The whole package evaluates its fetch,
 * WebSocket, cache and mock modules at start: with it the first request goes out about a fifth later (`npm run bench`).
 *
 * Whatever is missing here is undefined for those who ask for it, dependencies included: @actions/github names `fetch` for
 * a default that `src/github/client.ts` replaces. `__tests__/acceptance/ways-out.test.ts` plays every way out of the process
 * on the bundle.
 */
'use strict';

const Dispatcher = require('undici/lib/dispatcher/dispatcher.js');

// As undici's own index does: a proxy is asked with `connect`, everyone else with `request`.
Object.assign(Dispatcher.prototype, require('undici/lib/api/index.js'));

module.exports = {
  Dispatcher,
  EnvHttpProxyAgent: require('undici/lib/dispatcher/env-http-proxy-agent.js'),
  interceptors: { decompress: require('undici/lib/interceptor/decompress.js') },
  Pool: require('undici/lib/dispatcher/pool.js'),
  ProxyAgent: require('undici/lib/dispatcher/proxy-agent.js'),
};
