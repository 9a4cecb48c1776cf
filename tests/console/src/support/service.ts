import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(
  new URL('bin.js', import.meta.resolve('@signalbox/agent/package.json')),
);
/** File of the server `show`. */
export const SHOW_SERVER = join(import.meta.dirname, 'show-server.ts');
/** File of the server `ask`. */
export const ASK_SERVER = join(import.meta.dirname, 'ask-server.ts');

/** A service as a process of its own. */
export interface Service {
  readonly url: string;
  /** Ends the process with the signal, SIGTERM by default, and keeps its data. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Starts the service again on the same port after `kill`. */
  restart(): Promise<void>;
  /** Ends the process and deletes its data. */
  stop(): Promise<void>;
}

export interface ServiceOptions {
  /** Further environment variables, such as SIGNALBOX_TOKEN. */
  readonly env?: { readonly [name: string]: string };
  /** Further fields of signalbox.json. Default: the servers `show`, `ask` and `lost`. */
  readonly config?: object;
  /** Whether the service has the demo servers Default: true. */
  readonly isDemo?: boolean;
}

/** Starts the built service on a free port of 127.0.0.1. */
export async function startService({
  env = {},
  config = {},
  isDemo = true,
}: ServiceOptions = {}): Promise<Service> {
  const folder = await mkdtemp(join(process.env['TEST_DATABASES'] ?? tmpdir(), 'console-'));
  const file = join(folder, 'signalbox.json');
  await writeFile(
    file,
    JSON.stringify({
      data_dir: join(folder, 'data'),
      mcpServers: {
        show: { command: 'node', args: [SHOW_SERVER], signalbox: { trust: true } },
        ask: { command: 'node', args: [ASK_SERVER], signalbox: { approval: 'auto' } },
        lost: { command: 'node', args: [ASK_SERVER], signalbox: { approval: 'auto' } },
      },
      ...config,
    }),
  );
  const start = async (port: number) => {
    const child = spawn(
      process.execPath,
      [PROGRAM, 'serve', ...(isDemo ? ['--demo'] : []), '--config', file, '--port', String(port)],
      {
        cwd: folder,
        env: { PATH: process.env['PATH'], HOME: folder, TMPDIR: process.env['TMPDIR'], ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    const exited = once(child, 'exit');
    const url = await new Promise<string>((resolve, reject) => {
      let output = '';
      const add = (text: string): void => {
        output += text;
        const found = /ready on (http:\/\/\S+)/.exec(output)?.[1];
        if (found !== undefined) resolve(found);
      };
      child.stdout.setEncoding('utf8').on('data', add);
      child.stderr.setEncoding('utf8').on('data', add);
      void exited.then(() => reject(new Error(`the service ended: ${output}`)));
    });
    return { child, exited, url };
  };
  let running = await start(0);
  const { url } = running;
  const kill = async (signal: NodeJS.Signals = 'SIGTERM'): Promise<void> => {
    running.child.kill(signal);
    await running.exited;
  };
  return {
    url,
    kill,
    async restart() {
      running = await start(Number(new URL(url).port));
    },
    async stop() {
      if (running.child.exitCode === null && running.child.signalCode === null) await kill();
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}
