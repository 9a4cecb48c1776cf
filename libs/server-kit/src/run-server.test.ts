import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { msUntilEnd } from './testing/ms-until-end.ts';
import {
  answered,
  initialize,
  linesUntilAnswer,
  outcome,
  startServer,
} from './kit-process.test.support.ts';

describe('runServer before it serves', () => {
  test('prints the usage and the version on stdout', async () => {
    const { stdout, stderr, code } = await outcome(startServer('', { args: ['--help'] }));
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
    expect(stdout).toMatch(
      /^Usage: kit\n  --http [\s\S]+--log-level [\s\S]+--print-config [\s\S]+--help +print this text\n$/,
    );
    expect(await outcome(startServer('', { args: ['--version'] }))).toEqual({
      stdout: 'kit 1.2.3\n',
      stderr: '',
      code: 0,
    });
  });

  test('refuses an unknown option in one line that names it and --help', async () => {
    expect(await outcome(startServer('', { args: ['--cuont', '3'] }))).toEqual({
      stdout: '',
      stderr: "kit: Unknown option '--cuont' (see kit --help)\n",
      code: 1,
    });
  });

  test('reports a UsageError of start with a hint at --help', async () => {
    const start = `start: async ({ values }) => { integerOption(values, 'count', { min: 1, max: 9, default: 1 }); }`;
    expect(await outcome(startServer(start, { args: ['--count', '10'] }))).toEqual({
      stdout: '',
      stderr: 'kit: --count must be a whole number from 1 to 9, not "10" (see kit --help)\n',
      code: 1,
    });
  });

  test('reports any other failure of start in one line', async () => {
    const start = `start: async () => { throw new Error('no such\\nfolder'); }`;
    expect(await outcome(startServer(start))).toEqual({
      stdout: '',
      stderr: String.raw`kit: no such\nfolder` + '\n',
      code: 1,
    });
  });

  test('gives start the values, the positionals, the environment and a filtered log', async () => {
    const start = `start: async ({ values, positionals, env, log }) => {
      log.debug('hidden');
      log.info([values.count, ...positionals, typeof env.PATH].join(' '));
      throw new UsageError('stop');
    }`;
    const { stderr } = await outcome(
      startServer(start, { args: ['--count', '3', 'a', '--log-level', 'info', 'b'] }),
    );
    expect(stderr).toMatch(
      /^\d{4}-\d\d-\d\dT[\d:.]+Z info 3 a b string\nkit: stop \(see kit --help\)\n$/,
    );
  });
});

describe('runServer with --print-config', () => {
  interface HostConfig {
    readonly mcpServers: {
      readonly kit: { readonly args: readonly string[]; readonly env?: object };
    };
  }

  test('prints how a host starts this very server, and not the secrets', async () => {
    const env = { MCP_KIT_COUNT: '5', MCP_HTTP_TOKEN: 'secret', MCP_STATE_KEY: 'secret' };
    const { stdout, code } = await outcome(
      startServer('', { args: ['--print-config', 'a b'], env }),
    );
    const { mcpServers } = JSON.parse(stdout) as HostConfig;
    expect(code).toBe(0);
    expect(mcpServers.kit).toMatchObject({
      command: process.execPath,
      env: { MCP_KIT_COUNT: '5' },
    });
    expect(mcpServers.kit.args.at(-1)).toBe('a b');
    expect(stdout).not.toContain('secret');
  });

  test.each([
    ['3000', { type: 'http', url: 'http://127.0.0.1:3000/mcp' }],
    [
      '0.0.0.0:3000',
      {
        type: 'http',
        url: 'http://127.0.0.1:3000/mcp',
        headers: { Authorization: 'Bearer ${MCP_HTTP_TOKEN}' },
      },
    ],
  ])('with --http %s prints the URL', async (http, expected) => {
    const { stdout } = await outcome(startServer('', { args: ['--http', http, '--print-config'] }));
    expect(JSON.parse(stdout)).toEqual({ mcpServers: { kit: expected } });
  });
});

