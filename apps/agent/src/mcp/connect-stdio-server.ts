import { connectClient } from '@signalbox/mcp-core/client';
import { spawnStdio, type ChildTransport } from '@signalbox/mcp-core/stdio';
import type { ServerConfig } from '../config/config.ts';
import type { Reaper } from './reaper.ts';
import type { ConnectOptions, ServerConnection } from './server-connection.ts';

/** Starts a server as a child process and speaks with it over stdin and stdout; the reaper knows its process group as long as it may live. */
export async function connectStdioServer(server: ServerConfig, options: ConnectOptions, reaper: Reaper): Promise<ServerConnection> {
  const { signal, onLog } = options;
  const children: ChildTransport[] = [];
  const open = (): ChildTransport => {
    signal.throwIfAborted();
    const child = launch(server, options);
    children.push(child);
    if (child.pid !== undefined) reaper.add(child.pid);
    return child;
  };
  const forget = (): void => {
    for (const { pid } of children) if (pid !== undefined) reaper.remove(pid);
  };
  const onAbort = (): void => void children.at(-1)?.close();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    const client = await connectClient(open, {
      info: options.info,
      handlers: options.handlers,
      era: server.era,
      onToolsChanged: options.onToolsChanged,
      onClosed: options.onClosed,
      onLog: ({ level, logger, data }) => onLog(`${level} ${logger ?? 'log'}: ${typeof data === 'string' ? data : JSON.stringify(data)}`),
      onProblem: (problem) => onLog(problem.message),
    });
    const { pid, exited = Promise.resolve() } = children.at(-1) ?? {};
    return { client, pid, exited, close: () => client.close().then(forget) };
  } catch (error) {
    forget();
    throw error;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

function launch({ command, args, env, cwd }: ServerConfig, { onStderr }: ConnectOptions): ChildTransport {
  return spawnStdio({ command, args, env, ...(cwd === undefined ? {} : { cwd }), onStderr });
}
