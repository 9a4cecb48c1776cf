import { chmodSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test, vi } from 'vitest';
import type { TransportReceiver, UnreadableMessage } from '../jsonrpc/transport.ts';
import { LocalError } from '../protocol/errors.ts';
import { type ChildTransport, type SpawnOptions, spawnStdio } from './child-transport.ts';

interface Received extends TransportReceiver {
  readonly messages: unknown[];
  readonly problems: UnreadableMessage[];
  readonly ends: (Error | undefined)[];
}

const transports: ChildTransport[] = [];

afterAll(async () => {
  await Promise.all(transports.map((transport) => transport.close()));
});

function spawnNode(script: string, options: Partial<SpawnOptions> = {}): ChildTransport {
  const transport = spawnStdio({ command: 'node', args: ['-e', script], graceMs: 100, ...options });
  transports.push(transport);
  return transport;
}

function receiver(): Received {
  const messages: unknown[] = [];
  const problems: UnreadableMessage[] = [];
  const ends: (Error | undefined)[] = [];
  return {
    messages,
    problems,
    ends,
    message: (value) => messages.push(value),
    unreadable: (problem) => problems.push(problem),
    closed: (error) => ends.push(error),
  };
}

/** Waits until an assertion passes: starting a process is slow on a busy machine. */
function eventually(assertion: () => void): Promise<void> {
  return vi.waitFor(assertion, { timeout: 15_000, interval: 10 });
}

/** Whether a process runs. A zombie does not. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return (
      process.platform !== 'linux' || !/\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
    );
  } catch {
    return false;
  }
}

/** Prints its pid and survives everything but SIGKILL. */
const STUBBORN = `process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); console.log(process.pid);`;
const ECHO = 'process.stdin.pipe(process.stdout)';

