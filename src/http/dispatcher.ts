import { type Dispatcher, EnvHttpProxyAgent, interceptors } from 'undici';
import { isLoopback } from '../core/common-inputs.ts';
import { InputError } from '../core/errors.ts';

const connectTimeoutMs = 10_000;

/** More than a page of 250 rows with very long paths. A longer response is an error, so that it can't use up all memory. */
const maxResponseBytes = 32 * 1024 * 1024;

/** Creates the HTTP client for a run. HTTP/2 is off, even for proxies, because the bundle doesn't include it. */
export function createDispatcher({
  http,
  https,
  except,
}: ReturnType<typeof proxiesOf>): Dispatcher {
  const agent = new EnvHttpProxyAgent({
    httpProxy: http,
    httpsProxy: https,
    noProxy: except,
    connectTimeout: connectTimeoutMs,
    allowH2: false,
    proxyTls: { allowH2: false },
    connect: { timeout: connectTimeoutMs },
    maxResponseSize: maxResponseBytes,
  });
  return agent.compose(createDecompress());
}

/** Decompresses response bodies, because some servers and proxies compress them even though we ask them not to. */
function createDecompress(): Dispatcher.DispatcherComposeInterceptor {
  const { emitWarning } = process;
  // Otherwise, undici prints "DecompressInterceptor is experimental" in every log.
  process.emitWarning = () => undefined;
  try {
    return interceptors.decompress({ maxSize: maxResponseBytes, skipErrorResponses: false });
  } finally {
    process.emitWarning = emitWarning;
  }
}

/**
 * Reads the proxies from the environment. Lowercase names take precedence, as in curl. Requests to this machine never use one,
 * because it would see the key in plain text. @throws InputError without the bad value, which may include a password.
 */
export function proxiesOf(env: NodeJS.ProcessEnv, origins: readonly string[]) {
  // A blank value is an error, too: @actions/github reads the same variables when it is loaded, and would throw.
  const variables = ['http_proxy', 'https_proxy'].map((name) =>
    env[name] ? name : name.toUpperCase(),
  );
  const wrong = variables.filter((name) => env[name] && !isProxy(env[name]));
  const problem = 'must be the URL of an HTTP proxy, such as `http://proxy.example.com:8080`';
  if (wrong.length > 0) throw new InputError(wrong.map((input) => ({ input, problem })));
  const [http = '', https = ''] = variables.map((name) => env[name]?.trim() ?? '');
  const except = env.no_proxy?.trim() || env.NO_PROXY?.trim() || '';
  const here = origins.map((origin) => new URL(origin).hostname).filter(isLoopback);
  return { http, https, except: [except, 'localhost', '127.0.0.1', '::1', ...here].join(',') };
}

/** Whether a value is a proxy URL. Credentials that can't be decoded would make undici throw. */
function isProxy(value: string): boolean {
  try {
    const { protocol, username, password } = new URL(value);
    return decodeURIComponent(username + password) !== undefined && /^https?:$/.test(protocol);
  } catch {
    return false;
  }
}
