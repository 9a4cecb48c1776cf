import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Starts the counting server as a separate process, over HTTP. */
export async function startCountingServer(): Promise<{
  readonly url: string;
  stop(): Promise<void>;
}> {
  const child = spawn(
    process.execPath,
    [fileURLToPath(new URL('counting-server.ts', import.meta.url)), '--http'],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const exited = once(child, 'exit');
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const found = /listening on (\S+)/.exec(text)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.once('exit', (code) => reject(new Error(`the counting server ended with ${code}`)));
  });
  return {
    url,
    async stop() {
      child.kill();
      await exited;
    },
  };
}
