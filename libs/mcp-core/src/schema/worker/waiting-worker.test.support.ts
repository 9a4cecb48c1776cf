import { spawnSync } from 'node:child_process';
import { parentPort } from 'node:worker_threads';

/** A thread that waits for a process in each job: it uses no processor time and reports none meanwhile. */
parentPort?.on('message', (job: string) => {
  spawnSync(process.execPath, ['-e', 'setTimeout(() => undefined, 700)']);
  parentPort?.postMessage(job.length);
});
parentPort?.postMessage('ready');
