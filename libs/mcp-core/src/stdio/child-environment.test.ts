import { describe, expect, test } from 'vitest';
import { childEnvironment } from './child-environment.ts';

describe('childEnvironment', () => {
  test('passes on what programs need to start and nothing that may be a secret', () => {
    const env = { PATH: '/bin', HOME: '/home/a', LANG: 'C', LC_ALL: 'C', TMPDIR: '/t', USER: 'a', SHELL: '/bin/sh', TERM: 'xterm' };
    const source = { env: { ...env, API_KEY: 'secret', NODE_OPTIONS: '--inspect', LCX: '1', Path: 'x' }, platform: 'linux' };
    expect(childEnvironment({}, source)).toEqual(env);
  });

  test('adds the configured variables, which win', () => {
    const source = { env: { PATH: '/bin' }, platform: 'linux' };
    expect(childEnvironment({ PATH: '/opt/bin', TOKEN: 't' }, source)).toEqual({ PATH: '/opt/bin', TOKEN: 't' });
  });

  test('drops an exported shell function', () => {
    expect(childEnvironment({}, { env: { LC_X: '() { echo; }', USER: 'a' }, platform: 'linux' })).toEqual({ USER: 'a' });
  });

  test('knows the names of Windows in any case', () => {
    const source = { env: { Path: 'C:\\Windows', SystemRoot: 'C:\\Windows', SECRET: 's', HOME: 'x' }, platform: 'win32' };
    expect(childEnvironment({}, source)).toEqual({ Path: 'C:\\Windows', SystemRoot: 'C:\\Windows' });
  });
});
