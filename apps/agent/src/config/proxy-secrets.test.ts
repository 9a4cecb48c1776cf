import { expect, test } from 'vitest';
import { proxySecrets } from './proxy-secrets.ts';

test('the credentials in every proxy variable are secrets', () => {
  const env = {
    HTTPS_PROXY: 'http://ada:hush%21hush@proxy:3128',
    http_proxy: 'http://bob:quiet-please@proxy:3128',
    npm_config_https_proxy: 'http://eve:s3cret-3@proxy:3128',
    ALL_PROXY: 'socks5://proxy:1080',
    NO_PROXY: 'localhost',
    OTHER: 'http://x:not-a-proxy@host',
  };
  expect(proxySecrets(env)).toEqual([
    'ada:hush%21hush',
    'hush%21hush',
    'hush!hush',
    'bob:quiet-please',
    'quiet-please',
    'eve:s3cret-3',
    's3cret-3',
  ]);
});

test('a value that is not a URL has no credentials', () => {
  expect(
    proxySecrets({ HTTPS_PROXY: 'proxy:3128', HTTP_PROXY: '', https_proxy: undefined }),
  ).toEqual([]);
});
