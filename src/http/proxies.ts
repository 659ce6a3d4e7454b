import { InputError, type InputProblem } from '../core/errors.ts';
import { isLoopback } from '../core/loopback.ts';

/** The proxies of one run; `''` for none. */
export interface Proxies {
  readonly http: string;
  readonly https: string;
  /** Hosts that are reached directly, parted by commas. */
  readonly except: string;
}

const takes = 'takes the address of an HTTP proxy, such as `http://proxy.example.com:8080`';

/**
 * The proxies of the environment, the lower-case name first, as curl reads them. This machine itself is never reached by a
 * proxy: it would get the key in clear.
 *
 * @param origins where this run sends requests.
 * @throws InputError for a variable that is no address. It is named; its value is not shown, since it may contain a password.
 */
export function proxiesOf(env: NodeJS.ProcessEnv, origins: readonly string[]): Proxies {
  const problems: InputProblem[] = [];
  const proxy = (name: string): string => {
    const [variable = name, value = ''] =
      [name, name.toUpperCase()].map((one) => [one, env[one]?.trim() ?? '']).find(([, one]) => one !== '') ??
      [];
    if (value === '') return '';
    const address = proxyAddress(value);
    if (address === undefined) problems.push({ input: variable, got: undefined, takes });
    return address ?? '';
  };
  const [http, https] = [proxy('http_proxy'), proxy('https_proxy')];
  if (problems.length > 0) throw new InputError(problems);
  const except = env.no_proxy?.trim() || env.NO_PROXY?.trim() || '';
  const here = origins.map((origin) => new URL(origin).hostname).filter(isLoopback);
  return { http, https, except: [except, 'localhost', '127.0.0.1', '::1', ...here].join(',') };
}

/** Where a proxy is, and its credentials; a path means nothing there. `undefined` for what is no address. */
function proxyAddress(value: string): string | undefined {
  if (!URL.canParse(value)) return undefined;
  const url = new URL(value);
  if ((url.protocol !== 'http:' && url.protocol !== 'https:') || url.hostname === '') return undefined;
  try {
    decodeURIComponent(url.username);
    decodeURIComponent(url.password);
  } catch {
    return undefined;
  }
  url.pathname = url.search = url.hash = '';
  return url.href;
}