describe('runServer while it serves', () => {
  test('explains at a terminal that it waits for messages', async () => {
    const child = startServer('', { preload: 'process.stdin.isTTY=true' });
    child.stdin.end();
    expect(await outcome(child)).toEqual({
      stdout: '',
      code: 0,
      stderr:
        'kit: waiting for the messages of an MCP host on stdin. Ctrl-C ends it; kit --help shows the options.\n',
    });
  });

  test('logs a line that is no message in one sentence', async () => {
    const child = startServer(
      `start: async ({ log }) => ({ server: createServer({ info: { name: 'kit', version: '1' }, events: { onError: (error) => log.error(error.stack) } }) }),`,
    );
    child.stdin.end('garbage\n');
    const { stderr } = await outcome(child);
    expect(stderr).toMatch(/error Parse error: a line is not JSON: [^\\]*\n$/);
  });

  test('closes and ends with 0 when stdin ends', async () => {
    const child = startServer(
      `start: async () => ({ server: server(), close: async () => { process.stderr.write('closed\\n'); } }),`,
    );
    const ended = outcome(child);
    child.stdin.end();
    expect(await ended).toEqual({ stdout: '', stderr: 'closed\n', code: 0 });
  });

  test.each(['SIGTERM', 'SIGINT'] as const)('closes and ends with 0 on %s', async (signal) => {
    const child = startServer(
      `start: async () => ({ server: server(), close: async () => { process.stderr.write('closed\\n'); } }),`,
    );
    const stderr = text(child.stderr);
    await answered(child, initialize);
    const ended = msUntilEnd(child);
    child.kill(signal);
    expect(await ended).toBeLessThan(1000);
    expect({ code: child.exitCode, stderr: await stderr }).toEqual({ code: 0, stderr: 'closed\n' });
  });

  test('aborts the handlers on SIGTERM, runs their finally blocks and then closes', async () => {
    const child = startServer(`start: async () => ({
      server: server(tool('work', async (_args, { signal }) => {
        process.stderr.write('called\\n');
        try {
          await new Promise((resolve) => signal.addEventListener('abort', resolve));
          return { content: [] };
        } finally {
          await new Promise((resolve) => setTimeout(resolve, 5));
          process.stderr.write('cleaned up\\n');
        }
      })),
      close: async () => { process.stderr.write('closed\\n'); },
    }),`);
    const lines: string[] = [];
    const stderr = createInterface({ input: child.stderr }).on('line', (line) => lines.push(line));
    const called = once(stderr, 'line');
    await answered(child, initialize);
    child.stdin.write(
      `${JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'work' } })}\n`,
    );
    await called;
    child.kill('SIGTERM');
    await once(child, 'close');
    expect([child.exitCode, ...lines]).toEqual([0, 'called', 'cleaned up', 'closed']);
  });

  test('ends within a second even when a call and close never return', async () => {
    const child = startServer(`start: async () => ({
      server: server(tool('hang', () => { process.stderr.write('called\\n'); return new Promise(() => setInterval(() => undefined, 1000)); })),
      close: () => new Promise(() => undefined),
    }),`);
    const stderr = createInterface({ input: child.stderr });
    const called = once(stderr, 'line');
    await answered(child, initialize);
    child.stdin.write(
      `${JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'hang' } })}\n`,
    );
    await called;
    const ended = msUntilEnd(child);
    child.stdin.end();
    expect(await ended).toBeLessThan(1000);
    expect(child.exitCode).toBe(0);
  });

  test('keeps the output of console off stdout', async () => {
    const child = startServer(
      `start: async () => ({ server: server(tool('print', () => { console.log('printed'); return { structuredContent: {} }; })) }),`,
    );
    const stderr = text(child.stderr);
    const call = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'print' } };
    expect(JSON.parse(await answered(child, initialize, call))).toMatchObject({
      id: 2,
      result: { structuredContent: {} },
    });
    child.stdin.end();
    expect(await stderr).toBe('printed\n');
  });

  test('ends with 1 and one line after an unhandled rejection', async () => {
    const child = startServer(
      `start: async () => { setImmediate(() => Promise.reject(new Error('forgotten'))); return { server: server() }; }`,
    );
    expect(await outcome(child)).toEqual({
      stdout: '',
      stderr: 'kit: unhandled rejection: forgotten\n',
      code: 1,
    });
  });

  test('ends with 1 and one line after an uncaught exception', async () => {
    const child = startServer(
      `start: async () => { setImmediate(() => { throw new Error('thrown'); }); return { server: server() }; }`,
    );
    expect(await outcome(child)).toEqual({
      stdout: '',
      stderr: 'kit: uncaught exception: thrown\n',
      code: 1,
    });
  });

  test('ends with 1 when close fails', async () => {
    const child = startServer(
      `start: async () => ({ server: server(), close: () => Promise.reject(new Error('stuck')) }),`,
    );
    const ended = outcome(child);
    child.stdin.end();
    expect(await ended).toEqual({ stdout: '', stderr: 'kit: stuck\n', code: 1 });
  });

  test('continues when the host closes stderr', async () => {
    const child = startServer(
      `start: async ({ log }) => ({ server: server(tool('warn', () => { log.warn('unread'); return { structuredContent: {} }; })) }),`,
    );
    child.stderr.destroy();
    const lines = createInterface({ input: child.stdout });
    const warn = (id: number) => ({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name: 'warn' },
    });
    for (const message of [initialize, warn(2), warn(3), warn(4)]) {
      const line = once(lines, 'line', { signal: AbortSignal.timeout(5000) });
      child.stdin.write(`${JSON.stringify(message)}\n`);
      await line;
    }
    child.stdin.end();
    await once(child, 'close');
    expect(child.exitCode).toBe(0);
  });

  test('throttles progress to ten a second and sends the last', async () => {
    const flood = `tool('flood', (_args, context) => { for (let step = 1; step <= 1000; step += 1) context.progress({ progress: step }); return { structuredContent: {} }; })`;
    const child = startServer(`start: async () => ({ server: server(${flood}) }),`);
    const call = {
      jsonrpc: '2.0',
      id: 2,
      method: 'tools/call',
      params: { name: 'flood', _meta: { progressToken: 'p' } },
    };
    const lines = await linesUntilAnswer(child, initialize, call);
    const steps = lines
      .map((line) => (JSON.parse(line) as { params?: { progress: number } }).params?.progress)
      .filter((step) => step !== undefined);
    expect(steps).toEqual([1, 1000]);
  });

  test('answers a repeated call under its idempotency key with the first result, and refuses other arguments', async () => {
    const child = startServer(
      `start: async () => { let calls = 0; return { server: server(tool('count', () => ({ structuredContent: { calls: ++calls } }))) }; },`,
    );
    const call = (id: number, key: string, args = {}) => ({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name: 'count', arguments: args, _meta: { 'dev.signalbox/idempotency-key': key } },
    });
    const lines = await linesUntilAnswer(
      child,
      initialize,
      call(2, 'a'),
      call(3, 'a'),
      call(4, 'b'),
      call(5, 'a', { other: 1 }),
    );
    const answers = lines.map(
      (line) =>
        JSON.parse(line) as {
          id: number;
          result: { structuredContent?: { calls: number }; isError?: boolean };
        },
    );
    const called = answers.filter(({ id }) => id > 1).toSorted((left, right) => left.id - right.id);
    expect(called.map(({ result }) => result.structuredContent?.calls ?? result.isError)).toEqual([
      1,
      1,
      2,
      true,
    ]);
  });

  test('refuses a result over the limit, and further calls succeed', async () => {
    const big = `tool('big', () => ({ content: [{ type: 'text', text: 'x'.repeat(5_000_000) }] }))`;
    const child = startServer(`start: async () => ({ server: server(${big}) }),`);
    const lines = await linesUntilAnswer(
      child,
      initialize,
      { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'big' } },
      { jsonrpc: '2.0', id: 3, method: 'ping' },
    );
    expect(lines.map((line) => line.length < 1000)).toEqual([true, true, true]);
    expect(lines[1]).toContain('at most 1048576 are sent');
  });
});
