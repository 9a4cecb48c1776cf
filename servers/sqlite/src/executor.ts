import { isMainThread, workerData } from 'node:worker_threads';
import type { OperationHandler } from './executor/operation.ts';
import { READ_OPERATIONS } from './executor/read-operations.ts';
import { startExecutor } from './executor/start-executor.ts';
import { watchProcess, type WatchdogOptions } from './executor/watchdog.ts';
import { WRITE_OPERATIONS } from './executor/write-operations.ts';

/** Entry of the query process; the same file, loaded as a worker thread, is its watchdog. */
if (isMainThread)
  await startExecutor(new URL(import.meta.url), ({ isWriter }) => {
    const operations = isWriter ? WRITE_OPERATIONS : READ_OPERATIONS;
    // The parent sends an operation with the input of its entry.
    return operations as { readonly [name: string]: OperationHandler<unknown, unknown> };
  });
else watchProcess(workerData as WatchdogOptions); // Set by startExecutor.
