import { connectClient, type MessageBudget } from '@signalbox/mcp-core/client';
import { spawnStdio, type ChildTransport } from '@signalbox/mcp-core/stdio';
import type { StdioServerConfig } from '../config/config.ts';
import { endMarked, MARK_VARIABLE } from './marked-processes.ts';
import type { Reaper } from './reaper.ts';
import { clientOptions, type ConnectOptions, type ServerConnection } from './server-connection.ts';

export interface StdioDependencies {
  /** Reaper that ends the server's process group if this process dies. */
  readonly reaper: Reaper;
  /** Milliseconds between the end of the server's input, SIGTERM and SIGKILL. */
  readonly graceMs: number;
  /** Shared budget for the messages of all servers. */
  readonly messageBudget?: MessageBudget;
}

/** Starts a server as a child process and connects over stdin and stdout. */
export async function connectStdioServer(
  server: StdioServerConfig,
  options: ConnectOptions,
  { reaper, graceMs, messageBudget }: StdioDependencies,
): Promise<ServerConnection> {
  const { signal } = options;
  const mark = reaper.mark();
  let child: ChildTransport | undefined;
  const forget = (): void => {
    if (child?.pid !== undefined) reaper.remove(child.pid);
  };
  const endRest = async (): Promise<void> => {
    // The group has ended; processes that left the group may still run.
    await endMarked((each) => each === mark, graceMs).catch((error: unknown) =>
      options.onLog(
        `processes that the server left running could not be searched for: ${String(error)}`,
      ),
    );
    forget();
  };
  const open = (): ChildTransport => {
    signal.throwIfAborted();
    // A second process is started only after the first has ended.
    forget();
    child = launch(server, options, { mark, graceMs, messageBudget });
    if (child.pid !== undefined) reaper.add(child.pid);
    return child;
  };
  const onAbort = (): void => void child?.close();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    const client = await connectClient(open, clientOptions(server, options));
    return {
      client,
      pid: child?.pid,
      exited: child?.exited ?? Promise.resolve(),
      close: () => client.close().then(endRest),
    };
  } catch (error) {
    await endRest();
    throw error;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

interface Launch {
  readonly mark: string;
  readonly graceMs: number;
  readonly messageBudget: MessageBudget | undefined;
}

function launch(
  { command, args, env, cwd, maxMessageBytes }: StdioServerConfig,
  { onStderr }: ConnectOptions,
  { mark, graceMs, messageBudget }: Launch,
): ChildTransport {
  return spawnStdio({
    command,
    args,
    env: { ...env, [MARK_VARIABLE]: mark },
    ...(cwd === undefined ? {} : { cwd }),
    ...(maxMessageBytes === undefined ? {} : { maxMessageBytes }),
    ...(messageBudget === undefined ? {} : { messageBudget }),
    onStderr,
    graceMs,
  });
}
