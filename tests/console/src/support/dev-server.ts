import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const CONSOLE = join(import.meta.dirname, '..', '..', '..', '..', 'apps', 'console');

/** A development server of the console, as a process of its own. */
export interface DevServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts what `npm run dev` of the console runs, on a free port, for the service at the address. */
export async function startDevServer(service: string): Promise<DevServer> {
  const { scripts } = JSON.parse(readFileSync(join(CONSOLE, 'package.json'), 'utf8')) as {
    readonly scripts: { readonly dev: string };
  };
  const [program = '', ...args] = scripts.dev.split(' ');
  const manifest = createRequire(join(CONSOLE, 'package.json')).resolve(`${program}/package.json`);
  const { bin } = JSON.parse(readFileSync(manifest, 'utf8')) as {
    readonly bin: { readonly [name: string]: string };
  };
  const file = join(dirname(manifest), bin[program] ?? '');
  const child = spawn(process.execPath, [file, ...args, '--port', '0', '--host', '127.0.0.1'], {
    cwd: CONSOLE,
    env: { ...process.env, SIGNALBOX_URL: service, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit');
  const url = await new Promise<string>((resolve, reject) => {
    let output = '';
    const add = (text: string): void => {
      output += text;
      const found = /Local: +(http:\/\/127\.0\.0\.1:\d+)\//.exec(output)?.[1];
      if (found !== undefined) resolve(found);
    };
    child.stdout.setEncoding('utf8').on('data', add);
    child.stderr.setEncoding('utf8').on('data', add);
    void exited.then(() => reject(new Error(`the development server ended: ${output}`)));
  });
  return {
    url,
    async stop() {
      child.kill();
      await exited;
    },
  };
}
