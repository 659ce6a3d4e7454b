import { type Dispatcher, EnvHttpProxyAgent, interceptors, Pool } from 'undici';
import type { Proxies } from './proxies.ts';

const connectTimeoutMs = 10_000;
export const requestTimeoutMs = 30_000;

/** More than any page of 250 rows with the longest paths; past it an answer is an error, not memory. */
const maxResponseBytes = 32 * 1024 * 1024;

/** No proxy at all. */
const direct: Proxies = { http: '', https: '', except: '*' };

/**
 * The connections of one run: through these proxies, extra CAs by Node's own `NODE_EXTRA_CA_CERTS`, 10 s to connect.
 * HTTP/1.1 alone, to a proxy as well: the bundle has no HTTP/2.
 */
export function createDispatcher({ http, https, except }: Proxies = direct): Dispatcher {
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
