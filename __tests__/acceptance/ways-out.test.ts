import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { Stage, type StageRun } from '../support/bundle/stage.ts';
import {
  authorityFile,
  type HttpProxy,
  type ProxyOptions,
  startProxy,
  startTlsFront,
  type TlsFront,
} from '../support/bundle/ways-out.ts';

/*
 * Every way out of the process, played on the committed bundle with both clients. The bundle contains only part of undici, and
 * nothing that was left out may be missing.
 */

/** Names that only the proxy resolves. */
const [docs, github] = ['docs.example.test', 'github.example.test'];
const resolvePreload = new URL('../support/bundle/resolve-example-test.mjs', import.meta.url).href;

const stage = new Stage();
let front: TlsFront;
let proxy: HttpProxy | undefined;

beforeEach(async () => {
  front = await startTlsFront(plainPort());
});
afterEach(async () => {
  await proxy?.close();
  proxy = undefined;
  await front.close();
});

const plainPort = () => Number(new URL(stage.simulator.url).port);

async function withProxy(options: Partial<ProxyOptions> = {}): Promise<HttpProxy> {
  proxy = await startProxy({ tlsPort: front.port, plainPort: plainPort(), ...options });
  return proxy;
}

interface Origins {
  readonly service: string;
  readonly github: string;
}

type Env = Readonly<Record<string, string>>;

/** A command in a thread, which uses both GitHub and the service. */
function command(origins: Origins, env: Env = {}): Promise<StageRun> {
  return stage.say('/docs add a quickstart', given(origins, env));
}

/** A workflow's own prompt, which uses only the service. */
function prompt(origins: Origins, env: Env): Promise<StageRun> {
  const { inputs, ...options } = given(origins, env);
  return stage.play({ prompt: 'Add a quickstart.', ...inputs }, options);
}

function given({ service, github }: Origins, env: Env) {
  const apiUrl = github + new URL(stage.simulator.githubUrl).pathname;
  const usual = { GITHUB_API_URL: apiUrl, NODE_EXTRA_CA_CERTS: authorityFile };
  return { inputs: { 'base-url': service }, env: { ...usual, ...env } };
}

/** Neither client reached the other side. The run knows that nothing was sent, and says so. */
async function expectUnreachable(origins: Origins, env: Env): Promise<void> {
  const [commanded, prompted] = [await command(origins, env), await prompt(origins, env)];
  expect(commanded.outputs).toMatchObject({ outcome: 'denied', reason: 'permission-unknown' });
  expect(prompted.outputs).toMatchObject({ outcome: 'failed', reason: 'unreachable' });
  expect(stage.simulator.requests).toEqual([]);
}

/** The run did all its work: there is a pull request, and the thread shows it. */
function expectDone({ outputs }: StageRun): void {
  expect(outputs.outcome).toBe('pr-created');
  expect(stage.status.body).toContain(outputs['pr-link']);
}

const each = (lines: readonly string[]) => [...new Set(lines)].sort();

describe('without a proxy', () => {
  test('http', async () => {
    expectDone(await command({ service: stage.simulator.url, github: stage.simulator.url }));
    expect(front.names).toEqual([]);
  });

  test('https, where NODE_EXTRA_CA_CERTS names the authority', async () => {
    const origin = `https://localhost:${front.port}`;
    expectDone(await command({ service: origin, github: origin }));
    expect(each(front.names)).toEqual(['localhost']);
  });

  test('and no https where nobody vouches for the other side', async () => {
    const origin = `https://localhost:${front.port}`;
    await expectUnreachable({ service: origin, github: origin }, { NODE_EXTRA_CA_CERTS: '' });
  });
});

