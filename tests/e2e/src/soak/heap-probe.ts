// Loaded into the service before its own code: collects and reports its memory whenever the process that started it asks. Needs --expose-gc.
import { setTimeout as delay } from 'node:timers/promises';
import { isMainThread } from 'node:worker_threads';

const kept: unknown[] = [];

if (isMainThread && process.send !== undefined) {
  process.on('message', (order: { readonly leakBytes: number }) => void report(order.leakBytes));
  process.channel?.unref();
}

async function report(leakBytes: number): Promise<void> {
  // The control: what a leak of that size looks like.
  if (leakBytes > 0) kept.push(Array.from({ length: leakBytes / 8 }, (_, index) => index + 0.5));
  // What finalizers give back needs a further collection.
  for (let round = 0; round < 4; round += 1) {
    globalThis.gc?.();
    await delay(50);
  }
  const { heapUsed, external, arrayBuffers, rss } = process.memoryUsage();
  process.send?.({
    usedMb: (heapUsed + external + arrayBuffers) / 2 ** 20,
    residentMb: rss / 2 ** 20,
  });
}
