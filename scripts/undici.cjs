/*
 * The part of undici that the action uses, put in undici's place in the bundle. The whole package evaluates its fetch,
 * WebSocket, cache and mock modules at start and weighs twice as much: with it the action starts about 40 % later
 * (`npm run bench`). Getters keep what a run may not need from being evaluated.
 */
'use strict';

const Dispatcher = require('undici/lib/dispatcher/dispatcher.js');
const request = require('undici/lib/api/api-request.js');

Object.assign(Dispatcher.prototype, { request });

module.exports = {
  Dispatcher,
  get EnvHttpProxyAgent() {
    return require('undici/lib/dispatcher/env-http-proxy-agent.js');
  },
  get ProxyAgent() {
    return require('undici/lib/dispatcher/proxy-agent.js');
  },
};
