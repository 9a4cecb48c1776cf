import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';

const PROGRAM = process.env['REDIS_SERVER'] ?? 'redis-server';

/** Whether the machine has a Redis. */
export const hasRedis: boolean = spawnSync(PROGRAM, ['--version']).status === 0;

/** A Redis of a test, without persistence. */
export interface RedisServer {
  readonly port: number;
  readonly url: string;
  readonly pid: number;
  /** Sends a command in one line, without a password. Resolves with the first line of the reply. */
  command(line: string): Promise<string>;
  /** Ends Redis at once. Its data are lost. */
  stop(): Promise<void>;
}

/** Starts a Redis on a free port, or on the port of a Redis that was stopped. Default: without a password. */
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
  await new Promise<void>((resolve, reject) => {
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (output.includes('Ready to accept connections')) resolve();
    });
    ended.then(() => reject(new Error(`redis-server ended: ${output}`)), reject);
  });
  return {
    port,
    url: `redis://${options.password === undefined ? '' : `:${options.password}@`}127.0.0.1:${port}`,
    pid: child.pid ?? 0,
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
