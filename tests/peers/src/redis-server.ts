import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';

const PROGRAM = process.env['REDIS_SERVER'] ?? 'redis-server';

/** Whether the machine has a Redis. */
export const hasRedis: boolean = spawnSync(PROGRAM, ['--version']).status === 0;

/** Whether the Redis of the machine was built with TLS: otherwise the first of two wrong settings is that of TLS. */
export function hasRedisTls(): boolean {
  const { stderr } = spawnSync(PROGRAM, ['--tls-port', '0', '--no-such-setting', '0'], {
    encoding: 'utf8',
  });
  return stderr.includes('no-such-setting') && !stderr.includes('tls-port');
}

/** A Redis of a test, without persistence. */
export interface RedisServer {
  readonly port: number;
  readonly url: string;
  readonly pid: number;
  /** Sends a command in one line, without password and TLS. Resolves with the first line of the reply. */
  command(line: string): Promise<string>;
  /** Ends Redis at once. Its data are lost. */
  stop(): Promise<void>;
}

export interface RedisServerOptions {
  /** Port of a Redis that was stopped. Default: a free one. */
  readonly port?: number;
  /** Default: none. */
  readonly password?: string;
  /** Certificate and key in PEM: Redis accepts TLS only. Default: none, without TLS. */
  readonly tls?: { readonly cert: string; readonly key: string };
}

/** Starts a Redis on 127.0.0.1. Rejects with its output when it does not start. */
export async function startRedis(options: RedisServerOptions = {}): Promise<RedisServer> {
  const { password, tls } = options;
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-redis-'));
  const port = options.port ?? (await freePort());
  const certificate = join(folder, 'certificate.pem');
  if (tls !== undefined) await writeFile(certificate, tls.cert + tls.key);
  const settings = {
    ...(tls === undefined
      ? { port: String(port) }
      : {
          port: '0',
          'tls-port': String(port),
          'tls-cert-file': certificate,
          'tls-key-file': certificate,
          'tls-auth-clients': 'no',
        }),
    bind: '127.0.0.1',
    save: '',
    dir: folder,
    appendonly: 'no',
    ...(password === undefined ? {} : { requirepass: password }),
  };
  const child = spawn(
    PROGRAM,
    Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]),
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
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
    url: `${tls === undefined ? 'redis' : 'rediss'}://${password === undefined ? '' : `:${password}@`}127.0.0.1:${port}`,
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
