import { connectClient } from '@signalbox/mcp-core/client';
import { spawnStdio, type ChildTransport } from '@signalbox/mcp-core/stdio';
import type { ConnectServer } from './server-connection.ts';

/** Starts a server as a child process and speaks with it over stdin and stdout. */
export const connectStdioServer: ConnectServer = async (server, options) => {
  const { signal, onStderr, onLog } = options;
  let child: ChildTransport | undefined;
  const open = (): ChildTransport => {
    signal.throwIfAborted();
    child = spawnStdio({ command: server.command, args: server.args, env: server.env, ...(server.cwd === undefined ? {} : { cwd: server.cwd }), onStderr });
    return child;
  };
  const onAbort = (): void => void child?.close();
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
    const { pid, exited = Promise.resolve() } = child ?? {};
    return { client, pid, exited, close: () => client.close() };
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
};
