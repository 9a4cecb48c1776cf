import { describe, expect, test } from 'vitest';
import { childEnvironment } from './child-environment.ts';

describe('childEnvironment', () => {
  test('passes on the variables that programs need to start, and no possible secrets', () => {
    const env = {
      PATH: '/bin',
      HOME: '/home/a',
      LANG: 'C',
      LC_ALL: 'C',
      TMPDIR: '/t',
      USER: 'a',
      SHELL: '/bin/sh',
      TERM: 'xterm',
    };
    const source = {
      env: { ...env, API_KEY: 'secret', NODE_OPTIONS: '--inspect', LCX: '1', Path: 'x' },
      platform: 'linux',
    };
    expect(childEnvironment({}, source)).toEqual(env);
  });

  test('passes on certificates and proxies, in upper and in lower case', () => {
    const env = {
      NODE_EXTRA_CA_CERTS: '/ca.pem',
      SSL_CERT_FILE: '/ca.pem',
      SSL_CERT_DIR: '/certs',
      HTTPS_PROXY: 'http://proxy:3128',
      https_proxy: 'http://proxy:3128',
      http_proxy: 'http://proxy:3128',
      NO_PROXY: 'localhost',
      no_proxy: 'localhost',
      NODE_USE_ENV_PROXY: '1',
      npm_config_cafile: '/ca.pem',
      npm_config_registry: 'https://packages.example',
    };
    for (const platform of ['linux', 'win32'])
      expect(
        childEnvironment(
          {},
          { env: { ...env, npm_config__authToken: 'secret', npm_config_key: 'k' }, platform },
        ),
      ).toEqual(env);
  });

  test('adds the configured variables, which take precedence', () => {
    const source = { env: { PATH: '/bin' }, platform: 'linux' };
    expect(childEnvironment({ PATH: '/opt/bin', TOKEN: 't' }, source)).toEqual({
      PATH: '/opt/bin',
      TOKEN: 't',
    });
  });

  test('drops an exported shell function', () => {
    expect(
      childEnvironment({}, { env: { LC_X: '() { echo; }', USER: 'a' }, platform: 'linux' }),
    ).toEqual({ USER: 'a' });
  });

  test('matches names case-insensitively on Windows', () => {
    const source = {
      env: { Path: 'C:\\Windows', SystemRoot: 'C:\\Windows', SECRET: 's', HOME: 'x' },
      platform: 'win32',
    };
    expect(childEnvironment({}, source)).toEqual({
      Path: 'C:\\Windows',
      SystemRoot: 'C:\\Windows',
    });
  });
});

test('an added variable replaces an inherited one on Windows, where names have any case', () => {
  const source = {
    env: { Path: 'C:\\Windows', TEMP: 'C:\\t', HTTPS_PROXY: 'x' },
    platform: 'win32',
  };
  expect(childEnvironment({ path: 'C:\\tools', Https_Proxy: '' }, source)).toEqual({
    path: 'C:\\tools',
    TEMP: 'C:\\t',
    Https_Proxy: '',
  });
  expect(childEnvironment({ path: 'mine' }, { env: { PATH: '/bin' }, platform: 'linux' })).toEqual({
    PATH: '/bin',
    path: 'mine',
  });
});
