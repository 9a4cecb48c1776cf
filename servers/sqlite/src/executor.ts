import { Worker, isMainThread, workerData } from 'node:worker_threads';
import type { ExecutorConfiguration, ExecutorRequest } from './executor/protocol.ts';
import { serveRequests } from './executor/serve-requests.ts';
import { watchProcess, type WatchdogOptions } from './executor/watchdog.ts';

/** Entry of the query process; the same file, loaded as a worker thread, is its watchdog. */
if (isMainThread) await startExecutor();
else watchProcess(workerData as WatchdogOptions); // Set by startExecutor below.

async function startExecutor(): Promise<void> {
  // The server that forked this process wrote the configuration.
  const configuration = JSON.parse(process.argv[2] ?? '') as ExecutorConfiguration;
  const activity = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  const { parentPid, maxMemoryMb, timeoutMs } = configuration;
  const options: WatchdogOptions = {
    activity,
    parentPid,
    maxMemoryMb,
    maxBusyMs: timeoutMs + 2000,
  };
  const watchdog = new Worker(new URL(import.meta.url), {
    workerData: options,
    resourceLimits: { maxOldGenerationSizeMb: 16 },
  });
  watchdog.once('exit', () => process.exit(1));
  process.once('disconnect', () => process.exit(0));
  await serveRequests(
    configuration,
    {
      onRequest: (listener) => {
        process.on('message', (message) => {
          listener(message as ExecutorRequest); // Only the parent can write to this channel.
        });
      },
      send: (reply) => process.send?.(reply),
    },
    new Int32Array(activity),
  );
}
