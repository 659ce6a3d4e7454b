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
 * Tests every kind of connection with the bundle, for both the GitHub client and the service client. The bundle contains only
 * part of undici, and these tests show that this part is enough.
 */

/** Only the proxy can resolve these names. */
const [docs, github] = ['docs.example.test', 'github.example.test'];
const resolvePreload = new URL('../support/bundle/resolve-example-test.mjs', import.meta.url).href;

const stage = new Stage({}, 'bundle');
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

type Origins = Readonly<Record<'service' | 'github', string>>;
const both = (origin: string): Origins => ({ service: origin, github: origin });

type Env = Readonly<Record<string, string>>;

function command(origins: Origins, env: Env = {}): Promise<StageRun> {
  return stage.say('/docs add a quickstart', given(origins, env));
}

/** Runs a prompt without a thread, which uses only the service. */
function prompt(origins: Origins, env: Env): Promise<StageRun> {
  const { inputs, ...options } = given(origins, env);
  return stage.play({ prompt: 'Add a quickstart.', ...inputs }, options);
}

function given({ service, github }: Origins, env: Env) {
  const apiUrl = github + new URL(stage.simulator.githubUrl).pathname;
  const usual = { GITHUB_API_URL: apiUrl, NODE_EXTRA_CA_CERTS: authorityFile };
  return { inputs: { 'base-url': service }, env: { ...usual, ...env } };
}

/** Expects that neither client can connect, and that the outcome says so. */
async function expectUnreachable(origins: Origins, env: Env): Promise<void> {
  const [commanded, prompted] = [await command(origins, env), await prompt(origins, env)];
  expect(commanded.outputs).toMatchObject({ outcome: 'denied', reason: 'permission-unknown' });
  expect(prompted.outputs).toMatchObject({
    outcome: 'failed',
    reason: 'unreachable',
    'job-id': '',
  });
  expect(prompted.summary).toContain('### ❌ The service can’t be reached. Nothing was sent.');
  expect(stage.simulator.requests).toEqual([]);
}

/** Expects a pull request, and a status comment that links it. */
function expectDone({ outputs }: StageRun): void {
  expect(outputs.outcome).toBe('pr-created');
  expect(stage.status.body).toContain(outputs['pr-link']);
}

const each = (lines: readonly string[]) => [...new Set(lines)].sort();

describe('without a proxy', () => {
  const secure = () => both(`https://localhost:${front.port}`);

  test('http', async () => {
    expectDone(await command(both(stage.simulator.url)));
    expect(front.names).toEqual([]);
  });

  test('https, where NODE_EXTRA_CA_CERTS names the authority', async () => {
    expectDone(await command(secure()));
    expect(each(front.names)).toEqual(['localhost']);
  });

  test('but no https with an unknown certificate authority', async () => {
    await expectUnreachable(secure(), { NODE_EXTRA_CA_CERTS: '' });
  });
});

describe('https through a proxy', () => {
  const origins = { service: `https://${docs}`, github: `https://${github}:8443` };

  test.each([
    ['from https_proxy, for both clients', 'https_proxy', {}, ''],
    ['from HTTPS_PROXY, for both clients', 'HTTPS_PROXY', {}, ''],
    ['that is itself reached over TLS', 'https_proxy', { secure: true }, ''],
    ['with a password, which only the proxy gets', 'https_proxy', {}, 'user:not-a-password'],
  ])('%s', async (_, variable, options, user) => {
    const { url, asked, credentials } = await withProxy(options);
    expectDone(
      await command(origins, { [variable]: user === '' ? url : url.replace('//', `//${user}@`) }),
    );
    expect(each(asked)).toEqual([`CONNECT ${docs}:443`, `CONNECT ${github}:8443`]);
    expect(each(front.names)).toEqual([docs, github]);
    expect(each(credentials)).toEqual([user === '' ? '' : `Basic ${btoa(user)}`]);
    expect(JSON.stringify(stage.simulator.requests)).not.toContain('proxy-authorization');
  });

  test('is tried four times if the proxy refuses connections, but never around it', async () => {
    const { url, asked } = await withProxy({ refuses: true });
    await expectUnreachable(origins, { https_proxy: url });
    expect(asked.filter((line) => line.includes(docs))).toHaveLength(4);
  });
});

test('a proxy is not used for localhost', async () => {
  const { url, asked } = await withProxy({ refuses: true });
  expectDone(await command(both(stage.simulator.url), { http_proxy: url, HTTPS_PROXY: url }));
  expect(asked).toEqual([]);
});

test.each([
  ['HTTP_PROXY', '10.0.0.1:3128'],
  ['https_proxy', 'socks5://user:not-a-password@proxy:1080'],
  ['HTTPS_PROXY', 'user:not-a-password@proxy'],
])(
  '%s=%s is an error that names the variable but does not show its value',
  async (variable, value) => {
    const run = await command(both(stage.simulator.url), { [variable]: value });
    expect(run).toMatchObject({ exitCode: 1, outputs: { outcome: 'failed', reason: 'bad-input' } });
    expect(run.summary).toContain(`### ❌ \`${variable}\` must be the URL of an HTTP proxy`);
    expect(JSON.stringify([run.stdout, run.outputs, run.summary])).not.toContain(value);
    expect(run.stdout.length).toBeLessThan(2_000);
    expect(stage.simulator.requests).toEqual([]);
  },
);

// `base-url` may use plain http only for localhost, so only GitHub can be reached this way.
test('http through a proxy from HTTP_PROXY reaches GitHub', async () => {
  const { url, asked } = await withProxy();
  const origins = { service: stage.simulator.url, github: `http://${github}` };
  expectDone(await command(origins, { HTTP_PROXY: url, no_proxy: '127.0.0.1' }));
  expect(asked[0]).toMatch(new RegExp(`^GET http://${github}/.*/permission$`));
  expect(asked.filter((line) => !line.includes(` http://${github}/`))).toEqual([]);
});

describe('NO_PROXY keeps requests from the proxy', () => {
  beforeEach(async () => {
    await front.close();
    // NODE_OPTIONS replaces the preload of the simulated clock. The run uses real time, so its job must end immediately.
    await stage.reset({ clock: { mode: 'real' } });
    front = await startTlsFront(plainPort());
    stage.simulator.service.script({ activeMs: 0 });
  });

  test.each([
    ['for one of two hosts', docs, [`CONNECT ${github}`]],
    ['for all hosts of a domain', 'localhost, .example.test', []],
  ])('%s', async (_, names, connects) => {
    const { url, asked } = await withProxy();
    const env = { https_proxy: url, NO_PROXY: names, NODE_OPTIONS: `--import=${resolvePreload}` };
    const origin = (name: string) => `https://${name}:${front.port}`;
    expectDone(await command({ service: origin(docs), github: origin(github) }, env));
    expect(each(front.names)).toEqual([docs, github]);
    expect(each(asked)).toEqual(connects.map((host) => `${host}:${front.port}`));
  });
});
