import { type Dispatcher, EnvHttpProxyAgent, interceptors, Pool } from 'undici';
import { InputError } from '../core/errors.ts';
import { isLoopback } from '../core/loopback.ts';

const connectTimeoutMs = 10_000;
export const requestTimeoutMs = 30_000;

/** More than any page of 250 rows with the longest paths. A longer response is an error, so it can't fill the memory. */
const maxResponseBytes = 32 * 1024 * 1024;

const takes = 'must be the URL of an HTTP proxy, such as `http://proxy.example.com:8080`';

/**
 * The connections of one run, through these proxies, with 10 s to connect. Node reads extra CAs from `NODE_EXTRA_CA_CERTS`.
 * HTTP/1.1 only, even to a proxy: the bundle has no HTTP/2.
 */
export function createDispatcher(
  { http, https, except }: ReturnType<typeof proxiesOf> = { http: '', https: '', except: '*' },
): Dispatcher {
  const agent = new EnvHttpProxyAgent({
    httpProxy: http,
    httpsProxy: https,
    noProxy: except,
    // A proxy that accepts a CONNECT and never answers is treated as unreachable.
    clientFactory: (origin, options) => new Pool(origin, { ...options, headersTimeout: connectTimeoutMs }),
    connectTimeout: connectTimeoutMs,
    allowH2: false,
    proxyTls: { allowH2: false },
    connect: { timeout: connectTimeoutMs },
    headersTimeout: requestTimeoutMs,
    bodyTimeout: requestTimeoutMs,
    maxResponseSize: maxResponseBytes,
  });
  return agent.compose(createDecompress());
}

/** Some servers and proxies compress bodies even though we ask them not to. */
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
 * The proxies in the environment; lowercase names win, as in curl. Requests to this machine never go through a proxy, which
 * would see the key in plain text.
 *
 * @param origins where this run sends requests. @returns URLs (`''` for none), and the hosts to reach directly, separated by
 * commas. @throws InputError with the name of a variable that isn't a URL, without its value, which may contain a password.
 */
export function proxiesOf(env: NodeJS.ProcessEnv, origins: readonly string[]) {
  const variables = ['http_proxy', 'https_proxy'].map((name) =>
    env[name]?.trim() ? name : name.toUpperCase(),
  );
  const wrong = variables.filter((name) => env[name]?.trim() && !isProxy(env[name]));
  if (wrong.length > 0) throw new InputError(wrong.map((input) => ({ input, got: undefined, takes })));
  const [http = '', https = ''] = variables.map((name) => env[name]?.trim() ?? '');
  const except = env.no_proxy?.trim() || env.NO_PROXY?.trim() || '';
  const here = origins.map((origin) => new URL(origin).hostname).filter(isLoopback);
  return { http, https, except: [except, 'localhost', '127.0.0.1', '::1', ...here].join(',') };
}

/** Whether it is a URL whose credentials can be decoded. */
function isProxy(value: string): boolean {
  try {
    const { protocol, username, password } = new URL(value);
    return decodeURIComponent(username + password) !== undefined && /^https?:$/.test(protocol);
  } catch {
    return false;
  }
}
