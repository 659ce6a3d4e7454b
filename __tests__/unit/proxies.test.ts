import { describe, expect, test } from '@jest/globals';
import { InputError } from '../../src/core/errors.ts';
import { proxiesOf } from '../../src/http/dispatcher.ts';

const origins = ['https://api.example.com', 'https://api.github.com'];
const here = 'localhost,127.0.0.1,::1';

test.each([
  [{}, { http: '', https: '' }],
  [{ https_proxy: 'http://proxy:8080' }, { http: '', https: 'http://proxy:8080' }],
  [
    { HTTPS_PROXY: 'http://proxy:8080', https_proxy: ' ' },
    { http: '', https: 'http://proxy:8080' },
  ],
  [
    { HTTP_PROXY: 'https://u:p@proxy', http_proxy: 'http://other' },
    { http: 'http://other', https: '' },
  ],
  [{ https_proxy: 'https://u%40x:p@proxy' }, { http: '', https: 'https://u%40x:p@proxy' }],
])('%j', (env, expected) => {
  expect(proxiesOf(env, origins)).toEqual({ ...expected, except: `,${here}` });
});

test('loopback addresses are never reached through a proxy', () => {
  const { except } = proxiesOf({ NO_PROXY: '.corp' }, ['http://127.0.0.53:9', ...origins]);
  expect(except).toBe(`.corp,${here},127.0.0.53`);
});

describe('a variable that is not a URL', () => {
  test.each([
    ['https_proxy', 'proxy.corp:8080'],
    ['HTTPS_PROXY', '10.0.0.1:3128'],
    ['http_proxy', 'socks5://proxy:1080'],
    ['HTTP_PROXY', 'user:secret@proxy'],
    ['https_proxy', 'http://'],
    ['https_proxy', 'not a URL'],
    ['https_proxy', 'http://us%er:pass%zz@proxy:8080'],
  ])('%s=%s is an error that names the variable but doesn’t show its value', (name, value) => {
    let error: unknown;
    try {
      proxiesOf({ [name]: value }, origins);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(InputError);
    expect((error as InputError).message).toBe(
      `\`${name}\`: must be the URL of an HTTP proxy, such as \`http://proxy.example.com:8080\``,
    );
  });

  test('errors in both variables are reported together', () => {
    expect(() => proxiesOf({ http_proxy: 'x', https_proxy: 'y' }, origins)).toThrow(
      /`http_proxy`.*\n`https_proxy`/,
    );
  });
});
