import { readFileSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { leftOut } from '../../scripts/undici-left-out.ts';

/* The bundle has only part of undici, by the names of private files. Any release of undici may move them. */

const part = fileURLToPath(new URL('../../scripts/undici.cjs', import.meta.url));
const require = createRequire(import.meta.url);

/** Adds what a file requires, and what those files require, as written in the code. */
function addRequests(file: string, all: Set<string>, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return all;
  seen.add(file);
  for (const [, request = ''] of readFileSync(file, 'utf8').matchAll(/\brequire\('(.+?)'\)/g)) {
    all.add(request);
    const isEnd = isBuiltin(request) || request in leftOut;
    if (!isEnd) addRequests(createRequire(file).resolve(request), all, seen);
  }
  return all;
}

test('scripts/undici.cjs has what undici exports. If not, undici moved a file: its index.js has the new path', () => {
  const picked = require(part);
  const { connect, request } = picked.Dispatcher.prototype;
  const { Dispatcher, EnvHttpProxyAgent, ProxyAgent, interceptors } = require('undici');
  const { decompress } = interceptors;
  expect(picked).toEqual({ Dispatcher, EnvHttpProxyAgent, interceptors: { decompress }, ProxyAgent });
  expect({ connect, request }).toEqual({
    connect: Dispatcher.prototype.connect,
    request: Dispatcher.prototype.request,
  });
});

test('that part requires what is left out. If not, undici moved it: change scripts/undici-left-out.ts', () => {
  const requests = addRequests(part, new Set());
  expect(Object.keys(leftOut).filter((request) => !requests.has(request))).toEqual([]);
});
