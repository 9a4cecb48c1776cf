import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PROGRAM = process.env['REDIS_SERVER'] ?? 'redis-server';

/** Whether the machine has a Redis. */
export const hasRedis: boolean = spawnSync(PROGRAM, ['--version']).status === 0;

/** A Redis of a test, without persistence. */
export interface RedisServer {
  readonly port: number;
  readonly url: string;
  /** Sends a command in one line. Resolves with the first line of the reply. */
  command(line: string): Promise<string>;
  /** Ends Redis by a signal; default SIGKILL. Its data are lost. */
  stop(): Promise<void>;
}

/** Starts a Redis on a free port, or on the port of one that was stopped. */
export async function startRedis(options: { readonly port?: number } = {}): Promise<RedisServer> {
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-redis-'));
  const port = options.port ?? (await freePort());
  const settings = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', folder];
  const child = spawn(PROGRAM, [...settings, '--appendonly', 'no'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  let output = '';
  const ready = Promise.withResolvers<void>();
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    if (output.includes('Ready to accept connections')) ready.resolve();
  });
  ended.then(
    () => ready.reject(new Error(`redis-server ended: ${output}`)),
    (error: unknown) => ready.reject(error),
  );
  await ready.promise;
  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    async command(line) {
      const socket = connect(port, '127.0.0.1');
      socket.write(`${line}\r\n`);
      const [reply] = (await once(socket, 'data')) as [Buffer];
      socket.destroy();
      return reply.toString().split('\r\n')[0] ?? '';
    },
    async stop() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
