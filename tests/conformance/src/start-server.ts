import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export interface RunningServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts the server fixture, which prints its URL in its first line. Its stderr is passed on. */
export async function startServer(file: string): Promise<RunningServer> {
  const child = spawn(process.execPath, [file], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const lines = createInterface({ input: child.stdout });
  const first = await Promise.race([once(lines, 'line'), ended.then(() => undefined)]);
  if (first === undefined)
    throw new Error(
      `The server under test ended with code ${String(child.exitCode)} before it listened`,
    );
  return {
    url: String(first[0]),
    stop: async () => {
      child.stdin.end();
      await ended;
    },
  };
}
