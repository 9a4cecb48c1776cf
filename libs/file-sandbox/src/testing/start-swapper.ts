import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** An attacker in its own thread, for tests. */
export interface Swapper extends AsyncDisposable {
  /** Ends the thread; resolves with the number of swaps. */
  stop(): Promise<number>;
}

/**
 * Swaps `root/d` between the real directory and the link `root/link` until `stop` is called. After
 * about one swap of 32, pauses for a random time of at most `maxPauseMs`; default 0.
 */
export async function startSwapper(
  root: string,
  { maxPauseMs = 0 }: { readonly maxPauseMs?: number } = {},
): Promise<Swapper> {
  const stop = new SharedArrayBuffer(4);
  const workerData = { root, stop, maxPauseMs };
  const worker = new Worker(swapperSource, { eval: true, workerData });
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
  const { root, stop, maxPauseMs } = workerData;
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
  const pause = () => {
    if (maxPauseMs > 0 && Math.random() < 1 / 32)
      Atomics.wait(stopped, 0, 0, Math.random() * maxPauseMs);
  };
  let swaps = 0;
  while (Atomics.load(stopped, 0) === 0) {
    move('/d', '/real');
    move('/link', '/d');
    pause();
    move('/d', '/link');
    move('/real', '/d');
    pause();
    swaps++;
  }
  parentPort.postMessage(swaps);
`;
