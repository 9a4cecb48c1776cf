import { LocalError } from '@signalbox/mcp-core';
import { describe, expect, test } from 'vitest';
import type { StdioServerConfig } from '../config/config.ts';
import type { ServerStatus } from '../ports/tool-catalogue.ts';
import { FakeServer } from './testing/fake-server.ts';
import { callRequest, poolOf, statusOf, toolNamed } from './testing/pool-fixture.ts';

const isReady = (status: ServerStatus): boolean => status.state === 'ready';
const isFailed = (status: ServerStatus): boolean => status.state === 'failed';

describe('starting', () => {
  test('a ready server shows its identity and offers its tools', async () => {
    const { pool, clock } = poolOf(
      { one: new FakeServer(toolNamed('b'), toolNamed('a')) },
      { one: { trust: true } },
    );
    expect(pool.servers()).toMatchObject([{ name: 'one', state: 'connecting', toolCount: 0 }]);
    pool.start();
    await pool.settled(1000);
    expect(pool.servers()).toEqual([
      {
        name: 'one',
        transport: 'stdio',
        state: 'ready',
        breaker: { state: 'closed', failures: 0 },
        quarantined: [],
        roots: [],
        era: 'legacy',
        protocolVersion: '2025-11-25',
        serverInfo: { name: 'fake', version: '1.2.3' },
        instructions: 'Be kind.',
        toolCount: 2,
        toolsChange: true,
        warnings: [],
        pid: 4001,
        connections: [{ pid: 4001, calls: 0, runs: [], openInputRequests: 0 }],
        waiting: [],
        since: clock.now(),
        restarts: 0,
      },
    ]);
    expect(pool.tools().map((tool) => tool.wireName)).toEqual(['one__a', 'one__b']);
    expect(pool.find('one__a')).toEqual({
      wireName: 'one__a',
      server: 'one',
      name: 'a',
      description: '',
      inputSchema: { type: 'object' },
      annotations: {},
      trusted: true,
    });
  });

  test('waiting for a named server does not wait for a different, hanging server', async () => {
    const hanging = new FakeServer();
    hanging.launchPlan.push('hang');
    const { pool } = poolOf({ hanging, fine: new FakeServer(toolNamed('t')) });
    pool.start();
    await pool.settled(5000, ['fine']);
    expect(pool.servers().map((server) => server.state)).toEqual(['connecting', 'ready']);
  });

  test('a failing server and a hanging server do not affect a third server', async () => {
    const [broken, hanging] = [new FakeServer(), new FakeServer()];
    broken.launchPlan.push(new Error('no'));
    hanging.launchPlan.push('hang');
    const { pool, clock } = poolOf({ broken, hanging, fine: new FakeServer(toolNamed('t')) });
    pool.start();
    await Promise.all([statusOf(pool, 'fine', isReady), statusOf(pool, 'broken', isFailed)]);
    let isSettled = false;
    const settled = pool.settled(5000).then(() => (isSettled = true));
    clock.advance(900);
    await Promise.resolve();
    expect(isSettled).toBe(false);
    clock.advance(5000);
    await settled;
    await statusOf(pool, 'broken', isReady);
    expect(pool.servers().map((server) => server.state)).toEqual(['ready', 'connecting', 'ready']);
    expect(pool.tools(['fine', 'hanging']).map((tool) => tool.wireName)).toEqual(['fine__t']);
    expect(pool.tools([])).toEqual([]);
    await pool.close();
    expect(pool.servers().map((server) => server.state)).toEqual(['closed', 'closed', 'closed']);
  });

  test('a server whose tools cannot be listed is failed, and its process is ended', async () => {
    const server = new FakeServer();
    server.listFailure = new Error('no list');
    const { pool } = poolOf({ server });
    pool.start();
    expect((await statusOf(pool, 'server', isFailed)).error).toContain('no list');
    expect(server.open).toBe(0);
  });
});

