import { Worker } from 'node:worker_threads';
import { openExecutorChannel } from './executor-channel.ts';
import { CHANNEL_DESCRIPTOR, type ExecutorConfiguration } from './messages.ts';
import { serveRequests, type Handlers } from './serve-requests.ts';
import type { WatchdogOptions } from './watchdog.ts';

/**
 * Starts the work of a query process. `watchdog` is the program of the thread that watches it;
 * `handlersOf` returns the operations of a process with this configuration.
 */
export async function startExecutor(
  watchdog: URL,
  handlersOf: (configuration: ExecutorConfiguration) => Handlers,
): Promise<void> {
  // The server that forked this process wrote the configuration.
  const configuration = JSON.parse(process.argv[2] ?? '') as ExecutorConfiguration;
  const activity = new SharedArrayBuffer(3 * Int32Array.BYTES_PER_ELEMENT);
  const { parentPid, maxMemoryMb, timeoutMs } = configuration;
  const options: WatchdogOptions = {
    activity,
    parentPid,
    maxMemoryMb,
    maxBusyMs: timeoutMs + 2000,
  };
  const startWatchdog = (): void => {
    const thread = new Worker(watchdog, {
      workerData: options,
      resourceLimits: { maxOldGenerationSizeMb: 16 },
    });
    thread.once('exit', () => process.exit(1));
  };
  if (!configuration.isSpare) startWatchdog();
  await serveRequests(
    {
      configuration,
      handlers: handlersOf(configuration),
      activity: new Int32Array(activity),
      ...(configuration.isSpare ? { onFirstRequest: startWatchdog } : {}),
    },
    openExecutorChannel(CHANNEL_DESCRIPTOR),
  );
  process.exit(0);
}