describe.concurrent('a server process', () => {
  test('receives messages and returns responses in order', async () => {
    const transport = spawnNode(ECHO, { graceMs: 10_000 });
    const received = receiver();
    await transport.start(received);
    await transport.send({ jsonrpc: '2.0', id: 1, method: 'größe', params: { text: 'a\nb' } });
    await transport.send({ jsonrpc: '2.0', method: 'second' });
    await eventually(() => expect(received.messages).toHaveLength(2));
    expect(received.messages).toEqual([
      { jsonrpc: '2.0', id: 1, method: 'größe', params: { text: 'a\nb' } },
      { jsonrpc: '2.0', method: 'second' },
    ]);
    expect(isRunning(transport.pid!)).toBe(true);
    await transport.close();
    expect(received.ends).toEqual([undefined]);
    expect(await transport.exited).toEqual({ code: 0, signal: null });
    expect(isRunning(transport.pid!)).toBe(false);
  });

  test('sees only the minimal environment and what is configured', async () => {
    vi.stubEnv('SIGNALBOX_TEST_SECRET', 'hidden');
    const transport = spawnNode(
      'console.log(JSON.stringify({ env: process.env, node: process.execPath, cwd: process.cwd() }))',
      {
        env: { TOKEN: 'shown' },
        cwd: '/',
      },
    );
    vi.unstubAllEnvs();
    const received = receiver();
    await transport.start(received);
    await eventually(() => expect(received.messages).toHaveLength(1));
    const [{ env, node, cwd }] = received.messages as [{ env: object; node: string; cwd: string }];
    expect(env).toMatchObject({ TOKEN: 'shown', PATH: process.env.PATH });
    expect(
      Object.keys(env).filter(
        (name) =>
          !/^(PATH|HOME|LANG|LC_.*|TMPDIR|USER|SHELL|TERM|TOKEN|__CF_USER_TEXT_ENCODING|NODE_EXTRA_CA_CERTS|NODE_USE_\w+|SSL_CERT_\w+|\w+_CA_BUNDLE|\w+_PROXY|NPM_CONFIG_\w+)$/i.test(
            name,
          ),
      ),
    ).toEqual([]);
    expect(node).toBe(process.execPath);
    expect(cwd).toBe('/');
  });

  test('survives unreadable output and reports it', async () => {
    const transport = spawnNode(
      `console.log('Server ready!'); console.log('{"big":"' + 'x'.repeat(200000) + '"}'); console.log('{"ok":1}'); process.stdin.resume()`,
      {
        maxMessageBytes: 1000,
      },
    );
    const received = receiver();
    await transport.start(received);
    await eventually(() => expect(received.messages).toEqual([{ ok: 1 }]));
    expect(received.problems.map(({ reason }) => reason)).toEqual(['parse-error', 'too-large']);
    expect(received.ends).toEqual([]);
  });

  test('is ended when it floods with unreadable lines, not all of which are read', async () => {
    const transport = spawnNode(
      `const flood = () => { while (process.stdout.write('!\\n'.repeat(10_000))); process.stdout.once('drain', flood); }; flood(); process.stdout.on('error', () => undefined)`,
      { graceMs: 100 },
    );
    const received = receiver();
    await transport.start(received);
    await eventually(() => expect(received.ends).toHaveLength(1));
    expect(received.ends[0]?.message).toBe(
      'The server process is ended: it sent more than 1000 lines that are not messages, and more than 20 a second.',
    );
    expect(received.problems.length).toBeLessThan(2000);
    await transport.exited;
  });

  test('is not blocked by a flood on stderr, whose end is kept', async () => {
    const lines: string[] = [];
    const script = `for (let i = 0; i < 20000; i++) process.stderr.write('line ' + i + ' '.repeat(50) + '\\n'); console.log('{"ok":1}'); process.stdin.resume()`;
    const transport = spawnNode(script, { onStderr: (line) => lines.push(line) });
    const received = receiver();
    await transport.start(received);
    await eventually(() => expect(received.messages).toEqual([{ ok: 1 }]));
    await eventually(() => expect(lines).toHaveLength(20_000));
    expect(transport.stderrTail()).toMatch(/line 19999 +\n$/);
    expect(transport.stderrTail().length).toBeLessThanOrEqual(64 * 1024);
  });

  test('makes the sender wait while it does not read', async () => {
    const transport = spawnNode(
      `process.stderr.write('up\\n'); setTimeout(() => process.stdin.resume(), 1e9); process.on('SIGUSR2', () => process.stdin.resume())`,
    );
    const received = receiver();
    await transport.start(received);
    await eventually(() => expect(transport.stderrTail()).toBe('up\n'));
    let isTaken = false;
    const sending = transport
      .send({ jsonrpc: '2.0', method: 'big', params: { text: 'x'.repeat(4_000_000) } })
      ?.then(() => (isTaken = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(isTaken).toBe(false);
    process.kill(transport.pid!, 'SIGUSR2');
    await sending;
    expect(isTaken).toBe(true);
  });

  test('receives all messages of one turn in one write, and messages sent just before close', async () => {
    const transport = spawnNode(
      `process.stdin.on('data', (chunk) => console.log(JSON.stringify({ lines: String(chunk).split('\\n').length - 1 })))`,
      { graceMs: 10_000 },
    );
    const received = receiver();
    await transport.start(received);
    for (let index = 0; index < 64; index += 1)
      void transport.send({ jsonrpc: '2.0', method: 'x' });
    await eventually(() => expect(received.messages).toEqual([{ lines: 64 }]));
    void transport.send({ jsonrpc: '2.0', method: 'last' });
    await transport.close();
    expect(await transport.exited).toEqual({ code: 0, signal: null });
    expect(received.messages).toEqual([{ lines: 64 }]);
  });

  test('echoes 64 messages of 256 KiB at once, without a warning of too many listeners', async () => {
    const warnings: string[] = [];
    const onWarning = ({ name }: Error): number => warnings.push(name);
    process.on('warning', onWarning);
    const transport = spawnNode(ECHO, { graceMs: 10_000 });
    const received = receiver();
    await transport.start(received);
    const text = 'x'.repeat(256 * 1024);
    await Promise.all(
      Array.from({ length: 64 }, async (_none, id) =>
        transport.send({ jsonrpc: '2.0', id, method: 'echo', params: { text } }),
      ),
    );
    await eventually(() => expect(received.messages).toHaveLength(64));
    expect(received.messages.map((message) => (message as { id: number }).id)).toEqual(
      Array.from({ length: 64 }, (_none, id) => id),
    );
    process.off('warning', onWarning);
    expect(warnings).toEqual([]);
  });

  test('may write 5,000 notifications and a response in one piece: all arrive, in order', async () => {
    const transport = spawnNode(
      `process.stdout.write(Array.from({ length: 5000 }, (_none, n) => JSON.stringify({ n }) + '\\n').join('') + '{"answer":1}\\n'); process.stdin.resume()`,
    );
    const received = receiver();
    await transport.start(received);
    await eventually(() => expect(received.messages).toHaveLength(5001));
    expect(received.messages).toEqual([
      ...Array.from({ length: 5000 }, (_none, n) => ({ n })),
      { answer: 1 },
    ]);
  });

  test('releases waiting senders when it dies without reading', async () => {
    const transport = spawnNode(`process.stderr.write('up\\n'); setInterval(() => {}, 1000)`);
    const received = receiver();
    await transport.start(received);
    await eventually(() => expect(transport.stderrTail()).toBe('up\n'));
    const big = { jsonrpc: '2.0', method: 'big', params: { text: 'x'.repeat(1_000_000) } } as const;
    const sends = Array.from({ length: 20 }, async () => transport.send(big));
    process.kill(transport.pid!, 'SIGKILL');
    await Promise.all(sends);
    await eventually(() => expect(received.ends).toHaveLength(1));
    await expect(transport.send(big)).rejects.toMatchObject({ code: 'connection-closed' });
  });

  test('that exits on its own delivers its last message, then the reason', async () => {
    const transport = spawnNode(
      `console.error('cannot open the database'); console.log('{"last":1}'); process.exitCode = 3`,
    );
    const received = receiver();
    await transport.start(received);
    await eventually(() => expect(received.ends).toHaveLength(1));
    expect(received.messages).toEqual([{ last: 1 }]);
    expect(received.ends[0]).toMatchObject({ code: 'connection-lost' });
    expect(received.ends[0]!.message).toContain('exited with code 3');
    expect(received.ends[0]!.message).toContain('cannot open the database');
    await expect(transport.send({ jsonrpc: '2.0', method: 'x' })).rejects.toMatchObject({
      code: 'connection-closed',
    });
    expect(await transport.exited).toEqual({ code: 3, signal: null });
  });

  test('that is killed reports the signal', async () => {
    const transport = spawnNode(ECHO);
    const received = receiver();
    await transport.start(received);
    process.kill(transport.pid!, 'SIGKILL');
    await eventually(() => expect(received.ends).toHaveLength(1));
    expect(received.ends[0]!.message).toContain('SIGKILL');
  });

  test('that closes its output is disconnected and ended', async () => {
    const transport = spawnNode(`require('fs').closeSync(1); setInterval(() => {}, 1000)`);
    const received = receiver();
    await transport.start(received);
    await eventually(() => expect(received.ends).toHaveLength(1));
    expect(received.ends[0]!.message).toContain('closed its standard output');
    await transport.exited;
    expect(isRunning(transport.pid!)).toBe(false);
  });

  test('that closes its input is disconnected by the next message', async () => {
    const transport = spawnNode(
      `process.stdin.destroy(); require('fs').closeSync(0); console.log('{}'); setInterval(() => {}, 1000)`,
    );
    const received = receiver();
    await transport.start(received);
    await eventually(() => expect(received.messages).toHaveLength(1));
    await transport.send({ jsonrpc: '2.0', method: 'x' });
    await eventually(() => expect(received.ends).toHaveLength(1));
    expect(received.ends[0]!.message).toContain('stopped reading its standard input');
  });

  test('that has ended delivers nothing more, not even a line that its child left unfinished', async () => {
    const script = `
      const holder = require('child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: ['ignore', 'inherit', 'inherit'] });
      holder.on('spawn', () => process.stdout.write('{"whole":1}\\n{"cut":1', () => process.exit(0)))`;
    const transport = spawnNode(script);
    const heard: unknown[] = [];
    await transport.start({
      message: (value) => heard.push(value),
      unreadable: (problem) => heard.push(problem),
      closed: () => heard.push('closed'),
    });
    await eventually(() => expect(heard).toContain('closed'));
    await transport.close();
    expect(heard).toEqual([{ whole: 1 }, 'closed']);
  });
});

describe('a command that cannot be run', () => {
  test('fails to connect when it does not exist', async () => {
    const transport = spawnStdio({ command: 'no-such-command-here' });
    await expect(transport.start(receiver())).rejects.toThrow(
      /Cannot start "no-such-command-here": the command was not found/,
    );
    await expect(transport.start(receiver())).rejects.toBeInstanceOf(LocalError);
    expect(transport.pid).toBeUndefined();
    expect(await transport.exited).toEqual({ code: null, signal: null });
    await transport.close();
  });

  test('fails to connect when it is not executable', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'spawn-')), 'server');
    writeFileSync(file, 'text');
    chmodSync(file, 0o600);
    await expect(spawnStdio({ command: file }).start(receiver())).rejects.toMatchObject({
      code: 'connect-failed',
      message: expect.stringContaining('not an executable file') as string,
    });
  });

  test('fails to connect when the working directory does not exist', async () => {
    await expect(
      spawnStdio({ command: 'node', cwd: '/no/such/folder' }).start(receiver()),
    ).rejects.toThrow(/\/no\/such\/folder does not exist/);
  });

  test('is refused immediately when its arguments are unusable', () => {
    expect(() => spawnStdio({ command: 'node', args: ['a\0b'] })).toThrow(
      expect.objectContaining({ code: 'connect-failed' }) as Error,
    );
  });

  test('cannot be started once it has been closed', async () => {
    const transport = spawnNode(ECHO);
    await transport.close();
    await expect(transport.start(receiver())).rejects.toMatchObject({ code: 'connect-failed' });
    expect(isRunning(transport.pid!)).toBe(false);
  });
});

