import { fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { agentMain, temporaryFolder } from '../support/service.ts';
import { compileCache } from '../support/compile-cache.ts';
import { ApiClient } from '../support/client.ts';

const here = (file: string): string => join(import.meta.dirname, file);

/** Measurements of the service since the last reset. */
export interface Measured {
  /** Longest computation of the main thread without a pause, in CPU time. */
  readonly longestMs: number;
  /** Peak of the resident memory. */
  readonly peakMb: number;
  /** CPU time that the main thread needed for a fixed piece of work at the reset; it grows with the load of the machine. */
  readonly yardstickMs: number;
}

/**
 * A service with a calm server, a hostile server over stdio, a hostile server over HTTP, and a model that may be hostile. The control has both hostile servers a second time,
 * with the highest size limit of messages.
 */
export interface World {
  readonly api: ApiClient;
  readonly url: string;
  /** Sets the behavior of the hostile servers from now on; '' makes them ordinary. */
  arm(name: string): Promise<void>;
  measured(): Measured;
  /** Starts new measurements; resolves when the service has started them. */
  reset(): Promise<void>;
  /** The control: makes the service compute and hold memory for a while; resolves when this was measured. */
  disturb(disturbance: { readonly blockMs: number; readonly holdMb: number }): Promise<void>;
  /** Returns how the service ended; undefined while it lives. */
  ended(): string | undefined;
  close(): Promise<void>;
}

export async function createWorld(): Promise<World> {
  const folder = await temporaryFolder();
  const armed = join(folder.path, 'armed');
  await writeFile(armed, '');
  const listener = spawn(process.execPath, [here('hostile-listener.ts'), armed], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [port] = (await once(listener.stdout, 'data')) as [Buffer];
  const address = `http://127.0.0.1:${port.toString().trim()}`;
  const signalbox = { approval: 'auto', sampling: 'auto' };
  const unguarded = { ...signalbox, maxMessageBytes: 256 * 2 ** 20 };
  const overStdio = { command: 'node', args: [here('hostile-server.ts'), armed] };
  const overHttp = { type: 'http', url: `${address}/mcp` };
  const config = {
    port: 0,
    data_dir: join(folder.path, 'data'),
    log_level: 'warn',
    llm: { provider: 'openai', model: 'm', base_url: `${address}/v1`, wire: 'chat' },
    mcpServers: {
      calm: {
        command: 'node',
        args: [here('calm-server.ts')],
        signalbox: { ...signalbox, trust: true },
      },
      hostile: { ...overStdio, signalbox },
      far: { ...overHttp, signalbox },
      unguarded: { ...overStdio, signalbox: unguarded },
      'unguarded-far': { ...overHttp, signalbox: unguarded },
    },
  };
  const file = join(folder.path, 'signalbox.json');
  await writeFile(file, JSON.stringify(config));
  const service = fork(agentMain, ['serve', '--config', file], {
    cwd: folder.path,
    env: {
      PATH: process.env['PATH'],
      HOME: folder.path,
      ...compileCache,
    },
    execArgv: ['--import', pathToFileURL(here('probe.ts')).href],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let measured: Measured = { longestMs: 0, peakMb: 0, yardstickMs: 0 };
  service.on('message', (message) => {
    measured = message as Measured;
  });
  const stderrTail = keepStderr(service);
  const url = await readyAt(service, stderrTail);
  return {
    api: new ApiClient(url),
    url,
    arm: (name) => writeFile(armed, name),
    measured: () => measured,
    async reset() {
      service.send('reset');
      // The first report may have been sent before the reset.
      await once(service, 'message');
      await once(service, 'message');
    },
    async disturb(disturbance) {
      service.send(disturbance);
      await once(service, 'message');
      await once(service, 'message');
    },
    ended: () =>
      service.exitCode === null && service.signalCode === null
        ? undefined
        : `${service.signalCode ?? service.exitCode}: ${stderrTail()}`,
    async close() {
      listener.kill();
      if (service.exitCode === null && service.signalCode === null) {
        const gone = once(service, 'exit');
        service.kill('SIGTERM');
        const limit = setTimeout(() => service.kill('SIGKILL'), 10_000);
        await gone;
        clearTimeout(limit);
      }
      await folder.remove();
    },
  };
}

/** Keeps the last 2000 characters that a process writes to stderr. */
function keepStderr({ stderr }: ChildProcess): () => string {
  let text = '';
  stderr?.setEncoding('utf8').on('data', (more: string) => {
    text = (text + more).slice(-2000);
  });
  return () => text;
}

function readyAt(service: ChildProcess, stderrTail: () => string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    service.stdout?.setEncoding('utf8').on('data', (more: string) => {
      text += more;
      const found = /ready on (http:\S+)/.exec(text)?.[1];
      if (found !== undefined) resolve(found);
    });
    service.once('exit', (code, signal) =>
      reject(new Error(`the service ended with ${code ?? signal}: ${text}${stderrTail()}`)),
    );
  });
}
