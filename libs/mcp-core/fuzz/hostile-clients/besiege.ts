import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Behavior } from './behaviors.ts';
import type { ServerLimits } from './memory-bound.ts';
import { RawClient } from './raw-client.ts';

const CLIENTS_AT_ONCE = 200;
/** Longest wait for a client, in milliseconds: a server may leave it without a response. */
const CLIENT_MS = 5000;
const SERVER = fileURLToPath(new URL('server-process.ts', import.meta.url));

/** Returns the bytes that a server in a process of its own holds while all clients are there. */
export async function besiege(
  behaviors: readonly Behavior[],
  count: number,
  limits: ServerLimits,
): Promise<number> {
  const child = fork(SERVER, [JSON.stringify(limits)], {
    execArgv: ['--conditions=@signalbox/source', '--max-old-space-size=8192'],
  });
  try {
    const { port } = await answerOf<{ readonly port: number }>(child);
    const clients: RawClient[] = [];
    while (clients.length < count) {
      const more = Math.min(CLIENTS_AT_ONCE, count - clients.length);
      const acting = Array.from({ length: more }, () => {
        const client = new RawClient(port);
        const behavior = behaviors[clients.push(client) % behaviors.length];
        return within(behavior?.(client));
      });
      await Promise.all(acting);
    }
    child.send('memory');
    const { bytes } = await answerOf<{ readonly bytes: number }>(child);
    for (const client of clients) client.leave();
    return bytes;
  } finally {
    child.kill();
  }
}

async function answerOf<T>(child: ChildProcess): Promise<T> {
  const [answer] = (await once(child, 'message')) as [T];
  return answer;
}

async function within(work: Promise<void> | undefined): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, CLIENT_MS);
  });
  await Promise.race([work, limit]);
  clearTimeout(timer);
}
