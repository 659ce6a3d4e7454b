import { expect, test } from '@jest/globals';
import { readProxies } from '../../src/http/dispatcher.ts';

const origins = ['https://api.example.com', 'https://api.github.com'];
const here = 'localhost,127.0.0.1,::1';

test.each([
  [{}, '', ''],
  [{ https_proxy: 'http://proxy:8080' }, '', 'http://proxy:8080'],
  [{ HTTPS_PROXY: 'http://proxy:8080', https_proxy: '' }, '', 'http://proxy:8080'],
  [{ HTTP_PROXY: 'https://u:p@proxy', http_proxy: 'http://other' }, 'http://other', ''],
  [{ https_proxy: 'https://u%40x:p@proxy' }, '', 'https://u%40x:p@proxy'],
])('%j sets the proxies %j for http and %j for https', (env, http, https) => {
  expect(readProxies(env, origins)).toEqual({ http, https, except: `,${here}` });
});

test('loopback addresses are never reached through a proxy', () => {
  const { except } = readProxies({ NO_PROXY: '.corp' }, ['http://127.0.0.53:9', ...origins]);
  expect(except).toBe(`.corp,${here},127.0.0.53`);
});

test.each([
  ['http_proxy', 'http://'],
  ['https_proxy', 'not a URL'],
  ['https_proxy', ' '],
  ['https_proxy', 'http://us%er:pass%zz@proxy:8080'],
])('%s=%s is an error that names the variable but doesn’t show its value', (name, value) => {
  const message = `\`${name}\` must be the URL of an HTTP proxy, such as \`http://proxy.example.com:8080\``;
  const error = expect.objectContaining({ name: 'InputError', message });
  expect(() => readProxies({ [name]: value }, origins)).toThrow(error);
});

test('errors in both variables are reported together', () => {
  const both = { http_proxy: 'x', https_proxy: 'y' };
  const hint = expect.stringMatching(/^- `http_proxy` must .*\n- `https_proxy` must /);
  const message = '2 inputs are invalid';
  expect(() => readProxies(both, origins)).toThrow(expect.objectContaining({ message, hint }));
});
