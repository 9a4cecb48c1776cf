import { isMainThread, workerData } from 'node:worker_threads';
import { startExecutor } from '../executor/start-executor.ts';
import { watchProcess, type WatchdogOptions } from '../executor/watchdog.ts';
import { crashHandlers } from './crash-handlers.ts';

/** A writing process with a page cache so small that it writes to the file during a transaction. */
if (isMainThread) await startExecutor(new URL(import.meta.url), () => crashHandlers());
else watchProcess(workerData as WatchdogOptions); // Set by startExecutor.