describe.concurrent('close', () => {
  test('is idempotent and notifies the receiver once', async () => {
    const transport = spawnNode(ECHO);
    const received = receiver();
    await transport.start(received);
    await Promise.all([transport.close(), transport.close()]);
    await transport.close();
    expect(received.ends).toEqual([undefined]);
  });

  test('is graceful even while the server is blocked on its output', async () => {
    const transport = spawnNode(
      `process.stdout.write('x'.repeat(5e6), () => process.stdin.resume())`,
      { graceMs: 5000 },
    );
    await transport.close();
    expect(await transport.exited).toEqual({ code: 0, signal: null });
  });

  test('ends a server that ignores the end of its input with SIGTERM', async () => {
    const transport = spawnNode('setInterval(() => {}, 1000)');
    await transport.start(receiver());
    await transport.close();
    expect(await transport.exited).toEqual({ code: null, signal: 'SIGTERM' });
  });

  test('kills a server that ignores SIGTERM too', async () => {
    const transport = spawnNode(STUBBORN);
    const received = receiver();
    await transport.start(received);
    await eventually(() => expect(received.messages).toHaveLength(1));
    await transport.close();
    expect(await transport.exited).toEqual({ code: null, signal: 'SIGKILL' });
    expect(isRunning(transport.pid!)).toBe(false);
  });

  test('leaves no grandchild alive, not even one that ignores SIGTERM', async () => {
    const transport = spawnNode(
      `require('child_process').spawn(process.execPath, ['-e', ${JSON.stringify(STUBBORN)}], { stdio: ['ignore', 'inherit', 'inherit'] }); process.stdin.resume()`,
    );
    const received = receiver();
    await transport.start(received);
    await eventually(() => expect(received.messages).toHaveLength(1));
    const grandchild = received.messages[0] as number;
    expect(isRunning(grandchild)).toBe(true);
    await transport.close();
    expect(isRunning(grandchild)).toBe(false);
    expect(isRunning(transport.pid!)).toBe(false);
  });

  test('is not needed to end the grandchildren of a crashed server', async () => {
    const transport = spawnNode(
      `require('child_process').spawn(process.execPath, ['-e', ${JSON.stringify(STUBBORN)}], { stdio: ['ignore', 'inherit', 'inherit'] }); process.stdin.on('data', () => process.exit(1))`,
    );
    const received = receiver();
    await transport.start(received);
    await eventually(() => expect(received.messages).toHaveLength(1));
    const grandchild = received.messages[0] as number;
    await transport.send({ jsonrpc: '2.0', method: 'crash' });
    await eventually(() => expect(received.ends).toHaveLength(1));
    expect(received.ends[0]!.message).toContain('exited with code 1');
    await eventually(() => expect(isRunning(grandchild)).toBe(false));
  });
});

test('an onStderr that throws is reported on stderr, and the connection continues', async () => {
  const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const onStderr = (): never => {
    throw new Error('the reporter is broken');
  };
  const transport = spawnNode(
    `process.stderr.write('one\\n', () => process.stdout.write('{"a":1}\\n')); process.stdin.resume();`,
    { onStderr },
  );
  const received = receiver();
  await transport.start(received);
  await vi.waitFor(() =>
    expect([received.messages, String(stderr.mock.calls[0]?.[0])]).toEqual([
      [{ a: 1 }],
      expect.stringContaining('the reporter is broken'),
    ]),
  );
  stderr.mockRestore();
});
