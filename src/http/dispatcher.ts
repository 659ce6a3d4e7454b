import { type Dispatcher, EnvHttpProxyAgent, interceptors, Pool } from 'undici';
import { InputError } from '../core/errors.ts';
import { isLoopback } from '../core/loopback.ts';

const connectTimeoutMs = 10_000;
export const requestTimeoutMs = 30_000;

/** More than any page of 250 rows with the longest paths; past it an answer is an error, not memory. */
const maxResponseBytes = 32 * 1024 * 1024;

const takes = 'takes the address of an HTTP proxy, such as `http://proxy.example.com:8080`';

/**
 * The connections of one run: through these proxies, extra CAs by Node's own `NODE_EXTRA_CA_CERTS`, 10 s to connect.
 * HTTP/1.1 alone, to a proxy as well: the bundle has no HTTP/2.
 */
export function createDispatcher(
  { http, https, except }: ReturnType<typeof proxiesOf> = { http: '', https: '', except: '*' },
): Dispatcher {
  const agent = new EnvHttpProxyAgent({
    httpProxy: http,
    httpsProxy: https,
    noProxy: except,
    // A proxy that accepts a CONNECT and never answers counts as one that cannot be connected to.
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

/** Some servers and proxies compress bodies though we ask them not to. */
function createDecompress(): Dispatcher.DispatcherComposeInterceptor {
  const { emitWarning } = process;
  // Otherwise undici prints "DecompressInterceptor is experimental" into every log.
  process.emitWarning = () => undefined;
  try {
    return interceptors.decompress({ maxSize: maxResponseBytes, skipErrorResponses: false });
  } finally {
    process.emitWarning = emitWarning;
  }
}

/**
 * The proxies of the environment, the lower-case name first, as curl reads them. This machine itself is never reached by a
 * proxy: it would get the key in clear.
 *
 * @param origins where this run sends requests.
 * @returns addresses, `''` for none, and the hosts that are reached directly, parted by commas.
 * @throws InputError for a variable that is no address. It is named; its value is not shown, since it may contain a password.
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

/** Whether it is an address, with credentials that can be decoded. */
function isProxy(value: string): boolean {
  try {
    const { protocol, username, password } = new URL(value);
    return decodeURIComponent(username + password) !== undefined && /^https?:$/.test(protocol);
  } catch {
    return false;
  }
}
