import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** PostgreSQL and Redis in a network namespace of their own. */
export interface Engines {
  /** Process whose network containers share to reach the engines. */
  readonly pid: number;
  /** `DATABASE_URL` and `REDIS_URL`. */
  readonly env: { readonly [name: string]: string };
  close(): Promise<void>;
}

/** Starts both engines. Resolves with undefined where one of them is not installed. */
export async function startEngines(): Promise<Engines | undefined> {
  const main = join(import.meta.dirname, 'engines-main.ts');
  const child = spawn('unshare', ['--net', process.execPath, main], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const lines = createInterface({ input: child.stdout });
  const [line] = (await Promise.race([once(lines, 'line'), ended.then(() => ['null'])])) as [
    string,
  ];
  const env = JSON.parse(line) as Engines['env'] | null;
  if (env === null || child.pid === undefined) return undefined;
  return {
    pid: child.pid,
    env,
    async close() {
      child.stdin.end();
      await ended;
    },
  };
}