describe('restarting', () => {
  test('consecutive failures have delays of 1, 2, 4, 8 and 16 s, then 60 s each', async () => {
    const server = new FakeServer(toolNamed('t'));
    server.launchPlan.push(...Array.from({ length: 7 }, () => new Error('no')));
    const { pool, clock } = poolOf({ server });
    pool.start();
    const waits: number[] = [];
    for (let failure = 0; failure < 7; failure++) {
      await statusOf(pool, 'server', isFailed);
      waits.push(...clock.waits);
      clock.advance(clock.waits[0]!);
    }
    expect(waits).toEqual([1000, 2000, 4000, 8000, 16_000, 60_000, 60_000]);
    expect(await statusOf(pool, 'server', isReady)).toMatchObject({ restarts: 7, toolCount: 1 });
    expect(pool.servers()[0]).not.toHaveProperty('error');
  });

  test('a server that exits is restarted, and its tools are meanwhile known but not offered', async () => {
    const server = new FakeServer(toolNamed('t'));
    const { pool, clock } = poolOf({ server });
    pool.start();
    await statusOf(pool, 'server', isReady);
    server.crash();
    expect(await statusOf(pool, 'server', isFailed)).toMatchObject({ toolCount: 0, restarts: 0 });
    expect(pool.tools()).toEqual([]);
    expect(pool.find('server__t')).toBeDefined();
    expect(await pool.call(callRequest('server__t'))).toEqual({
      type: 'not-sent',
      message:
        'server server is failed: The server process exited with code 1: Signalbox starts it again; if this repeats, run the command of mcpServers.server by hand',
    });
    clock.advance(1000);
    expect(await statusOf(pool, 'server', isReady)).toMatchObject({ restarts: 1, pid: 4002 });
    expect(pool.tools()).toHaveLength(1);
    expect(server.open).toBe(1);
  });

  test('the delay of a server that exits soon grows, and restarts at 1 s after a minute of uptime', async () => {
    const server = new FakeServer();
    const { pool, clock } = poolOf({ server });
    pool.start();
    const waits: number[] = [];
    for (const readyForMs of [0, 59_999, 60_000, 10]) {
      await statusOf(pool, 'server', isReady);
      clock.advance(readyForMs);
      server.crash();
      await statusOf(pool, 'server', isFailed);
      waits.push(...clock.waits);
      clock.advance(clock.waits[0]!);
    }
    expect(waits).toEqual([1000, 2000, 1000, 2000]);
  });

  test('a restart, and a close, wait until all processes of the server have ended', async () => {
    const server = new FakeServer(toolNamed('t'));
    const ending = Promise.withResolvers<void>();
    server.closing = ending.promise;
    const { pool, clock } = poolOf({ server });
    pool.start();
    await statusOf(pool, 'server', isReady);
    server.crash();
    await statusOf(pool, 'server', isFailed);
    clock.advance(1000);
    await new Promise((resolve) => setImmediate(resolve));
    expect(server.launches).toBe(1);
    let isClosed = false;
    const closed = pool.close().then(() => (isClosed = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(isClosed).toBe(false);
    ending.resolve();
    await closed;
    expect(server.launches).toBe(1);
  });

  test('closing ends connections, attempts and delays, and no server starts afterwards', async () => {
    const [failing, hanging, running] = [new FakeServer(), new FakeServer(), new FakeServer()];
    failing.launchPlan.push(new Error('no'));
    hanging.launchPlan.push('hang');
    const { pool, clock } = poolOf({ failing, hanging, running });
    pool.start();
    await Promise.all([statusOf(pool, 'running', isReady), statusOf(pool, 'failing', isFailed)]);
    await pool.close();
    clock.advance(10_000_000);
    expect([failing.launches, hanging.launches, running.launches]).toEqual([1, 1, 1]);
    expect([running.open, hanging.open, clock.waits.length]).toEqual([0, 0, 0]);
  });
});

test('a server that is closed while its tools are being read stays closed', async () => {
  const server = new FakeServer(toolNamed('t'));
  const { pool } = poolOf({ server });
  const closing = new Promise<void>((resolve) => {
    server.onList = () => resolve(pool.close());
  });
  pool.start();
  await closing;
  expect(pool.servers()).toMatchObject([{ state: 'closed', toolCount: 0 }]);
  expect(server.open).toBe(0);
});

test('closing does not wait for a tool list that never comes', async () => {
  const server = new FakeServer();
  server.isListHanging = true;
  const { pool } = poolOf({ server });
  const listing = new Promise<void>((resolve) => (server.onList = resolve));
  pool.start();
  await listing;
  await pool.close();
  expect(pool.servers()[0]?.state).toBe('closed');
  expect(server.open).toBe(0);
});

test('a server fails when its tool list does not end within a minute', async () => {
  const server = new FakeServer();
  server.isListHanging = true;
  const { pool, clock } = poolOf({ server });
  const listing = new Promise<void>((resolve) => (server.onList = resolve));
  pool.start();
  await listing;
  clock.advance(60_000);
  expect((await statusOf(pool, 'server', isFailed)).error).toContain(
    'its tools could not be listed within 60 s',
  );
  expect(server.open).toBe(0);
});

describe('failures are reported with location and remedy', () => {
  const system = (code: string, message: string): Error =>
    new LocalError('connect-failed', message, { cause: Object.assign(new Error(code), { code }) });
  test.each<
    [string, { readonly failure: Error; readonly config?: Partial<StdioServerConfig> }, string]
  >([
    [
      'missing command',
      { failure: system('ENOENT', 'Cannot start'), config: { command: 'foo' } },
      "command 'foo' was not found: check mcpServers.server.command",
    ],
    [
      'missing folder',
      {
        failure: system('ENOENT', 'Cannot start "foo": the working directory /no does not exist.'),
        config: { cwd: '/no' },
      },
      "the working directory '/no' does not exist: check mcpServers.server.cwd",
    ],
    [
      'command below the folder',
      {
        failure: system('ENOENT', 'Cannot start "/no/foo": the command was not found.'),
        config: { command: '/no/foo', cwd: '/no' },
      },
      "command '/no/foo' was not found: check mcpServers.server.command",
    ],
    [
      'not executable',
      { failure: system('EACCES', 'Cannot start'), config: { command: 'foo' } },
      "command 'foo' may not be executed: check mcpServers.server.command and the permissions of that file",
    ],
    [
      'anything else',
      {
        failure: new LocalError(
          'connect-failed',
          'The server could not be connected within 60000 ms.',
        ),
      },
      'The server could not be connected within 60000 ms: check that mcpServers.server starts an MCP server that speaks on stdin and stdout, and run its command by hand',
    ],
  ])('%s', async (_title, { failure, config = {} }, expected) => {
    const server = new FakeServer();
    server.launchPlan.push(failure);
    const { pool } = poolOf({ server }, { server: config });
    pool.start();
    expect((await statusOf(pool, 'server', isFailed)).error).toBe(expected);
  });

  test('failures include the last line on stderr, and secrets of the server are masked there and in the log', async () => {
    const server = new FakeServer();
    const { pool, log } = poolOf(
      { server },
      { server: { env: { KEY: 'hush-hush', PORT: '80' }, secrets: ['tok-en-1'] } },
    );
    pool.start();
    await statusOf(pool, 'server', isReady);
    server.options.onStderr('starting');
    server.options.onStderr('cannot use hush-hush and tok-en-1 on 80');
    server.options.onStderr('');
    server.options.onLog('info log: hush-hush');
    server.crash('exited');
    const { error } = await statusOf(pool, 'server', isFailed);
    expect(error).toBe(
      'exited; on stderr: cannot use *** and *** on 80: Signalbox starts it again; if this repeats, run the command of mcpServers.server by hand',
    );
    expect(log).toContain('debug cannot use *** and *** on 80 {"server":"server"}');
    expect(log.join('\n')).not.toMatch(/hush|tok-en/);
    expect((await pool.control('server')?.log())?.map(({ level, text }) => [level, text])).toEqual([
      ['debug', 'starting'],
      ['debug', 'cannot use *** and *** on 80'],
      ['debug', 'info log: ***'],
      ['warn', error],
      ['debug', expect.stringMatching(/^the server is restarted in \d+ ms$/)],
    ]);
  });

  test('the last 200 lines of its log are kept, each up to 2,000 characters', async () => {
    const server = new FakeServer();
    const { pool } = poolOf({ server });
    pool.start();
    await statusOf(pool, 'server', isReady);
    for (let line = 1; line <= 300; line += 1)
      server.options.onStderr(`${line} ${'x'.repeat(3000)}`);
    const lines = (await pool.control('server')?.log()) ?? [];
    expect(lines).toHaveLength(200);
    expect(lines[0]?.text.slice(0, 6)).toBe('101 xx');
    expect(lines.at(-1)?.text).toHaveLength(2000);
  });
});