describe('https by CONNECT', () => {
  const variable = 'https_proxy';
  const origins = { service: `https://${docs}`, github: `https://${github}:8443` };

  test.each(['https_proxy', 'HTTPS_PROXY'])('both clients, from %s', async (variable) => {
    const { url, asked } = await withProxy();
    expectDone(await command(origins, { [variable]: url }));
    expect(each(asked)).toEqual([`CONNECT ${docs}:443`, `CONNECT ${github}:8443`]);
    expect(each(front.names)).toEqual([docs, github]);
  });

  test('through a proxy that is itself reached over TLS', async () => {
    const { url, asked } = await withProxy({ secure: true });
    expectDone(await command(origins, { [variable]: url }));
    expect(each(asked)).toEqual([`CONNECT ${docs}:443`, `CONNECT ${github}:8443`]);
  });

  test('the proxy’s password goes to the proxy alone', async () => {
    const { url, credentials } = await withProxy();
    expectDone(await command(origins, { [variable]: url.replace('//', '//user:not-a-password@') }));
    expect(each(credentials)).toEqual([`Basic ${btoa('user:not-a-password')}`]);
    expect(JSON.stringify(stage.simulator.requests)).not.toContain('proxy-authorization');
  });

  test('and not past a proxy that refuses', async () => {
    const { url } = await withProxy({ refuses: true });
    await expectUnreachable(origins, { [variable]: url });
  });
});

describe('a proxy that does not let through', () => {
  const origins = { service: `https://${docs}`, github: `https://${github}` };

  test('is asked again, and the thread is told that nothing was created', async () => {
    const { url, asked } = await withProxy({ refuses: true });
    const run = await prompt(origins, { https_proxy: url });
    expect(asked.length).toBe(4);
    expect(run.outputs).toMatchObject({ outcome: 'failed', reason: 'unreachable', 'job-id': '' });
    expect(run.summary).toContain('Nothing was created');
  });

  test('is not used for this machine itself', async () => {
    const { url, asked } = await withProxy({ refuses: true });
    const env = { http_proxy: url, HTTPS_PROXY: url };
    expectDone(await command({ service: stage.simulator.url, github: stage.simulator.url }, env));
    expect(asked).toEqual([]);
  });
});

test.each([
  ['https_proxy', 'proxy.corp:8080'],
  ['HTTP_PROXY', '10.0.0.1:3128'],
  ['https_proxy', 'socks5://user:not-a-password@proxy:1080'],
  ['HTTPS_PROXY', 'user:not-a-password@proxy'],
])('%s=%s is a bad input that is named and not shown', async (variable, value) => {
  const run = await command(
    { service: stage.simulator.url, github: stage.simulator.url },
    { [variable]: value },
  );
  expect(run).toMatchObject({ exitCode: 1, outputs: { outcome: 'failed', reason: 'bad-input' } });
  expect(run.summary).toContain(`\`${variable}\`: must be the URL of an HTTP proxy`);
  expect(JSON.stringify([run.stdout, run.outputs, run.summary])).not.toContain(value);
  expect(run.stdout.length).toBeLessThan(2_000);
  expect(stage.simulator.requests).toEqual([]);
});

describe.each(['http_proxy', 'HTTP_PROXY'])('http by way of the proxy, from %s', (variable) => {
  // The service allows plain http only on loopback, so only GitHub can be reached this way.
  test('GitHub', async () => {
    const { url, asked } = await withProxy();
    const origins = { service: stage.simulator.url, github: `http://${github}` };
    expectDone(await command(origins, { [variable]: url, no_proxy: '127.0.0.1' }));
    expect(asked[0]).toMatch(new RegExp(`^GET http://${github}/.*/permission$`));
    expect(asked.filter((line) => !line.includes(` http://${github}/`))).toEqual([]);
  });
});

describe.each(['no_proxy', 'NO_PROXY'])('past the proxy, by %s', (variable) => {
  beforeEach(async () => {
    await front.close();
    // The preload takes the place of the clock's, because no time should pass.
    await stage.reset({ clock: { mode: 'real' } });
    front = await startTlsFront(plainPort());
    stage.simulator.service.script({ activeMs: 0 });
  });

  const past = async (names: string) => {
    const { url, asked } = await withProxy();
    const env = { https_proxy: url, [variable]: names, NODE_OPTIONS: `--import=${resolvePreload}` };
    const origin = (name: string) => `https://${name}:${front.port}`;
    expectDone(await command({ service: origin(docs), github: origin(github) }, env));
    expect(each(front.names)).toEqual([docs, github]);
    return each(asked);
  };

  test('one of two hosts', async () => {
    expect(await past(docs)).toEqual([`CONNECT ${github}:${front.port}`]);
  });

  test('all of a domain', async () => {
    expect(await past('localhost, .example.test')).toEqual([]);
  });
});
