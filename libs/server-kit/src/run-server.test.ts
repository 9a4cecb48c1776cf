import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';

const folder = fileURLToPath(new URL('..', import.meta.url));

/** Starts a process that calls runServer with these members added to a definition; `server` and `tool` are in scope. */
function startServer(members: string, args: readonly string[] = []): ChildProcessWithoutNullStreams {
  const code = `
    import { createServer } from '@signalbox/mcp-core/server';
    import { integerOption, runServer, UsageError } from '@signalbox/server-kit';
    const annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
    const tool = (name, handler) => ({ name, description: name, inputSchema: { type: 'object' }, annotations, handler });
    const server = (...tools) => createServer({ info: { name: 'kit', version: '1' }, tools });
    await runServer({
      name: 'kit', version: '1.2.3', usage: 'Usage: kit', options: { count: { type: 'string' } },
      start: async () => ({ server: server() }),
      ${members}
    });`;
  // With --eval there is no script's name in process.argv; "kit" stands in for it.
  const child = spawn(process.execPath, ['--conditions=@signalbox/source', '--input-type=module', '--eval', code, '--', 'kit', ...args], { cwd: folder });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

async function outcome(child: ChildProcessWithoutNullStreams) {
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { stdout, stderr, code: child.exitCode };
}

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};

/** Writes `messages` and resolves with the first line of the answer to the last of them that has an id. */
async function answered(child: ChildProcessWithoutNullStreams, ...messages: readonly { readonly id?: number }[]): Promise<string> {
  const last = messages.findLast((message) => message.id !== undefined)?.id;
  const lines = createInterface({ input: child.stdout });
  for (const message of messages) child.stdin.write(`${JSON.stringify(message)}\n`);
  for await (const line of lines) {
    if ((JSON.parse(line) as { id?: number }).id === last) return line;
  }
  throw new Error('the server ended without an answer');
}

describe('runServer before it serves', () => {
  test('prints the usage and the version on stdout', async () => {
    expect(await outcome(startServer('', ['--help']))).toEqual({ stdout: 'Usage: kit\n', stderr: '', code: 0 });
    expect(await outcome(startServer('', ['--version']))).toEqual({ stdout: 'kit 1.2.3\n', stderr: '', code: 0 });
  });

  test('refuses an unknown option in one line that names it and --help', async () => {
    expect(await outcome(startServer('', ['--cuont', '3']))).toEqual({
      stdout: '',
      stderr: "kit: Unknown option '--cuont' (see kit --help)\n",
      code: 1,
    });
  });

  test('reports a UsageError of start with a hint at --help', async () => {
    const start = `start: async ({ values }) => { integerOption(values, 'count', { min: 1, max: 9, default: 1 }); }`;
    expect(await outcome(startServer(start, ['--count', '10']))).toEqual({
      stdout: '',
      stderr: 'kit: --count must be a whole number from 1 to 9, not "10" (see kit --help)\n',
      code: 1,
    });
  });

  test('reports any other failure of start in one line', async () => {
    const start = `start: async () => { throw new Error('no such\\nfolder'); }`;
    expect(await outcome(startServer(start))).toEqual({ stdout: '', stderr: String.raw`kit: no such\nfolder` + '\n', code: 1 });
  });

  test('gives start the values, the positionals, the environment and a filtered log', async () => {
    const start = `start: async ({ values, positionals, env, log }) => {
      log.debug('hidden');
      log.info([values.count, ...positionals, typeof env.PATH].join(' '));
      throw new UsageError('stop');
    }`;
    const { stderr } = await outcome(startServer(start, ['--count', '3', 'a', '--log-level', 'info', 'b']));
    expect(stderr).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z info 3 a b string\nkit: stop \(see kit --help\)\n$/);
  });
});

describe('runServer while it serves', () => {
  test('closes and ends with 0 when stdin ends', async () => {
    const child = startServer(`start: async () => ({ server: server(), close: async () => { process.stderr.write('closed\\n'); } }),`);
    const ended = outcome(child);
    child.stdin.end();
    expect(await ended).toEqual({ stdout: '', stderr: 'closed\n', code: 0 });
  });

  test.each(['SIGTERM', 'SIGINT'] as const)('closes and ends with 0 on %s', async (signal) => {
    const child = startServer(`start: async () => ({ server: server(), close: async () => { process.stderr.write('closed\\n'); } }),`);
    const stderr = text(child.stderr);
    await answered(child, initialize);
    const signalledAt = performance.now();
    child.kill(signal);
    await once(child, 'close');
    expect({ code: child.exitCode, stderr: await stderr }).toEqual({ code: 0, stderr: 'closed\n' });
    // One second, and as much again for a machine that does other work.
    expect(performance.now() - signalledAt).toBeLessThan(2000);
  });

  test('ends within a second even when a call and close never return', async () => {
    const child = startServer(`start: async () => ({
      server: server(tool('hang', () => { process.stderr.write('called\\n'); return new Promise(() => setInterval(() => undefined, 1000)); })),
      close: () => new Promise(() => undefined),
    }),`);
    const stderr = createInterface({ input: child.stderr });
    const called = once(stderr, 'line');
    await answered(child, initialize);
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'hang' } })}\n`);
    await called;
    const endedAt = performance.now();
    child.stdin.end();
    await once(child, 'close');
    expect(child.exitCode).toBe(0);
    // One second, and as much again for a machine that does other work.
    expect(performance.now() - endedAt).toBeLessThan(2000);
  });

  test('keeps what is printed with console off the wire', async () => {
    const child = startServer(`start: async () => ({ server: server(tool('print', () => { console.log('printed'); return { structuredContent: {} }; })) }),`);
    const stderr = text(child.stderr);
    const call = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'print' } };
    expect(JSON.parse(await answered(child, initialize, call))).toMatchObject({ id: 2, result: { structuredContent: {} } });
    child.stdin.end();
    expect(await stderr).toBe('printed\n');
  });

  test('ends with 1 and one line after an unhandled rejection', async () => {
    const child = startServer(`start: async () => { setImmediate(() => Promise.reject(new Error('forgotten'))); return { server: server() }; }`);
    expect(await outcome(child)).toEqual({ stdout: '', stderr: 'kit: unhandled rejection: forgotten\n', code: 1 });
  });

  test('ends with 1 and one line after an uncaught exception', async () => {
    const child = startServer(`start: async () => { setImmediate(() => { throw new Error('thrown'); }); return { server: server() }; }`);
    expect(await outcome(child)).toEqual({ stdout: '', stderr: 'kit: uncaught exception: thrown\n', code: 1 });
  });

  test('ends with 1 when close fails', async () => {
    const child = startServer(`start: async () => ({ server: server(), close: () => Promise.reject(new Error('stuck')) }),`);
    const ended = outcome(child);
    child.stdin.end();
    expect(await ended).toEqual({ stdout: '', stderr: 'kit: stuck\n', code: 1 });
  });

  test('goes on when the host closes stderr', async () => {
    const child = startServer(`start: async ({ log }) => ({ server: server(tool('warn', () => { log.warn('unread'); return { structuredContent: {} }; })) }),`);
    child.stderr.destroy();
    const lines = createInterface({ input: child.stdout });
    const warn = (id: number) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'warn' } });
    for (const message of [initialize, warn(2), warn(3), warn(4)]) {
      const line = once(lines, 'line', { signal: AbortSignal.timeout(5000) });
      child.stdin.write(`${JSON.stringify(message)}\n`);
      await line;
    }
    child.stdin.end();
    await once(child, 'close');
    expect(child.exitCode).toBe(0);
  });
});
