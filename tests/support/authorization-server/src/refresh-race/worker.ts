import { createClientAuthorization } from '@signalbox/mcp-core/auth';
import { connectClient, type Client } from '@signalbox/mcp-core/client';
import { httpTransport } from '@signalbox/mcp-core/http/client';
import { SqliteTokenStore } from './sqlite-token-store.ts';

/** Arguments of a worker. */
export interface WorkerSettings {
  readonly url: string;
  readonly file: string;
  readonly redirectUri: string;
  readonly isLocking: boolean;
}

/** A message to a worker: makes calls at once, at a time in milliseconds after the real one. */
export interface CallsCommand {
  readonly calls: number;
  readonly clockOffsetMs: number;
}

/** Calls a tool of the protected server when its parent says so, and reports failures. */
async function main({ url, file, redirectUri, isLocking }: WorkerSettings): Promise<void> {
  const realNow = Date.now.bind(Date);
  let offsetMs = 0;
  Date.now = () => realNow() + offsetMs;
  // No result depends on the speed of the machine: requests wait for renewals as long as it takes.
  const realSetTimeout = setTimeout;
  const slowly = (work: () => void, durationMs = 0) =>
    realSetTimeout(work, Math.min(durationMs * 30, 2 ** 31 - 1));
  Object.assign(globalThis, { setTimeout: slowly });
  const store = new SqliteTokenStore(file, isLocking);
  const authorization = createClientAuthorization({ store, user: { redirectUri } });
  const client = await connectClient(() => httpTransport({ url, authorization }), {
    info: { name: 'worker', version: '1' },
  });
  process.on('message', ({ calls, clockOffsetMs }: CallsCommand) => {
    offsetMs = clockOffsetMs;
    void callAtOnce(client, calls).then((failures) => process.send?.(failures));
  });
  process.once('disconnect', () => process.exit());
  process.send?.([]);
}

/** Returns the messages of the calls that failed. */
async function callAtOnce(client: Client, calls: number): Promise<readonly string[]> {
  const all = Array.from({ length: calls }, () => client.callTool('echo', { text: 'a' }));
  const results = await Promise.allSettled(all);
  return results.flatMap((result) =>
    result.status === 'rejected' ? [messagesOf(result.reason)] : [],
  );
}

function messagesOf(error: unknown): string {
  const { message, cause } = error as Error;
  return cause === undefined ? message : `${message}: ${messagesOf(cause)}`;
}

await main(JSON.parse(String(process.argv[2])) as WorkerSettings);
