import { type Dispatcher, EnvHttpProxyAgent } from 'undici';

const connectTimeoutMs = 10_000;
export const requestTimeoutMs = 30_000;

/** More than any page of 250 rows with the longest paths; past it an answer is an error, not memory. */
const maxResponseBytes = 32 * 1024 * 1024;

/**
 * The connections of one run: proxies from `https_proxy`, `http_proxy` and `no_proxy`, extra CAs by Node's own
 * `NODE_EXTRA_CA_CERTS`, 10 s to connect. HTTP/1.1 alone, to a proxy as well: the bundle has no HTTP/2.
 */
export function createDispatcher(): Dispatcher {
  return new EnvHttpProxyAgent({
    allowH2: false,
    proxyTls: { allowH2: false },
    connect: { timeout: connectTimeoutMs },
    headersTimeout: requestTimeoutMs,
    bodyTimeout: requestTimeoutMs,
    maxResponseSize: maxResponseBytes,
  });
}
