import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** An attacker in its own thread, for tests. */
export interface Swapper extends AsyncDisposable {
  /** Ends the thread; resolves with the number of swaps. */
  stop(): Promise<number>;
}

/** Swaps `root/d` between the real directory and the link `root/link` until `stop` is called. */
export async function startSwapper(root: string): Promise<Swapper> {
  const stop = new SharedArrayBuffer(4);
  const worker = new Worker(swapperSource, { eval: true, workerData: { root, stop } });
  const next = async () => {
    const [message] = (await once(worker, 'message')) as [unknown];
    return message;
  };
  await next();
  return {
    async stop() {
      const swaps = next();
      Atomics.store(new Int32Array(stop), 0, 1);
      return Number(await swaps);
    },
    async [Symbol.asyncDispose]() {
      await worker.terminate();
    },
  };
}

const swapperSource = `
  const { renameSync, rmSync } = require('node:fs');
  const { parentPort, workerData } = require('node:worker_threads');
  const { root, stop } = workerData;
  const stopped = new Int32Array(stop);
  parentPort.postMessage('running');
  // A write with createParents may have put a directory where the name was free for a moment.
  const move = (from, to) => {
    for (;;) {
      try {
        return renameSync(root + from, root + to);
      } catch (error) {
        if (!['EISDIR', 'ENOTEMPTY', 'EEXIST'].includes(error.code)) throw error;
        try {
          rmSync(root + to, { recursive: true, force: true });
        } catch (failure) {
          if (failure.code !== 'ENOTEMPTY') throw failure;
        }
      }
    }
  };
  let swaps = 0;
  while (Atomics.load(stopped, 0) === 0) {
    move('/d', '/real');
    move('/link', '/d');
    move('/d', '/link');
    move('/real', '/d');
    swaps++;
  }
  parentPort.postMessage(swaps);
`;
