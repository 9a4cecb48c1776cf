// Preloaded into the service: collects the heap and reports the memory when the process that started it sends a message. Needs --expose-gc.
import { setTimeout as delay } from 'node:timers/promises';
import { isMainThread } from 'node:worker_threads';

const kept: unknown[] = [];

if (isMainThread && process.send !== undefined) {
  process.on('message', (order: { readonly leakBytes: number }) => void report(order.leakBytes));
  process.channel?.unref();
}

async function report(leakBytes: number): Promise<void> {
  // The control: a leak of the given size.
  if (leakBytes > 0) kept.push(Array.from({ length: leakBytes / 8 }, (_, index) => index + 0.5));
  // Memory that finalizers release is collected by the next round.
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
