import { fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { agentMain, temporaryFolder } from '../support/service.ts';
import { ApiClient } from '../support/client.ts';

const here = (file: string): string => join(import.meta.dirname, file);

/** The main thread's longest computation without a pause and the peak of resident memory since the last reset. */
export interface Measured {
  readonly longestMs: number;
  readonly peakMb: number;
}

/** One service beside a calm server, a hostile one over stdio, a hostile one at an address, and a model that may be hostile. */
export interface World {
  readonly api: ApiClient;
  readonly url: string;
  /** Names what the hostile servers do from now on; '' makes them ordinary. */
  arm(name: string): Promise<void>;
  measured(): Measured;
  /** Forgets the measures so far; resolves when the service has done so. */
  reset(): Promise<void>;
  /** The control: makes the service compute and hold memory for a while; resolves when that was measured. */
  disturb(disturbance: { readonly blockMs: number; readonly holdMb: number }): Promise<void>;
  /** How the service ended, or undefined while it lives. */
  ended(): string | undefined;
  close(): Promise<void>;
}

export interface WorldOptions {
  /** The control: the hostile servers may send messages of any size. Default false. */
  readonly acceptsEverything?: boolean;
}

export async function createWorld({
  acceptsEverything = false,
}: WorldOptions = {}): Promise<World> {
  const folder = await temporaryFolder();
  const armed = join(folder.path, 'armed');
  await writeFile(armed, '');
  const listener = spawn(process.execPath, [here('hostile-listener.ts'), armed], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [port] = (await once(listener.stdout, 'data')) as [Buffer];
  const address = `http://127.0.0.1:${port.toString().trim()}`;
  const signalbox = {
    approval: 'auto',
    sampling: 'auto',
    ...(acceptsEverything ? { maxMessageBytes: 256 * 2 ** 20 } : {}),
  };
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
      hostile: { command: 'node', args: [here('hostile-server.ts'), armed], signalbox },
      far: { type: 'http', url: `${address}/mcp`, signalbox },
    },
  };
  const file = join(folder.path, 'signalbox.json');
  await writeFile(file, JSON.stringify(config));
  const service = fork(agentMain, ['serve', '--config', file], {
    cwd: folder.path,
    env: {
      PATH: process.env['PATH'],
      HOME: folder.path,
      NODE_COMPILE_CACHE: join(tmpdir(), 'signalbox-compile-cache'),
    },
    execArgv: ['--import', pathToFileURL(here('probe.ts')).href],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let measured: Measured = { longestMs: 0, peakMb: 0 };
  service.on('message', (message) => {
    measured = message as Measured;
  });
  const said = lastLines(service);
  const url = await readyAt(service, said);
  return {
    api: new ApiClient(url),
    url,
    arm: (name) => writeFile(armed, name),
    measured: () => measured,
    async reset() {
      service.send('reset');
      // The next report but one is of the time after the reset.
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
        : `${service.signalCode ?? service.exitCode}: ${said()}`,
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

/** The end of what a process writes to stderr. */
function lastLines({ stderr }: ChildProcess): () => string {
  let text = '';
  stderr?.setEncoding('utf8').on('data', (more: string) => {
    text = (text + more).slice(-2000);
  });
  return () => text;
}

function readyAt(service: ChildProcess, said: () => string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    service.stdout?.setEncoding('utf8').on('data', (more: string) => {
      text += more;
      const found = /ready on (http:\S+)/.exec(text)?.[1];
      if (found !== undefined) resolve(found);
    });
    service.once('exit', (code, signal) =>
      reject(new Error(`the service ended with ${code ?? signal}: ${text}${said()}`)),
    );
  });
}
