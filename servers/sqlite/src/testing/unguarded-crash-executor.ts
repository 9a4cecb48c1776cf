import { isMainThread, workerData } from 'node:worker_threads';
import { startExecutor } from '../executor/start-executor.ts';
import { watchProcess, type WatchdogOptions } from '../executor/watchdog.ts';
import { crashHandlers } from './crash-handlers.ts';

/** The control of the crash test: a writing process without a journal. */
if (isMainThread)
  await startExecutor(new URL(import.meta.url), () =>
    crashHandlers((database) => {
      database.unsafeMode(true);
      database.pragma('journal_mode = OFF');
    }),
  );
else watchProcess(workerData as WatchdogOptions); // Set by startExecutor.
