import { type Dispatcher, EnvHttpProxyAgent } from 'undici';
import { InputError } from '../core/errors.ts';
import { isLoopback } from '../core/loopback.ts';
import { maxResponseBytes } from './decompress.ts';

const connectTimeoutMs = 10_000;

/** Creates the HTTP client for a run. HTTP/2 is off, even for proxies: neither API needs it. */
export function createDispatcher(proxies: ReturnType<typeof readProxies>): Dispatcher {
  return new EnvHttpProxyAgent({
    httpProxy: proxies.http,
    httpsProxy: proxies.https,
    noProxy: proxies.except,
    connectTimeout: connectTimeoutMs,
    allowH2: false,
    proxyTls: { allowH2: false },
    connect: { timeout: connectTimeoutMs },
    maxResponseSize: maxResponseBytes,
  });
}

/**
 * Reads the URL of each proxy, or `''`, and the hosts that are reached without one. Requests to
 * this machine never use a proxy, because it would see the key in plain text. @throws InputError
 * without the bad value, which may include a password.
 */
export function readProxies(env: NodeJS.ProcessEnv, origins: readonly string[]) {
  const http = readVariable(env, 'http_proxy');
  const https = readVariable(env, 'https_proxy');
  // A blank value is an error, too: @actions/github reads the same variables when it is loaded, and
  // would throw.
  const wrong = [http, https].filter(({ value }) => value !== '' && !isProxy(value));
  const problem = 'must be the URL of an HTTP proxy, such as `http://proxy.example.com:8080`';
  if (wrong.length > 0)
    throw new InputError(wrong.map(({ name }) => ({ inputs: [name], problem })));
  const noProxy = env.no_proxy?.trim() || env.NO_PROXY?.trim() || '';
  const ownHosts = origins.map((origin) => new URL(origin).hostname).filter(isLoopback);
  return {
    http: http.value.trim(),
    https: https.value.trim(),
    except: [noProxy, 'localhost', '127.0.0.1', '::1', ...ownHosts].join(','),
  };
}

/** A variable of the environment. Lowercase names take precedence, as in curl. */
function readVariable(env: NodeJS.ProcessEnv, lowercase: string) {
  const name = env[lowercase] ? lowercase : lowercase.toUpperCase();
  return { name, value: env[name] ?? '' };
}

function isProxy(value: string): boolean {
  try {
    const url = new URL(value);
    // Credentials that can't be decoded would make undici throw.
    decodeURIComponent(url.username + url.password);
    return url.protocol === 'http:' || url.protocol === 'https:';
  } catch {
    return false;
  }
}
