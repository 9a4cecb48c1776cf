import { connect, createServer as createNetServer, type AddressInfo, type Socket } from 'node:net';
import { PassThrough, type Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { httpTransport } from '../../http/client/index.ts';
import { serveHttp } from '../../http/server/index.ts';
import { StreamTransport } from '../../jsonrpc/stream-transport.ts';
import type { Transport } from '../../jsonrpc/transport.ts';
import type { Server, ServerConnection, ServerListener } from '../../server/server.ts';
import { serveStdio, spawnStdio } from '../../stdio/index.ts';
import { createInMemoryTransports } from '../in-memory-transport.ts';
import type { ServedTransport, StalledTransport } from './transport-bench.contract.ts';
import { transportContract } from './transport.contract.ts';

function serveInMemory(
  server: Server,
  change: (near: Transport) => Transport = (near) => near,
): ServedTransport {
  const connections: ServerConnection[] = [];
  return {
    open: async () => {
      const [near, far] = createInMemoryTransports();
      connections.push(await server.connect(far));
      return change(near);
    },
    close: async () => {
      await Promise.all(connections.map((connection) => connection.close()));
    },
  };
}

async function serveOverHttp(server: Server): Promise<ServedTransport> {
  const listener = await serveHttp(server, { limits: { drainMs: 10 } });
  return {
    open: () => httpTransport({ url: listener.url }),
    close: () => listener.close(),
  };
}

/** A child process whose standard streams are those of the server in this process. */
const RELAY = `const s = require('node:net').connect(Number(process.argv[1]), '127.0.0.1');
process.stdin.pipe(s).pipe(process.stdout)`;

async function endAfter(serving: Promise<ServerListener>, socket: Socket): Promise<void> {
  await (
    await serving
  ).closed;
  socket.end();
}

interface ServedOnPort extends ServedTransport {
  readonly port: number;
}

async function serveOverStdio(
  server: Server,
  outputTo: (socket: Socket) => Writable = (socket) => socket,
): Promise<ServedOnPort> {
  const closers: (() => Promise<void>)[] = [];
  const listener = createNetServer({ allowHalfOpen: true }, (socket) => {
    const serving = serveStdio(server, { input: socket, output: outputTo(socket) });
    closers.push(async () => (await serving).close());
    void endAfter(serving, socket);
  });
  await new Promise<void>((resolve) => {
    listener.listen(0, '127.0.0.1', resolve);
  });
  const { port } = listener.address() as AddressInfo;
  return {
    port,
    open: () => spawnStdio({ command: process.execPath, args: ['-e', RELAY, String(port)] }),
    close: async () => {
      await Promise.all(closers.map((close) => close()));
      listener.close();
    },
  };
}

describe.each([
  ['in memory', serveInMemory],
  ['over stdio', serveOverStdio],
  ['over HTTP', serveOverHttp],
])('a transport %s', (_where, serve) => {
  test.each(transportContract((server) => serve(server)))('$name', async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });
});

/** A client's side of stdio over a socket that nobody reads yet. */
function openStalled({ port }: ServedOnPort): StalledTransport {
  const socket = connect(port, '127.0.0.1');
  const input = new PassThrough();
  const transport = new StreamTransport({ input, output: socket, maxLineBytes: 1024 * 1024 });
  return {
    transport: {
      start: (receiver) => transport.start(receiver),
      send: (message) => transport.send(message),
      close: async () => {
        await transport.close();
        socket.destroy();
      },
    },
    resume: () => socket.pipe(input),
  };
}

/** Checks of backpressure: the last two. */
const STALLED = 2;

describe('a transport over stdio whose peer does not read', () => {
  const checks = transportContract((server) => serveOverStdio(server), { openStalled }).slice(
    -STALLED,
  );

  test.each(checks)('$name', async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });

  test('has no checks without openStalled', () => {
    const names = transportContract((server) => serveOverStdio(server)).map(({ name }) => name);
    expect(checks.every(({ name }) => !names.includes(name))).toBe(true);
  });

  test.each(checks.map(({ name }, index) => [name, index] as const))(
    'fails "%s" when the server buffers everything',
    async (_name, index) => {
      const unbounded = (socket: Socket): Writable => {
        const buffer = new PassThrough({ highWaterMark: Number.MAX_SAFE_INTEGER });
        buffer.pipe(socket);
        return buffer;
      };
      const control = transportContract((server) => serveOverStdio(server, unbounded), {
        openStalled,
      });
      await expect(control.slice(-STALLED)[index]?.run()).rejects.toThrow(
        /^(?:send makes its callers wait|the server stops reading)/u,
      );
    },
  );
});

/** Transports that violate the contract, made from one that keeps it, and a check that each fails. */
const violations: readonly (readonly [
  check: string,
  problem: string,
  change: (near: Transport) => Transport,
])[] = [
  [
    'a close is reported once, after all messages, and later messages are refused',
    'send after close throws or rejects',
    (near) => ({
      start: (receiver) => near.start(receiver),
      close: () => near.close(),
      send: async (message) => {
        await near.send(message)?.catch(() => undefined);
      },
    }),
  ],
  [
    'the end of the connection by the server is reported once',
    '`closed` is called once',
    (near) => ({
      start: (receiver) =>
        near.start({
          message: (value) => receiver.message(value),
          unreadable: (problem) => receiver.unreadable(problem),
          closed: () => {
            receiver.closed();
            receiver.closed();
          },
        }),
      close: () => near.close(),
      send: (message) => near.send(message),
    }),
  ],
  [
    'a message is serialized before send returns',
    'the message that was passed to send arrives',
    (near) => ({
      start: (receiver) => near.start(receiver),
      close: () => near.close(),
      send: async (message) => {
        await Promise.resolve();
        await near.send(message);
      },
    }),
  ],
  [
    'modern: calls at the same time get their own results, in order where they share a stream',
    'the calls arrive in the order of send',
    (near) => {
      let count = 0;
      return {
        start: (receiver) => near.start(receiver),
        close: () => near.close(),
        send: async (message) => {
          count += 1;
          const later = structuredClone(message);
          if (count % 2 === 0) await new Promise(setImmediate);
          await near.send(later);
        },
      };
    },
  ],
];

test.each(violations)(
  'the check "%s" fails for a transport that violates it',
  async (name, problem, change) => {
    const checks = transportContract((server) => serveInMemory(server, change));
    await expect(checks.find((check) => check.name === name)?.run()).rejects.toThrow(problem);
  },
);
