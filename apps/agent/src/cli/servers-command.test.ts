import { expect, test } from 'vitest';
import { startLoginService, type LoginService } from '../app/testing/login-service.ts';
import { runCommand } from './command.ts';
import { testIo, type TestIo } from './testing/test-io.ts';

const LIMIT = { timeout: 20_000 };

interface Running {
  readonly io: TestIo;
  readonly ended: Promise<number>;
}

function signalbox({ url }: Pick<LoginService, 'url'>, ...argv: readonly string[]): Running {
  const io = testIo();
  const ended = runCommand(io, {
    argv: [...argv, '--url', url],
    env: {},
    cwd: '/',
    repository: '/',
    version: '0',
  });
  return { io, ended };
}

/** Resolves with what a pattern finds in the messages of a command. */
async function found({ io }: Running, pattern: RegExp): Promise<string> {
  await expect.poll(() => io.written.err, LIMIT).toMatch(pattern);
  return pattern.exec(io.written.err)?.[1] ?? '';
}

test('a login prints the address without a desktop, and ends after it', LIMIT, async () => {
  const service = await startLoginService();
  await service.untilState('needs_login');
  const login = signalbox(service, 'servers', 'login', 'far');
  const url = await found(login, /^Open this address in a browser and log in:\n {2}(http\S+)\n/u);
  await service.remote.consent(url);
  expect(await login.ended).toBe(0);
  expect(login.io.written.out).toBe('logged in to far\n');
  const logout = signalbox(service, 'servers', 'logout', 'far');
  expect([await logout.ended, logout.io.written]).toEqual([
    0,
    { out: 'logged out of far\n', err: '' },
  ]);
});

test('a login with a code prints the code', LIMIT, async () => {
  const service = await startLoginService();
  await service.untilState('needs_login');
  const login = signalbox(service, 'servers', 'login', 'far', '--device', '--json');
  const code = await found(login, /^Enter the code (\S+) at this address:\n {2}http\S+\/enter\n/u);
  service.remote.enter(code);
  expect(await login.ended).toBe(0);
  const [begun, server] = login.io.written.out.trim().split('\n');
  expect(JSON.parse(begun ?? '')).toMatchObject({ method: 'device', user_code: code });
  expect(JSON.parse(server ?? '')).toMatchObject({ name: 'far', logged_in: {} });
});

test.each([
  [['servers', 'login'], 'usage: signalbox servers'],
  [['servers', 'log-in', 'far'], 'usage: signalbox servers'],
  [['servers', 'logout', 'far', '--device'], '--device and --no-browser are options of'],
])('%j is refused', async (argv, message) => {
  const { io, ended } = signalbox({ url: 'http://127.0.0.1:1' }, ...argv);
  expect(await ended).toBe(2);
  expect(io.written.err).toContain(message);
});
