import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PROGRAM = process.env['REDIS_SERVER'] ?? 'redis-server';

/** Whether the machine has a Redis. */
export const hasRedis: boolean = spawnSync(PROGRAM, ['--version']).status === 0;

/** A Redis of a test, without persistence. */
export interface RedisServer {
  readonly port: number;
  readonly url: string;
  readonly pid: number;
  /** Ends Redis by a signal; default SIGKILL. Its data are lost. */
  stop(): Promise<void>;
}

/** Starts a Redis on a free port, or on the port of one that was stopped. */
export async function startRedis(
  options: { readonly port?: number; readonly password?: string } = {},
): Promise<RedisServer> {
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-redis-'));
  const port = options.port ?? (await freePort());
  const settings = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', folder];
  const password = options.password === undefined ? [] : ['--requirepass', options.password];
  const child = spawn(PROGRAM, [...settings, '--appendonly', 'no', ...password], {
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
    url: `redis://${options.password === undefined ? '' : `:${options.password}@`}127.0.0.1:${port}`,
    pid: child.pid ?? 0,
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
